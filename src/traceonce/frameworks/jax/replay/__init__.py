"""Running a JAX program so that it can be compared with another run of it."""
