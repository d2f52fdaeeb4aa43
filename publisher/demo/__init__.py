"""The demo: a small magazine, its people, and jobs that stand at every desk."""
