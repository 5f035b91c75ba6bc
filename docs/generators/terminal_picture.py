"""What a terminal shows of the tutorial's report, with its colours, as a picture: rich draws it."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.facts import Recording
from traceonce.report.terminal import safe_line
from traceonce.report.text import report_lines

RECORDED = Path(__file__).parents[2] / "examples" / "tutorial" / "recorded"
WIDTH = 118
FONTS = re.compile(r"@font-face \{.*?\}\n?", re.S)  # of another server: the reader's own will do


def draw(name: str) -> str:
    recording = Recording.load(RECORDED / f"{name}.jsonl")
    console = Console(record=True, file=io.StringIO(), width=WIDTH, force_terminal=True, color_system="truecolor")
    console.print("[bold]$ traceonce run train.py[/]\n…", highlight=False)
    for line in report_lines(recording, diagnose_linked(recording)):
        console.print(safe_line(line), highlight=False)
    drawn = console.export_svg(title="traceonce run train.py", unique_id="terminal")
    plain = FONTS.sub("", drawn).replace("Fira Code", "ui-monospace")
    return re.sub(r"[ \t]+$", "", plain, flags=re.MULTILINE).rstrip("\n") + "\n"
