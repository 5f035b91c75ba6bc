"""Code that is run again and again, moved to where it is run once."""
