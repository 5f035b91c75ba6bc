"""What the program is told when a limit is reached: the error that people look for, then the facts."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.causes.cause_text import say_remedy
from traceonce.causes.definition import Happened
from traceonce.facts import Breach
from traceonce.facts.printable import in_line, printable
from traceonce.report.sentences import describe_cause, describe_change, describe_place, describe_site


def describe_breach(breach: Breach) -> str:
    """The first line is a fixed text that logs are searched for; the lines after it say which, where and why."""
    return "\n".join(map(in_line, _lines(printable(breach))))


def place_to_warn_at(breach: Breach) -> tuple[str, int]:
    """The file and the line that a warning of it names."""
    site = breach.call_site
    return (in_line(site.file), site.line) if site is not None else ("<unknown>", 0)


def _lines(breach: Breach) -> Iterator[str]:
    yield (
        f"The function '{breach.function.short_name}' has been retraced {breach.retraces} times. The tracing limit "
        "has been reached. This may be caused by passing Python literals or tensors with changing shapes."
    )
    function, site = breach.function, breach.call_site
    yield f"  limit      {breach.limit.describe()}; this call would exceed it"
    yield f"  function   {function.name}, {describe_place(function, breach.backend, breach.made_at)}"
    yield f"  called at  {describe_site(site) if site is not None else 'a place without a source'}"
    for cause in breach.causes:
        yield f"  cause      {describe_change(cause)} ({describe_cause(cause, 0, breach.backend)})"
    for remedy in _remedies(breach):
        yield f"  change     {remedy}"


def _remedies(breach: Breach) -> list[str]:
    remedies = (
        say_remedy(Happened(cause, breach.backend, breach.function, reduce_retracing=breach.reduce_retracing), "en")
        for cause in breach.causes
    )
    return list(dict.fromkeys(remedies))
