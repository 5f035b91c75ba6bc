"""Numbers as people read them."""

from __future__ import annotations


def count_of(number: int | None, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else "under 1 ms"


def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 else "under 1 %"


def size(number: int) -> str:
    return f"{number / 2**20:.1f} MiB" if number >= 2**20 else f"{number / 1024:.0f} KiB"
