"""Console blocks in hand-written pages that a command gives: the comment above a block names what it was made from.

``<!-- shown: run jax_before -->``: what ``traceonce run train.py`` said in a recorded run of a tutorial. ``fix``: what
``traceonce fix`` said. ``markdown``: the report for a pull request. ``program``: the program itself. ``help explain``:
what ``traceonce explain --help`` says.

Blocks below ``<!-- shortened: signal_power -->`` are parts of a session that is kept whole; a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path

import click
from click.testing import CliRunner

from traceonce.commands.main import cli
from traceonce.facts import Recording

RECORDED = Path(__file__).parents[2] / "examples" / "tutorial" / "recorded"
BLOCK = re.compile(r"^(<!-- shown: (\w+) ([\w ]+) -->\n\n)(`{3,})(\w+)\n.*?^\4$", re.MULTILINE | re.DOTALL)


def fill(text: str) -> str:
    """The page, with its blocks as the commands give them."""
    return BLOCK.sub(lambda found: f"{found[1]}{found[4]}{found[5]}\n{_shown(found[2], found[3])}\n{found[4]}", text)


def _shown(kind: str, what: str) -> str:
    if kind == "help":
        return f"$ traceonce {what} --help\n{_said(what, '--help')}"
    if kind == "program":
        return (RECORDED.parent / f"train_{what}.py").read_text(encoding="utf-8").rstrip("\n")
    file = str(RECORDED / f"{what}.jsonl")
    if kind == "markdown":
        return _said("report", file, "--format", "markdown")
    report = _said("report", file)
    if kind == "run":
        return f"$ traceonce run train.py\n…\n{report}"
    return f"$ traceonce fix train.py\n…\n{_diff(file)}\n{report}\n…"


def _said(*arguments: str) -> str:
    """What the command prints, without colours, however wide the terminal is."""
    result = CliRunner().invoke(cli, list(arguments), prog_name="traceonce", color=False, catch_exceptions=False)
    if result.exit_code:
        raise SystemExit(f"traceonce {' '.join(arguments)}: {result.output}")
    return click.unstyle(result.output).rstrip("\n")


def _diff(file: str) -> str:
    """The change that was proved, as `traceonce fix` prints it."""
    from traceonce.analysis.diagnoses import diagnose_linked

    fixes = [fix for diagnosis in diagnose_linked(Recording.load(Path(file))) for fix in diagnosis.fixes]
    return next(fix.diff for fix in fixes if fix.diff and fix.proof is not None).rstrip("\n")
