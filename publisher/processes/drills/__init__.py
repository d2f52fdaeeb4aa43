"""Drills: the recovery experiments, run for real in a scratch folder with processes that really end."""
