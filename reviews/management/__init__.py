"""Commands for people and their decisions."""
