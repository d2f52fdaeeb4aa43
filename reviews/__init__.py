"""People: who may do what, what was decided, and the doors (pages, HTTP, console) to the engine."""
