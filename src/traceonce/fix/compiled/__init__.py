"""What recipes for `torch.compile` are made of: what varied, settings of the compiler, statements before a call."""
