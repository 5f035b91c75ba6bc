"""Sizes that a function reads from static shapes, and reads while it runs once dimensions are open."""
