"""The unit tests need no framework. That this file is here puts its folder on the path, for ``import handmade``."""
