"""A case: every option and every column declared once, and wrong ones told in sentences."""
