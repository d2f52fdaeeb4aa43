"""Presenters: rows become page objects. Pure: no queries, no clock."""
