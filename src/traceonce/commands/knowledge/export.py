"""``traceonce knowledge export``: give records away, in the flat or in the nested form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from traceonce.console.message_line import say
from traceonce.console.output import write_document
from traceonce.console.shared_options import base_option
from traceonce.errors import UsageError
from traceonce.facts.quantities import count_of
from traceonce.knowledge.exchange import FORMS, Converted, Layout, check_id, convert, flat_id
from traceonce.knowledge.intake import read_documents, write_all
from traceonce.knowledge.json_files import json_text, naming
from traceonce.knowledge.local_base import names_a_file, open_base


@click.command(short_help="Export records to another format.")
@click.argument("records", nargs=-1, metavar="[ID|FILE]...")
@click.option("--all", "everything", is_flag=True, help="Export all records.")
@click.option("--form", type=click.Choice(FORMS), default="nested", show_default=True, help="The form.")
@click.option(
    "-o",
    "--output",
    help="A file (.ndjson: one record per line), or a folder (an existing one, or a name ending in /).",
)
@click.option("--force", is_flag=True, help="Overwrite files in the folder.")
@base_option
def command(
    records: tuple[str, ...], everything: bool, form: Layout, output: str | None, force: bool, base: Path | None
) -> None:
    """Write records in the flat format of traceonce, or in the nested format of public bases.

    A summary goes to standard error. One record becomes an object, several a list. `import` restores exactly what was
    exported.

    \b
    traceonce knowledge export retracing-shape --form nested
    traceonce knowledge export --all --form nested -o public/
    """
    if everything == bool(records):
        raise UsageError("name records (ids or files), or give --all, not both.")
    converted = [_convert(place, data, form) for place, data in _documents(records, base)]
    several = everything or len(converted) != 1
    if output and output != "-" and (output.endswith("/") or Path(output).is_dir()):
        contents = {Path(output) / _name(one.record): json_text(one.record) for one in converted}
        if len(contents) < len(converted):
            raise UsageError("two of these records have the same id; export them separately.")
        write_all(contents, overwrite=force)
    elif output and output.endswith(".ndjson"):
        write_document("".join(json.dumps(one.record, ensure_ascii=False) + "\n" for one in converted), output)
    else:
        found = [one.record for one in converted]
        write_document(json_text(found if several else found[0]), output)
    kept = sorted({name for one in converted for name in one.kept})
    mapped = sorted({name for one in converted for name in one.mapped})
    say(f"{count_of(len(converted), 'record')} in the {form} format")
    say(f"  mapped  {', '.join(mapped)}")
    if kept:
        say(f"  kept    {', '.join(kept)} (no field in this format; import restores them)")


def _documents(records: tuple[str, ...], base: Path | None) -> Iterator[tuple[str, Any]]:
    if not records:
        for path in open_base(base).paths.values():
            yield from read_documents(path)
    for named in dict.fromkeys(records):
        collection = None if names_a_file(named) else open_base(base)
        path = collection.paths[collection.complete_id(named)] if collection else Path(named)
        yield from read_documents(path)


def _convert(place: str, data: Any, form: Layout) -> Converted:
    with naming(place):
        return convert(data, form)


def _name(record: dict[str, Any]) -> Path:
    """The file of a record in a folder: flat ones make a base, nested ones lie as in a public one."""
    name = str(record.get("id"))
    if "error" not in record:
        return Path("records", f"{check_id(name)}.json")
    domain, _, rest = name.partition("/")
    check_id(flat_id(name))
    return Path(domain, f"{check_id(rest)}.json")
