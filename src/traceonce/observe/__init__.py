"""Watching a program: in this process (`watch`), or another one (`launching`). Everything seen goes to a recorder."""
