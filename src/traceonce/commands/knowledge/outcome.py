"""``traceonce knowledge outcome``: whether a workaround worked for you."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from traceonce.console.message_line import say
from traceonce.console.output import write_answer
from traceonce.console.shared_options import base_option, format_option
from traceonce.errors import RecordError, UsageError
from traceonce.knowledge.json_files import json_text
from traceonce.knowledge.local_base import open_to_read, own_outcomes
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Record
from traceonce.knowledge.render.markup import one_line

LONGEST = 2000  # characters of a note


@click.command(short_help="Record whether a workaround worked for you.")
@click.argument("record", metavar="[ID]", required=False)
@click.argument("number", metavar="[N]", required=False, type=int)
@click.option("--worked/--failed", "worked", default=None, help="The result.")
@click.option("--note", default="", help="A note for yourself.")
@click.option("--version", default="", help="The framework and its version.")
@click.option("--list", "listing", is_flag=True, help="List your outcomes, of one record or of all.")
@click.option("--forget", type=int, metavar="NUMBER", help="Delete the outcome with this number (see --list).")
@format_option("--list")
@base_option
def command(
    record: str | None,
    number: int | None,
    worked: bool | None,
    note: str,
    version: str,
    listing: bool,
    forget: int | None,
    form: str,
    base: Path | None,
) -> None:
    """Record whether workaround N of a record (numbered as in `show`) worked for you.

    Outcomes stay on this machine and are shown next to the measured evidence; they change no success rate.

    \b
    traceonce knowledge outcome retracing-shape 1 --worked --note "the last batch was smaller"
    traceonce knowledge outcome --list
    """
    if forget is not None:
        if record or listing or worked is not None:
            raise UsageError("--forget deletes one outcome: give nothing else with it.")
        own_outcomes().forget(forget)
        say(f"outcome {forget} deleted", err=False)
    elif listing:
        if number is not None or worked is not None:
            raise UsageError("--list shows your outcomes: leave out N, --worked and --failed.")
        outcomes = own_outcomes().all(open_to_read(base).complete_id(record) if record else None)
        write_answer(_as_json(outcomes) if form == "json" else _as_text(outcomes), form)
    else:
        if record is None or number is None or worked is None:
            raise UsageError("name the workaround and its result: traceonce knowledge outcome ID N --worked")
        if len(note) > LONGEST or len(version) > LONGEST:
            raise UsageError(f"--note, --version: at most {LONGEST} characters.")
        found = open_to_read(base).find(record)
        action = _action(found, number)
        noted = own_outcomes().note(found.id, number, action, worked=worked, note=note, version=version)
        say(f"saved as outcome {noted.number}: {('worked' if worked else 'failed')}: {one_line(action)}", err=False)


def own_outcomes_of(record: Record) -> list[Outcome]:
    """What the user noted about a record. That a file of theirs is damaged is said, and stops nobody from reading."""
    try:
        return own_outcomes().all(record.id)
    except RecordError as error:
        say(f"traceonce: {error}")
        return []


def _action(record: Record, number: int) -> str:
    count = len(record.workarounds)
    if not 1 <= number <= count:
        numbers = f"they are numbered 1 to {count}" if count else "it has none"
        raise UsageError(f"{record.id} has no workaround {number}; {numbers}.")
    return record.workarounds[number - 1].action


def _as_text(outcomes: list[Outcome]) -> str:
    if not outcomes:
        return "no outcomes yet\n"
    return "".join(
        " · ".join(
            one_line(part)
            for part in (
                f"{outcome.number}  {outcome.date}",
                outcome.record,
                f"{outcome.workaround}. {outcome.action}",
                "worked" if outcome.worked else "failed",
                outcome.version,
                outcome.note,
            )
            if part
        )
        + "\n"
        for outcome in outcomes
    )


def _as_json(outcomes: list[Outcome]) -> str:
    return json_text(msgspec.to_builtins(outcomes))
