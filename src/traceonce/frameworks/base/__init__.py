"""What the homes of the frameworks share: the descriptor, the registry, one watcher, one replay."""
