"""Processes: what runs, what watches it, and what puts an end to it."""
