"""Audit: promises checked anew from the database, the artifacts and the remotes."""
