"""Showing what was seen in a cell: a page below it in a notebook, a text in a terminal, or a file."""

from __future__ import annotations

import sys
from typing import Any

from traceonce.analysis.material import find_out
from traceonce.api import Watch
from traceonce.facts import Recording
from traceonce.facts.printable import MESSAGE, in_line
from traceonce.integrations.jupyter.cells import name_cells
from traceonce.integrations.jupyter.magic_line import Options
from traceonce.observe.excerpts import with_excerpts
from traceonce.report.base import find_renderer
from traceonce.report.frame import in_frame


def show_report(shell: Any, watch: Watch, options: Options) -> None:
    """Show the report of a cell that has just run. What goes wrong here must not hide what the cell raised."""
    try:
        _show(shell, watch.recording, options)
    except Exception as error:
        why = f"traceonce: the report could not be shown ({type(error).__name__}: {error})"
        sys.stderr.write(f"{in_line(why, MESSAGE)}\n")


def _show(shell: Any, watched: Recording, options: Options) -> None:
    if options.quiet and options.output is None:
        return
    recording = name_cells(with_excerpts(watched), shell)
    text = _render(recording, "text", options)
    first = text.partition("\n")[0]
    in_notebook = hasattr(shell, "kernel")
    form = options.form or ("html" if in_notebook else "text")
    if options.output is not None:
        options.output.write_text(_render(recording, form, options), encoding="utf-8", errors="replace")
        if not options.quiet:
            print(f"{first}\nreport: {in_line(str(options.output))}")
    elif form == "html" and in_notebook:
        page = in_frame(_render(recording, form, options))
        shell.display_pub.publish({"text/html": page, "text/plain": first})
    elif form == "markdown" and in_notebook:
        shell.display_pub.publish({"text/markdown": _render(recording, form, options), "text/plain": first})
    elif form == "markdown":
        print(_render(recording, form, options), end="")
    else:
        print(text, end="")


def _render(recording: Recording, form: str, options: Options) -> str:
    return find_renderer(form)(find_out(recording, form, options.language))
