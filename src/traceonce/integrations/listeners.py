"""What hears of traces by itself, where a program has imported something: entered in the hub when this is imported.

Every way in imports it: the API, `traceonce run`, what the environment puts in force, and each observer of this room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceonce.observe.hub import LISTENERS

if TYPE_CHECKING:
    from traceonce.integrations.spans import Spans


def _spans() -> Spans:
    from traceonce.integrations.spans import Spans

    return Spans()


LISTENERS["opentelemetry.trace"] = _spans
