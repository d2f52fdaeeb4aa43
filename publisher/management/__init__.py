"""What Django looks up by name."""
