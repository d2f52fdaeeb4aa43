"""Backups: taken while the product runs, and put back whole or not at all."""
