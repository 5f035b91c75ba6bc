"""What came of a call, as data: the value that it returned, or the error that it raised."""

from __future__ import annotations

from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.error_text import main_line, shorten_error
from traceonce.facts.replay import Returned
from traceonce.frameworks.base.replay.values import Values


def describe_outcome(
    function: FunctionId,
    values: Values,
    result: Any,
    error: BaseException | None,
    seconds: float = 0.0,
    traces: int = 0,
) -> Returned:
    if error is not None:
        return Returned(
            function, error=_error_name(error), message=_message(error), seconds=round(seconds, 6), traces=traces
        )
    leaves, structure = values.read(result)
    return Returned(function, leaves, structure, seconds=round(seconds, 6), traces=traces)


def _error_name(error: BaseException) -> str:
    """The type of an error; of one that AutoGraph has put into another type, its own, as when it runs eagerly."""
    name = type(error).__name__
    if name == "MultilineMessageKeyError":
        return "KeyError"
    own = main_line(_message(error)).partition(":")[0] if name == "StagingError" else name
    return own if own.isidentifier() else name


def _message(error: BaseException) -> str:
    try:
        return shorten_error(str(error))
    except Exception:  # it cannot even be printed
        return ""
