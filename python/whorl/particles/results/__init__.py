"""Statistics of particles from the files of a run, each with its error."""
