"""Pure rules: no Django, no git, no clock, no I/O."""
