"""Where a report goes: standard error for people, a file for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from traceonce.atomic_files import write_named
from traceonce.console.message_line import say, say_lines
from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.command_line import quoted
from traceonce.facts.error_text import main_line
from traceonce.facts.printable import in_line
from traceonce.report.base import FORMS, find_form, find_renderer
from traceonce.words.translated import Language

PAGE = "traceonce-report.html"
GENERATOR = '<meta name="generator" content="traceonce'


def check_output(output: str | None, option: str = "-o") -> None:
    """Find out before a long run, not after it, that the report cannot be written."""
    if output is None or output == "-":
        return
    path = Path(output)
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a directory; name a file.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option} {path}: no folder {path.parent}; create it first.")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise UsageError(f"{option} {path}: not writable; check its permissions.")


def choose_output(form: str, output: str | None, *, to_stdout: bool) -> str | None:
    """Where the report goes. A page is of no use in a terminal: without `-o` it becomes a file in this folder."""
    if form == "html" and output is None and (not to_stdout or sys.stdout.isatty()):
        if os.path.exists(PAGE) and not _is_our_page(PAGE):
            raise UsageError(f"{PAGE}: exists and is not a traceonce report; name another file with -o FILE.")
        output = PAGE
    check_output(output)
    return output


def _is_our_page(file: str) -> bool:
    try:
        return GENERATOR in Path(file).read_text(encoding="utf-8", errors="replace")[:2_000]
    except OSError:
        return False


def tell_place(output: str | None) -> None:
    """Say where a page lies, so that it can be opened with a click."""
    if output is not None and output != "-":
        say(f"report: {Path(output).absolute().as_uri()}")


def check_form(form: str, language: Language | None) -> None:
    """Is there such a form, and is it written in this language?"""
    if language == "zh" and not find_form(form).in_chinese:
        chinese = ", ".join(name for name, known in FORMS.items() if known.in_chinese)
        raise UsageError(f"--lang zh: format {form} is available in English only; Chinese formats: {chinese}.")
    find_renderer(form)


def put_report(
    recording: Recording,
    diagnoses: Sequence[Diagnosis],
    form: str,
    output: str | None,
    *,
    to_stdout: bool,
    language: Language = "en",
) -> None:
    """Write the report; without `-o` to standard output (`report`) or to standard error (`run`)."""
    stream = sys.stdout if to_stdout or output == "-" else sys.stderr
    if output is not None and output != "-":
        write_whole(output, _render(recording, diagnoses, form, language))
    elif form == "text":
        from rich.console import Console

        from traceonce.report.text import print_text

        if not to_stdout and stream.isatty():
            stream.write("\n")  # the program may have left its last line open
        print_text(recording, diagnoses, Console(file=stream))
        _tell_error(recording, stream)
    else:
        stream.write(_render(recording, diagnoses, form, language))
    stream.flush()


def _render(recording: Recording, diagnoses: Sequence[Diagnosis], form: str, language: Language) -> str:
    from traceonce.analysis.material import make_material

    return find_renderer(form)(make_material(recording, diagnoses, form, language))


def _tell_error(recording: Recording, stream: TextIO) -> None:
    """The exception by which the program ended, where something is known about it."""
    if recording.error is None:
        return
    from traceonce.analysis.error_records import records_of_error

    known = records_of_error(recording.error)
    if known:
        stream.write(f"\nThe program ended with {in_line(main_line(recording.error), 200)}\n")
        stream.write(f"  known   {quoted(['traceonce', 'explain', *known])}\n")


def write_whole(output: str, text: str | bytes) -> None:
    """All or nothing: a file is never half written, and keeps its mode. A pipe or a device is written through."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", errors="replace")
    try:
        write_named(output, data)
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}.") from None


def write_document(text: str, output: str | None) -> None:
    """A document is UTF-8 wherever it goes, to the byte; a file is written whole, or not at all."""
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
        sys.stdout.buffer.flush()
    else:
        write_whole(output, text)


def write_answer(answer: str, form: str) -> None:
    """An answer: as data to the byte, or in lines for people."""
    if form == "json":
        write_document(answer, None)
    else:
        say_lines(answer, err=False)
