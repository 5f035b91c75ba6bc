"""For those who train with Keras: `traceonce.keras.TraceMonitor`. Keras is imported when the name is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from traceonce.integrations.keras_callback import TraceMonitor

__all__ = ["TraceMonitor"]


if not TYPE_CHECKING:  # a checker that sees it takes every name, misspelt ones too, for one of ours

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from traceonce.integrations.keras_callback import TraceMonitor

        globals()[name] = TraceMonitor
        return TraceMonitor


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
