"""The cost of a step, on this machine and on others: the floor, benches and the planner."""
