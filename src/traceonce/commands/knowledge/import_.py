"""``traceonce knowledge import``: take records over from files in the flat or in the nested form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from traceonce.console.output import write_answer
from traceonce.console.shared_options import format_option
from traceonce.errors import UsageError
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.quantities import count_of
from traceonce.knowledge.intake import Admitted, Importer
from traceonce.knowledge.json_files import json_text
from traceonce.knowledge.local_base import own_base

SHOWN = 20  # reasons for a refusal, per file


@click.command(short_help="Import records from another format.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--to", type=click.Path(path_type=Path), help="The base to import into (default: your own).")
@click.option("--force", is_flag=True, help="Overwrite existing records.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@format_option("the report")
def command(files: tuple[Path, ...], to: Path | None, force: bool, dry_run: bool, form: str) -> None:
    """Import records; each file is imported completely or not at all.

    A file holds one record, a list, or one record per line, in the flat format of traceonce or in the nested format of
    public bases (id domain/slug/environment; error, verdict, metadata…). Fields without a counterpart are kept, and
    `export` writes them again. Exit status: 2 if a record was refused.

    \b
    traceonce knowledge import canon.json --to my-base
    traceonce knowledge list --base my-base
    """
    base = to or own_base()
    if base.exists() and not base.is_dir():
        raise UsageError(f"--to {base}: is not a folder; name an existing or a new one.")
    importer = Importer(base, force=force, dry_run=dry_run)
    taken = [importer.take(file) for file in dict.fromkeys(files)]
    write_answer(_as_json(taken, base, dry_run) if form == "json" else _as_text(taken, base, dry_run), form)
    if any(one.refused for one in taken):
        raise SystemExit(2)


def _as_text(taken: Sequence[Admitted], base: Path, dry_run: bool) -> str:
    lines = []
    for one in taken:
        what = "refused, nothing was written" if one.refused else "to be written" if dry_run else "written"
        lines.append(f"{one.file}: {count_of(len(one.written), 'record') if one.written else 'no record'}, {what}")
        lines += [f"  mapped   {', '.join(one.mapped)}"] if one.mapped else []
        lines += [f"  kept     {', '.join(one.kept)}"] if one.kept else []
        lines += [f"  refused  {reason}" for reason in one.refused[:SHOWN]]
        left = len(one.refused) - SHOWN
        lines += [f"  refused  … and {left} more (see --format json)"] if left > 0 else []
    total = sum(len(one.written) for one in taken)
    if total:
        verb = "would go" if dry_run else "went"
        see = quoted(["traceonce", "knowledge", "list", "--base", as_file(base)])
        lines.append(f"{count_of(total, 'record')} {verb} to {base}; see: {see}")
    return "\n".join(lines) + "\n"


def _as_json(taken: Sequence[Admitted], base: Path, dry_run: bool) -> str:
    files = [
        {
            "file": str(one.file),
            "records": [{"id": name, "path": str(path)} for name, path in one.written],
            "mapped": one.mapped,
            "kept": one.kept,
            "refused": one.refused,
        }
        for one in taken
    ]
    report = {"schema": "traceonce.import/1", "base": str(base), "dry_run": dry_run, "files": files}
    return json_text(report)
