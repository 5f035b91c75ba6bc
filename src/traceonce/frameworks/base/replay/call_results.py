"""What came of a call, as data: the value that it returned, or the error that it raised."""

from __future__ import annotations

from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.replay import Returned
from traceonce.frameworks.base.replay.values import Values, message_of


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
            function,
            error=values.error_name(error),
            message=message_of(error),
            seconds=round(seconds, 6),
            traces=traces,
        )
    leaves, structure = values.read(result)
    return Returned(function, leaves, structure, seconds=round(seconds, 6), traces=traces)
