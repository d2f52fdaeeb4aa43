"""Prepare: pure steps that read, judge, write and check a draft. No database, no network."""
