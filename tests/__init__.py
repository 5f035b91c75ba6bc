"""A package, so that what tests share has one full name, whatever else is installed as `tests`."""
