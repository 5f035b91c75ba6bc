"""Repairs for `torch.compile`, one module for each."""
