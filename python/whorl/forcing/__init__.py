"""Forces: the options of each kind, their names in expressions, their shapes for the core."""
