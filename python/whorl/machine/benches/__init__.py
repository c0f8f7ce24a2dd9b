"""`whorl bench`: how fast this machine is at a step and at its parts, in the terms of the papers' tables."""
