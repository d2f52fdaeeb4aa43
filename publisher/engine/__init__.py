"""The engine: advances one job at a time, from durable facts alone."""
