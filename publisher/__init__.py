"""The durable engine: takes a job from its source to one commit that a person approved."""

__version__ = "0.1.0"
