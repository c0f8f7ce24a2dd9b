"""The pictures of particles: paths, paths over a slice of a field, statistics."""
