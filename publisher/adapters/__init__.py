"""Adapters: the outside world behind the ports, one folder a neighbour."""
