"""Running a program so that it can be compared with another run of it: what is the same for every framework."""
