"""The count of a run's memory before it begins: its needs, the room for them, and sizes that fit."""
