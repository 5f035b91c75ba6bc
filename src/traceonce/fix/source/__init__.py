"""The user's source: finding places in it and changing them, with libcst, so that everything else stays as it was."""
