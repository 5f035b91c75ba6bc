"""``traceonce knowledge validate``: check records, and say what to do about every problem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from traceonce.console.output import write_answer, write_document
from traceonce.console.progress_line import ProgressLine
from traceonce.console.shared_options import format_option
from traceonce.errors import UsageError
from traceonce.facts.quantities import count_of
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.schema import schema_text
from traceonce.knowledge.validation import CheckedFile, Level, check_files
from traceonce.knowledge.validation.problem import file_name

LEVELS: tuple[Level, ...] = ("error", "warning")


@click.command(short_help="Check records: schema, expressions, claims, translations, sources.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@format_option("the answer")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--no-provenance", is_flag=True, help="Do not search the installed packages for the messages.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a record and check nothing.")
def command(files: tuple[Path, ...], form: str, strict: bool, no_provenance: bool, schema: bool) -> None:
    """Check records, and report where each problem is and how to fix it. Without FILE: the built-in records.

    Exit status: 0 if there is no error (warnings are allowed, unless --strict), 1 if there is, 2 if a file is not JSON.

    \b
    traceonce knowledge validate
    traceonce knowledge validate my-base/records/*/*.json --strict
    """
    if schema:
        if files:
            raise UsageError("--schema prints the schema and checks no files: leave out the files.")
        write_document(schema_text(), None)
        return
    chosen = list(dict.fromkeys(files)) or [_near(path) for path in Collection().paths.values()]
    line = ProgressLine()

    def progress(package: str, done: int, total: int) -> None:
        line.say(f"searching {package} for the messages: {done * 100 // max(total, 1)} %")

    checked = check_files(chosen, provenance=not no_provenance, progress=progress)
    line.clear()
    write_answer(_as_json(checked) + "\n" if form == "json" else _as_text(checked), form)
    raise SystemExit(exit_status(checked, strict))


def _near(path: Path) -> Path:
    """As people would type it, where it lies below the working folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def exit_status(checked: Sequence[CheckedFile], strict: bool) -> int:
    if any(one.unreadable for one in checked):
        return 2
    return int(any(one.count("error") or (strict and one.count("warning")) for one in checked))


def _as_text(checked: Sequence[CheckedFile]) -> str:
    lines = []
    for one in checked:
        lines += [problem.line() for problem in one.problems]
        if one.problems:
            lines.append("")
    return "\n".join([*lines, _summary(checked)])


def _summary(checked: Sequence[CheckedFile]) -> str:
    found = [count_of(sum(one.count(level) for one in checked), level) for level in LEVELS]
    unreadable = [one for one in checked if one.unreadable]
    found += [f"{count_of(len(unreadable), 'unreadable file')}"] if unreadable else []
    return f"{count_of(len(checked), 'file')} checked: {', '.join(found)}"


def _as_json(checked: Sequence[CheckedFile]) -> str:
    answer = {
        "schema": "traceonce.validation/1",
        "files": [
            {"file": file_name(one.file), "unreadable": one.unreadable, "problems": one.problems} for one in checked
        ],
        "errors": sum(one.count("error") for one in checked),
        "warnings": sum(one.count("warning") for one in checked),
    }
    return msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
