"""``traceonce baseline``: are files of accepted retraces fit to be committed? Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import click

from traceonce.console.message_line import say
from traceonce.errors import UsageError
from traceonce.limits.baseline import Baseline

NAMED = re.compile(r" \(([^()]+\.py)\)$")  # NAME (FILE), as limits/baseline.py writes it


@click.command(short_help="Check baseline files without running anything.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
def command(files: tuple[Path, ...]) -> None:
    """Check baseline files: each must be valid, and every project file it names must exist.

    An entry for a deleted file no longer accepts anything.

    \b
    traceonce baseline traces.json

    Exit status: 0 if all is well, 1 if an entry names a deleted file, 2 if a file is not a baseline.
    """
    problems = [f"{file}: {problem}" for file in files for problem in _problems(file)]
    for problem in problems:
        say(problem)
    raise SystemExit(1 if problems else 0)


def _problems(file: Path) -> Iterator[str]:
    for entry in sorted(_read(file).functions):
        source = NAMED.search(entry)
        if source and _is_gone(file.parent, source[1]):
            yield f"{entry}: the file is gone; update the baseline with traceonce run --update-baseline."


def _is_gone(folder: Path, source: str) -> bool:
    """A file of a library is named from its package on, and lies elsewhere: what may be one is left alone."""
    path = PurePath(source)
    is_ours = not path.is_absolute() and (len(path.parts) == 1 or (folder / path.parts[0]).is_dir())
    return is_ours and not (folder / path).is_file()


def _read(file: Path) -> Baseline:
    try:
        return Baseline.load(file)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("--baseline ")) from None
