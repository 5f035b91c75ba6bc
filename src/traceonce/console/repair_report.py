"""What `traceonce fix` says: the report, what was tried in vain, what is worth knowing, and all of it as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from traceonce.console.message_line import say
from traceonce.facts.command_line import fix_words, quoted
from traceonce.facts.error_text import main_line
from traceonce.facts.printable import cut
from traceonce.facts.quantities import count_of, duration
from traceonce.words.notes import say_reasons

if TYPE_CHECKING:
    from traceonce.prove.budget import Budget
    from traceonce.prove.repair_result import RepairResult
    from traceonce.prove.search_result import Attempt, Repaired, SearchResult

TRIED = 4  # attempts that are shown per function


def print_repair(result: RepairResult) -> None:
    from rich.console import Console

    from traceonce.report.text import print_text

    print_text(result.recording, result.diagnoses, Console(file=sys.stderr))
    for repaired in result.outcome.functions:
        for line in tried_lines(repaired, result.recording.command):
            say(line)


def tried_lines(repaired: Repaired, command: Sequence[str]) -> Iterator[str]:
    """Where nothing settles a function: what was tried, and why it was not taken."""
    if repaired.settled:
        return
    function = repaired.case.diagnosis.function.name
    yield ""
    untried = bool(repaired.attempts) and all(attempt.outcome == "not_tried" for attempt in repaired.attempts)
    nothing = "nothing was tried" if untried else "no change could be proved"
    yield f"{function}: {'not settled' if repaired.fixes else nothing}"
    known = {(attempt.recipe, attempt.reason): attempt for attempt in repaired.attempts}
    shown = {key: attempt for key, attempt in known.items() if attempt.outcome != "not_tried"}
    for attempt in list(shown.values())[:TRIED]:
        verdict = "not written" if attempt.outcome == "declined" else attempt.outcome.replace("_", " ")
        yield f"  {attempt.recipe}: {verdict}: {attempt.reason}"
    if len(shown) > TRIED:
        yield f"  … and {len(shown) - TRIED} more (--json FILE has them all)"
    for reason, attempts in _by_reason(known.values()).items():
        yield f"  not tried ({reason}): {', '.join(attempts)}"
    of_library = repaired.case.diagnosis.function.package
    words = fix_words(command, "--library", of_library) if of_library is not None else None
    if words is not None:
        yield f"  it belongs to {of_library}: {quoted(words)} looks for a fix there"
    elif not known:
        yield "  no fix is known that preserves the program's meaning"
    failed = [attempt.reason for attempt in shown.values() if attempt.proof is not None]
    records = dict.fromkeys(id_ for reason in failed for id_ in _records_of(reason))
    if records:
        yield f"  known: {_explain(*records)}"


def _by_reason(attempts: Iterable[Attempt]) -> dict[str, list[str]]:
    """The recipes that were not tried, each once, by why."""
    found: dict[str, list[str]] = {}
    for attempt in attempts:
        if attempt.outcome == "not_tried" and attempt.recipe not in found.setdefault(attempt.reason, []):
            found[attempt.reason].append(attempt.recipe)
    return found


def remarks(result: RepairResult, written: Sequence[str], *, write: bool, budget: Budget) -> Iterator[str]:
    """What is worth saying at the end."""
    outcome, error = result.outcome, result.recording.error
    untried = [each for one in outcome.functions for each in one.attempts if each.outcome == "not_tried"]
    if outcome.stopped == "interrupted":
        yield f"interrupted: the changes proved so far are above; {count_of(len(untried), 'change')} not tried"
    elif untried:
        yield (
            f"the budget of {budget.seconds:.0f} s is used up, {count_of(len(untried), 'change')} not tried: "
            f"--budget {budget.enough_for(len(untried)):.0f} allows for all"
        )
    varies = outcome.variation.describe()
    if varies is not None:
        yield f"the program is non-deterministic: {varies}; nothing is proved about those"
    replay = outcome.original.run.replay
    if replay is not None and replay.cut is not None:
        limit = "--calls" if replay.cut == "calls" else "--timeout"
        yield f"each run was ended by {limit}, after {len(replay.returned)} calls; later calls were not seen"
    if result.files and replay is not None and replay.drawn:
        yield (
            "its functions draw random numbers, which restart at every trace: both runs were compared with one "
            "random stream; with fewer traces the program will draw different numbers than before"
        )
    yield from dict.fromkeys(replay.problems if replay is not None else ())
    if error is not None:
        known = "".join(f" ({_explain(id_)})" for id_ in _records_of(error)[:1])
        repaired = result.files and not outcome.last.run.status
        rest = "with the change it succeeds" if repaired else "only the part before the failure was checked"
        yield f"the program itself fails: {cut(main_line(error), 200)}{known}; {rest}"
    elif outcome.original.run.status:
        yield f"the program itself ends with exit status {outcome.original.run.status}"
    for name in result.written_through:
        yield f"{name}: too large to copy, and changed by the program while it ran"
    if not result.diagnoses:
        yield "fix does not look at what the program does in other processes; traceonce run shows it"
    seen = {diagnosis.function.name for diagnosis in result.diagnoses}
    behind = [one.case.diagnosis.function.name for one in outcome.functions if one.fixes]
    if hidden := [name for name in behind if name not in seen]:
        yield f"also fixed, although the program did not reach it before: {', '.join(hidden)}"
    if outcome.files:
        yield _summary(outcome)
    own = [each.function.name for each in result.not_concerned]
    if own:
        libraries = ", ".join(library.name for library in result.libraries)
        yield (
            f"part of the program, not of {libraries}, so not checked: {', '.join(dict.fromkeys(own))} (leave out "
            "--library to fix it)"
        )
    if result.unproved:
        yield f"accepted without proof: {', '.join(result.unproved)}"
    if written:
        yield f"written: {', '.join(written)}"
    elif result.diff and result.libraries:
        titles = " and ".join(library.title for library in result.libraries)
        yield f"installed packages were not changed; the diff is for {titles}: patch -p1 in the package's folder"
    elif result.diff and (not write or outcome.stopped == "interrupted"):
        elsewhere = "" if result.folder == Path.cwd() else f" in {result.folder}"
        yield f"no files were changed: apply the diff{elsewhere}, or run again with --write before the script"


def _summary(outcome: SearchResult) -> str:
    """Before and after, for the whole program."""
    before, after = outcome.original, outcome.last
    traces = f"{count_of(sum(before.traces.values()), 'trace')} → {sum(after.traces.values()):,} in all"
    if before.run.replay is None or after.run.replay is None:
        return traces
    one, other = before.run.replay.seconds, after.run.replay.seconds
    return f"{traces}; the program ran {duration(one)} before and {duration(other)} after, without its imports"


def repair_as_json(result: RepairResult, written: Sequence[str]) -> str:
    """The recording's JSON, with what came of the repair."""
    document = msgspec.json.decode(render_recording(result))
    document["fix"] = {
        "deterministic": result.outcome.variation.describe() is None,
        "settled": not result.something_is_left,
        "stopped": result.outcome.stopped,
        "diff": result.diff,
        "files": sorted(result.files),
        "written": list(written),
        "after": {name.rpartition(":")[2]: count for name, count in result.outcome.last.traces.items()},
        "attempts": [
            {
                "function": repaired.case.diagnosis.function.name,
                "recipe": attempt.recipe,
                "verdict": attempt.outcome,
                "reason": attempt.reason,
                "reason_zh": say_reasons(attempt.reasons, "zh"),
                "coded_reasons": attempt.reasons,
            }
            for repaired in result.outcome.functions
            for attempt in repaired.attempts
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def render_recording(result: RepairResult) -> str:
    from traceonce.report.base import Material
    from traceonce.report.json import render_json

    return render_json(Material(result.recording, result.diagnoses))


def _records_of(error: str) -> list[str]:
    from traceonce.analysis.error_records import records_of_error

    return records_of_error(error)


def _explain(*records: str) -> str:
    return quoted(["traceonce", "explain", *records])
