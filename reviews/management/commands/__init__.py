"""Thin commands: parse, call a service, print."""
