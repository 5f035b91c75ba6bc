"""What the program is told when a limit is reached: the error that people look for, then the facts."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Breach, CallSite, Cause
from traceonce.facts.event import package_path
from traceonce.report.wording import describe_cause, remedy_of


def describe_breach(breach: Breach) -> str:
    """The first line is a fixed text that logs are searched for; the lines after it say which, where and why."""
    return "\n".join(
        (
            f"The function '{breach.function.short_name}' has been retraced {breach.retraces} times. The tracing limit "
            "has been reached. This may be caused by passing Python literals or tensors with changing shapes.",
            *_facts(breach),
        )
    )


def _facts(breach: Breach) -> Iterator[str]:
    function = breach.function
    line = f":{function.line}" if function.line else ""
    place = f", {package_path(function.file)}{line}" if function.file else ""
    yield f"  limit      {breach.limit.describe()}; this call needs one more"
    yield f"  function   {function.name}{place}"
    yield f"  called at  {_site(breach.call_site)}"
    for cause in breach.causes:
        yield f"  cause      {describe_change(cause)} ({describe_cause(cause, traces=0)})"
    for remedy in dict.fromkeys(remedy_of(cause, function) for cause in breach.causes):
        yield f"  change     {remedy}"


def describe_change(cause: Cause) -> str:
    """The place, now and before."""
    before = f", before {cause.was}" if cause.was else ""
    return f"{cause.path}: now {cause.now}{before}"


def _site(site: CallSite | None) -> str:
    if site is None:
        return "a place without a source"
    return f"{package_path(site.file)}:{site.line}" + (f" through {package_path(site.via)}" if site.via else "")
