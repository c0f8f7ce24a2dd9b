"""A case: every option and every column declared once, and errors in sentences."""
