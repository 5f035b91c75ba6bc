"""Times, in the language of what is said about them."""

from __future__ import annotations

from traceonce.facts import quantities


def duration(seconds: float, language: str) -> str:
    if language != "zh":
        return quantities.duration(seconds)
    if seconds >= 1:
        return f"{seconds:.1f} 秒"
    return f"{seconds * 1000:.0f} 毫秒" if seconds >= 0.001 else "不到 1 毫秒"


def in_seconds(seconds: float, language: str) -> str:
    return f"{seconds:.2f} {'秒' if language == 'zh' else 's'}"
