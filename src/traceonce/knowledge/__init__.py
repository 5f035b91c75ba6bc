"""What is known about tracing failures: records, and the experiments that every claim in them was run by."""
