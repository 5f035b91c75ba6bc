"""What a reader must know of how JAX was watched."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

NO_CALLS_ALONE = Phrase(
    "no_calls_alone",
    en="{why}: watching its public events instead: traces and times, but no calls",
    zh="{why}：改为观察它公开的事件：有追踪和时间，没有调用",
)
EARLIER_NOT_KNOWN = Phrase(
    "earlier_not_known",
    en="JAX {version} keeps no list of its traces: earlier ones are unknown",
    zh="JAX {version} 不保留它的追踪列表：之前的追踪无从得知",
)
