"""The only room that touches a framework, and only inside functions."""
