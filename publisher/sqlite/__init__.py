"""SQLite as Django's backend has it, except that what was lost is never opened as a new database."""
