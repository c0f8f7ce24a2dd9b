"""Initial fields: by name, from formulas, files and checkpoints, or from a script."""
