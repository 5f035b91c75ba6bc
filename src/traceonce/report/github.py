"""Annotations for GitHub Actions: a line per finding, which GitHub shows at the line of code in a pull request.

An error is what was shown to be silently wrong, or is worse than a baseline accepts; a notice is what it accepts.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceonce.facts import Breach, Diagnosis, Recording
from traceonce.report.text import QUIET, function_lines
from traceonce.report.wording import describe_change


def render_github(recording: Recording, diagnoses: Sequence[Diagnosis]) -> str:
    lines = [_annotate_limit(breach) for breach in _first_of_each(recording.breaches)]
    lines += [_annotate(diagnosis) for diagnosis in diagnoses if diagnosis.verdict not in QUIET]
    return "".join(line + "\n" for line in lines)


def _annotate(diagnosis: Diagnosis) -> str:
    grave = diagnosis.surely_wrong or diagnosis.accepted is False
    level = "notice" if diagnosis.accepted else "error" if grave else "warning"
    title = f"traceonce: {diagnosis.function.short_name} is {diagnosis.verdict.value}"
    file, line = _place(diagnosis)
    return command(
        level, "\n".join(line.plain for line in function_lines(diagnosis)), file=file, line=line, title=title
    )


def _annotate_limit(breach: Breach) -> str:
    title = f"traceonce: {breach.function.short_name} has reached its tracing limit"
    changes = map(describe_change, breach.causes)
    text = "\n".join([f"{breach.function.name} may have {breach.limit.describe()}, and needs one more.", *changes])
    site = breach.call_site
    return command("error", text, file=site.file if site else None, line=site.line if site else None, title=title)


def _first_of_each(breaches: Sequence[Breach]) -> list[Breach]:
    return list({breach.function.key: breach for breach in reversed(breaches)}.values())[::-1]


def _place(diagnosis: Diagnosis) -> tuple[str | None, int | None]:
    """The function where it is the user's own, else the user's line that called it."""
    function = diagnosis.function
    if function.library and diagnosis.call_sites:
        return diagnosis.call_sites[0].file, diagnosis.call_sites[0].line
    return function.file, function.line


def command(level: str, message: str, **properties: str | int | None) -> str:
    """A workflow command, with the characters that have a meaning in it escaped as GitHub wants it."""
    given = ",".join(
        f"{name}={_escape_property(str(value))}" for name, value in properties.items() if value is not None
    )
    return f"::{level} {given}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
