"""Keeping it fixed: limits on tracing, and the state that was last accepted (the baseline)."""
