"""`whorl bench`: the speed of this machine for a step and its parts, in the terms of the papers' tables."""
