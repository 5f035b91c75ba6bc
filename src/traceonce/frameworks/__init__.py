"""One home per framework, found through the registry (`base/registry.py`), built in and from other packages alike."""
