"""Values that a function reads from outside while it is traced, and that change later."""
