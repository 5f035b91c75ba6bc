"""Running what records claim: each trial in a process of its own, watched as a user's program is, and measured."""
