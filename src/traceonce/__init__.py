"""Trace once, run forever: find out why `tf.function`, `jax.jit` or `torch.compile` retraces.

Importing traceonce imports no framework, and little else. What `__all__` has (`docs/python.md` lists it) is public; the
modules are internal, and may move.

PYTEST_DONT_REWRITE: a process that is watched may have imported this before pytest, which would warn of that.
"""

from __future__ import annotations

from traceonce.version import __version__

TYPE_CHECKING = False  # `typing` itself is not imported: this package is loaded at the start of every watched process
if TYPE_CHECKING:
    from typing import Any

    from traceonce import keras as keras
    from traceonce.api import Watch, diagnose, watch
    from traceonce.dropin.function import function, stats
    from traceonce.errors import RecordingError, TraceonceError, TracingLimitReached, TracingLimitWarning, UsageError
    from traceonce.explanations import Explanations, explain
    from traceonce.facts import (
        Breach,
        CallSite,
        Cause,
        CauseCode,
        Diagnosis,
        Fix,
        FunctionId,
        Proof,
        Reason,
        Recording,
        Signature,
        TraceEvent,
        Verdict,
    )
    from traceonce.facts.dispatch import Stats
    from traceonce.integrations.retrace_log import log_retraces
    from traceonce.knowledge.advice import Explanation
    from traceonce.public_limits import limit, max_traces

__all__ = [
    "Breach",
    "CallSite",
    "Cause",
    "CauseCode",
    "Diagnosis",
    "Explanation",
    "Explanations",
    "Fix",
    "FunctionId",
    "Proof",
    "Reason",
    "Recording",
    "RecordingError",
    "Signature",
    "Stats",
    "TraceEvent",
    "TraceonceError",
    "TracingLimitReached",
    "TracingLimitWarning",
    "UsageError",
    "Verdict",
    "Watch",
    "__version__",
    "diagnose",
    "explain",
    "function",
    "limit",
    "log_retraces",
    "max_traces",
    "stats",
    "watch",
]

_HOMES = {
    "Breach": "traceonce.facts",
    "CallSite": "traceonce.facts",
    "Cause": "traceonce.facts",
    "CauseCode": "traceonce.facts",
    "Diagnosis": "traceonce.facts",
    "Explanation": "traceonce.knowledge.advice",
    "Explanations": "traceonce.explanations",
    "Fix": "traceonce.facts",
    "FunctionId": "traceonce.facts",
    "Proof": "traceonce.facts",
    "Reason": "traceonce.facts",
    "Recording": "traceonce.facts",
    "RecordingError": "traceonce.errors",
    "Signature": "traceonce.facts",
    "Stats": "traceonce.facts.dispatch",
    "TraceEvent": "traceonce.facts",
    "TraceonceError": "traceonce.errors",
    "TracingLimitReached": "traceonce.errors",
    "TracingLimitWarning": "traceonce.errors",
    "UsageError": "traceonce.errors",
    "Verdict": "traceonce.facts",
    "Watch": "traceonce.api",
    "diagnose": "traceonce.api",
    "explain": "traceonce.explanations",
    "function": "traceonce.dropin.function",
    "limit": "traceonce.public_limits",
    "log_retraces": "traceonce.integrations.retrace_log",
    "max_traces": "traceonce.public_limits",
    "stats": "traceonce.dropin.function",
    "watch": "traceonce.api",
}
_MODULES = ("keras",)  # not in __all__: a star import must not hide the user's own `keras`


if not TYPE_CHECKING:  # a checker that sees it takes every name, misspelt ones too, for one of ours

    def __getattr__(name: str) -> Any:
        if name not in _HOMES and name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext traceonce`` calls: from then on there is ``%%traceonce``."""
    from traceonce.integrations.jupyter import load_ipython_extension

    load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What ``%unload_ext traceonce`` calls."""
    from traceonce.integrations.jupyter import unload_ipython_extension

    unload_ipython_extension(shell)
