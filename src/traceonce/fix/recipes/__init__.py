"""One module per repair."""
