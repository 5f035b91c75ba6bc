"""Clocks that run too fast: whatever a program prints or decides by them differs from a run with the right ones."""

from __future__ import annotations

import time

READ = ("time", "perf_counter", "process_time")


def hurry(factor: float) -> None:
    """Make the clocks that programs measure with run `factor` times as fast. Waiting is left as it is."""
    for name in READ:
        _hurry(name, factor)
        _hurry(f"{name}_ns", factor)


def _hurry(name: str, factor: float) -> None:
    read = getattr(time, name)
    start = read()

    def clock() -> float | int:
        value = start + (read() - start) * factor
        return int(value) if name.endswith("_ns") else value

    clock.__name__ = clock.__qualname__ = name
    setattr(time, name, clock)
