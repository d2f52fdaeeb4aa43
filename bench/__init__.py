"""Benches: what is promised in numbers, measured."""
