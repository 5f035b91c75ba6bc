"""`traceonce.log_retraces`: a line per retrace through the standard `logging`, when it is made."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from types import TracebackType
from typing import Any

import msgspec
from typing_extensions import Self

from traceonce.diagnosis.history import Explained
from traceonce.facts import Cause, TraceEvent
from traceonce.facts.printable import in_line, printable
from traceonce.facts.quantities import duration
from traceonce.frameworks.base.registry import dialect_of
from traceonce.integrations.live_observer import Telling, describe
from traceonce.observe.hub import Hub, hub
from traceonce.report.sentences import describe_place, describe_site

LOGGER = "traceonce"


class RetraceLog(Telling):
    """The observer: there is one at most, however many have asked for the log."""

    purpose = "logging retraces"

    def __init__(self) -> None:
        super().__init__()
        self._retraces: Counter[tuple[str, str]] = Counter()

    def take(self, event: TraceEvent) -> None:
        with self._lock:
            explained = self.explain(event)
            if explained.event.phase != "retrace":
                return
            key = (event.backend, event.function.key)
            self._retraces[key] += 1
            count = self._retraces[key]
        log(explained, count)


def log(explained: Explained, count: int) -> None:
    """One line. The record has the user's line as its place, not one of ours."""
    logger = logging.getLogger(LOGGER)
    if not logger.isEnabledFor(logging.WARNING):
        return
    told = _printable(explained)
    event, site = told.event, told.event.call_site
    record = logger.makeRecord(
        logger.name,
        logging.WARNING,
        in_line(site.file) if site else "(unknown file)",
        site.line if site else 0,
        "%s %s, the %s time: %s",
        (
            in_line(event.function.name),
            dialect_of(event.backend).retraced.en,
            ordinal(count),
            in_line(" · ".join(_facts(told))),
        ),
        None,
        extra={"traceonce": describe_retrace(explained, count)},
    )
    logger.handle(record)


def _printable(explained: Explained) -> Explained:
    """With what a line tells of it made safe; its signatures may be large, and are not told."""
    event = explained.event
    function, site, causes = printable((event.function, event.call_site, explained.causes))
    return explained._replace(event=msgspec.structs.replace(event, function=function, call_site=site), causes=causes)


def describe_retrace(explained: Explained, count: int) -> dict[str, Any]:
    """The same as data, for formatters that write JSON."""
    event = explained.event
    return {
        "function": event.function.name,
        "backend": event.backend,
        "file": event.function.file,
        "line": event.function.line,
        "call_site": describe_site(event.call_site) if event.call_site is not None else None,
        "retraces": count,
        "ordinal": event.ordinal,
        "call": event.call,
        "seconds": event.seconds,
        "causes": [_as_data(cause) for cause in explained.causes],
    }


def _as_data(cause: Cause) -> dict[str, str]:
    return {
        "code": cause.code.value,
        "path": cause.path,
        "was": cause.was,
        "now": cause.now,
        "evidence": cause.evidence,
    }


def _facts(explained: Explained) -> list[str]:
    event = explained.event
    facts = ["; ".join(describe(cause, event.backend) for cause in explained.causes)]
    if event.seconds is not None:
        facts.append(duration(event.seconds))
    called = f", called from {describe_site(event.call_site)}" if event.call_site is not None else ""
    return [*facts, describe_place(event.function, event.backend, event.made_at) + called]


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th … 11th, 12th, 13th … 21st."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else endings.get(number % 10, 'th')}"


class LogRequests:
    """Who has asked for the log. It is there while anybody wants it, and logs each retrace once."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lock = threading.RLock()
        self._wanted: set[RetraceLogging] = set()
        self._log: RetraceLog | None = None

    def add(self, wanting: RetraceLogging) -> None:
        with self._lock:
            self._wanted.add(wanting)
            if self._log is None:
                self._log = RetraceLog()
                self._hub.join(self._log)

    def wants(self, wanting: RetraceLogging) -> bool:
        return wanting in self._wanted

    def remove(self, wanting: RetraceLogging) -> None:
        with self._lock:
            self._wanted.discard(wanting)
            if not self._wanted and self._log is not None:
                self._hub.leave(self._log)
                self._log = None


logs = LogRequests(hub)


class RetraceLogging:
    """The log in force, until it is removed or, in a ``with`` statement, its block ends."""

    def __init__(self, logs: LogRequests = logs) -> None:
        self._logs = logs
        logs.add(self)

    def remove(self) -> None:
        """Stop logging, unless somebody else has asked for it, too; once is enough."""
        self._logs.remove(self)

    def __repr__(self) -> str:
        return f"<traceonce.log_retraces: {'in force' if self._logs.wants(self) else 'removed'}>"

    def __enter__(self) -> Self:
        self._logs.add(self)  # again, where an earlier block has ended
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def log_retraces() -> RetraceLogging:
    """Log every retrace of this process from now on, as a warning of the logger ``traceonce``.

    >>> traceonce.log_retraces()             # for the rest of the program
    >>> with traceonce.log_retraces():       # for a block
    ...     train()

    One line each: the function, the number of its retraces, why, the cost, where it was defined and called. The
    record's attribute ``traceonce`` has the same as a dictionary. First traces, failed traces and internal traces of a
    framework are not logged. If requested twice, each retrace is logged once, until both requests are removed.
    """
    return RetraceLogging()
