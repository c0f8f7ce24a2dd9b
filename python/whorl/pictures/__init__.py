"""The pictures of a run from its files alone, and the style of all pictures."""
