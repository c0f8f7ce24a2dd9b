"""What all tests share."""

from hypothesis import settings

# Machines stall, and no test here is about time.
settings.register_profile("whorl", deadline=None)
settings.load_profile("whorl")
