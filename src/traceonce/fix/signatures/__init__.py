"""What the recorded calls looked like, and what would have become of them had they looked otherwise."""
