"""What a reader must know of how JAX was watched."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

NO_CALLS_ALONE = Phrase(
    "no_calls_alone",
    en="{why}: watching through its public events, so there are traces and times, but no calls",
    zh="{why}：通过它公开的事件观察，因此有追踪和时间，没有调用",
)
EARLIER_NOT_KNOWN = Phrase(
    "earlier_not_known",
    en="JAX {version} keeps no list of its traces: those made before are not known",
    zh="JAX {version} 不保留它的追踪列表：之前的追踪无从得知",
)
