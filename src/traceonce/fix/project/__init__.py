"""The files of the user's project together: read, related to each other, compared and written."""
