"""Running a PyTorch program so that it can be compared with another run of it: fixed seeds, kept results, places."""
