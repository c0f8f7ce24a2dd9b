"""The results of a run: datasets and pictures, from its files alone."""
