"""Where an array lies, in a few words."""

from __future__ import annotations

from typing import Any


def describe_placement(array: Any) -> str:
    """The device, or the way in which it is cut over several. What JAX may move as it likes is `uncommitted`."""
    sharding = getattr(array, "sharding", None)
    if sharding is None or not getattr(array, "_committed", getattr(array, "committed", False)):
        return "uncommitted"
    mesh = getattr(sharding, "mesh", None)
    if mesh is not None and hasattr(sharding, "spec"):
        axes = ", ".join(f"{name}={size}" for name, size in dict(mesh.shape).items())
        return f"{_spec(sharding.spec)} over ({axes})"
    devices = sorted(getattr(sharding, "device_set", ()), key=lambda device: device.id)
    return ", ".join(f"{device.platform}:{device.id}" for device in devices[:8]) or type(sharding).__name__


def _spec(spec: Any) -> str:
    return f"P({', '.join(repr(part) for part in tuple(spec))})"
