"""Annotations for GitHub Actions: a line per finding, which GitHub shows at the line of code in a pull request.

An error is what was shown to be silently wrong, or is worse than a baseline accepts; a notice is what it accepts, what
is avoidable, and what is bounded but costly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from traceonce.facts import Breach, Diagnosis, Recording
from traceonce.facts.attention import sort_by_attention
from traceonce.facts.event import path_from
from traceonce.facts.printable import in_line, in_lines, printable
from traceonce.report.base import Material
from traceonce.report.sentences import describe_change, describe_verdict, fix_command
from traceonce.report.text import function_lines


def render_github(material: Material) -> str:
    recording, diagnoses, *_ = material
    lines = [_annotate_limit(recording, breach) for breach in _first_of_each(recording.breaches)]
    attention = sort_by_attention(recording, diagnoses)
    lines += [_annotate(recording, diagnosis, "warning") for diagnosis in attention.alarms]
    lines += [_annotate(recording, diagnosis, "notice") for diagnosis in (*attention.avoidable, *attention.costly)]
    return "".join(line + "\n" for line in lines)


def _annotate(recording: Recording, diagnosis: Diagnosis, level: str) -> str:
    grave = diagnosis.surely_wrong or diagnosis.accepted is False
    level = "notice" if diagnosis.accepted else "error" if grave else level
    costly = " and costly" if diagnosis.costly else ""
    title = f"traceonce: {printable(diagnosis.function).short_name} {describe_verdict(diagnosis.verdict)}{costly}"
    file, line = _place(diagnosis)
    return command(
        level,
        "\n".join(line.plain for line in function_lines(diagnosis, fix_command(recording.command))),
        file=_in_repository(recording, file),
        line=line,
        title=title,
    )


def _annotate_limit(recording: Recording, breach: Breach) -> str:
    site, breach = breach.call_site, printable(breach)
    title = f"traceonce: {breach.function.short_name} has reached its tracing limit"
    changes = map(describe_change, breach.causes)
    text = "\n".join(
        [f"{breach.function.name} has a limit of {breach.limit.describe()}; one more trace was needed.", *changes]
    )
    file, line = (_in_repository(recording, site.file), site.line) if site is not None else (None, None)
    return command("error", text, file=file, line=line, title=title)


def _in_repository(recording: Recording, file: str | None) -> str | None:
    """GitHub knows files from the root of the repository, which is not always where the program was started."""
    root = os.environ.get("GITHUB_WORKSPACE", "")
    return path_from(root, recording.cwd, file) if root and file else file


def _first_of_each(breaches: Sequence[Breach]) -> list[Breach]:
    return list({breach.function.key: breach for breach in reversed(breaches)}.values())[::-1]


def _place(diagnosis: Diagnosis) -> tuple[str | None, int | None]:
    """The function where it is the user's own, else the user's line that called it."""
    function = diagnosis.function
    if function.library and diagnosis.call_sites:
        site = next((cause.call_site for cause in diagnosis.causes if cause.call_site), diagnosis.call_sites[0])
        return site.file, site.line
    return function.file, function.line


def command(level: str, message: str, **properties: str | int | None) -> str:
    """A workflow command, with the characters that have a meaning in it escaped as GitHub wants it."""
    given = ",".join(
        f"{name}={_escape_property(in_line(str(value)))}" for name, value in properties.items() if value is not None
    )
    lines = "\n".join(in_lines(message))
    return f"::{level} {given}::{_escape(lines)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
