"""Commands of the engine: parse, call a service, print."""
