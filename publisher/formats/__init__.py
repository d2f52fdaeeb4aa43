"""Formats: how times are written where a page does not say so itself, as at the admin site."""
