"""Two runs of a program side by side: where do they differ first?"""

from __future__ import annotations

import os
import re
import textwrap
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from traceonce.facts import Note
from traceonce.facts.error_text import main_line
from traceonce.facts.event import package_path
from traceonce.facts.replay import Probed, Returned, Value, stable_name
from traceonce.prove.printed_output import Place, Printed, printed_difference, varying_texts
from traceonce.prove.stage_client import Run
from traceonce.prove.value_differences import first_difference, value_difference
from traceonce.words.notes.reasons import (
    EXIT_STATUS_DIFFERS,
    EXIT_STATUS_DIFFERS_BY_ERROR,
    LEFT_NO_RESULTS,
    NUMBER_OF_CALLS_DIFFERS,
    PRINTED_DIFFERS,
    RESULT_DIFFERS,
    VARIABLE_DIFFERS,
    VARIABLE_IS_MISSING,
)

MESSAGE = 160  # characters of an error
_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.M)
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)\b(?::|$)")


class Variation(NamedTuple):
    """What differs between two runs of the unmodified program, so that nothing can be said about it.

    `functions` names those whose results differ; `printed` is None where the runs print different numbers of lines.
    """

    functions: frozenset[str] = frozenset()
    variables: bool = False
    printed: frozenset[Place] | None = frozenset()
    status: bool = False

    def describe(self) -> str | None:
        """In words; None where two runs are alike, apart from what is printed about time."""
        parts = []
        if self.status:
            parts.append("its exit status")
        if self.functions:
            parts.append(f"what {', '.join(sorted(name.rpartition(':')[2] for name in self.functions))} returns")
        if self.variables:
            parts.append("its variables at the end")
        if self.printed is None:
            parts.append("how many lines it prints")
        return "two unmodified runs differ in " + ", ".join(parts) if parts else None


def find_variation(one: Run, other: Run) -> Variation:
    """Compare two unmodified runs."""
    theirs = returned_by_function(other)
    functions = {
        name
        for name, results in returned_by_function(one).items()
        if _results_difference(name, results, theirs.get(name, ())) is not None
    }
    places = varying_texts(Printed(one.printed), Printed(other.printed))
    return Variation(
        frozenset(functions),
        _variables_difference(one, other) is not None,
        frozenset(places) if places is not None else None,
        one.status != other.status,
    )


def returned_by_function(run: Run) -> dict[str, list[Returned]]:
    found: dict[str, list[Returned]] = defaultdict(list)
    for returned in run.replay.returned if run.replay is not None else ():
        found[stable_name(returned.function)].append(returned)
    return dict(found)


def results_difference(before: Run, after: Run, name: str) -> Note | None:
    """The first way in which the calls of one function return something else."""
    return _results_difference(name, *(returned_by_function(run).get(name, ()) for run in (before, after)))


def _results_difference(name: str, was: Sequence[Returned], now: Sequence[Returned]) -> Note | None:
    function = name.rpartition(":")[2]
    for number, (one, other) in enumerate(zip(was, now, strict=False), 1):
        difference = first_difference(one, other)
        if difference is not None:
            return RESULT_DIFFERS(function=function, call=number, difference=difference)
    if len(was) != len(now):
        return NUMBER_OF_CALLS_DIFFERS(function=function, before=len(was), after=len(now))
    return None


def find_difference(
    before: Run, after: Run, variation: Variation, counts: Collection[tuple[int, int]] = ()
) -> Note | None:
    """The first way in which the changed program differs from the original, beyond how that varies by itself."""
    if before.status != after.status and not variation.status:
        was, now = str(before.status), str(after.status)
        if after.status:
            return EXIT_STATUS_DIFFERS_BY_ERROR(before=was, after=now, error=_what_failed(after))
        return EXIT_STATUS_DIFFERS(before=was, after=now)
    if after.replay is None or before.replay is None:
        return LEFT_NO_RESULTS() if after.replay is None else None
    theirs = returned_by_function(after)
    for name, results in returned_by_function(before).items():
        if name in variation.functions:
            continue
        difference = _results_difference(name, results, theirs.get(name, ()))
        if difference is not None:
            return difference
    if not variation.variables:
        difference = _variables_difference(before, after)
        if difference is not None:
            return difference
    if variation.printed is not None:
        printed = printed_difference(Printed(before.printed), Printed(after.printed), variation.printed, counts)
        if printed is not None:
            return PRINTED_DIFFERS(difference=printed)
    return None


def _variables_difference(one: Run, other: Run) -> Note | None:
    """The variables at the end; a repair may add some, so those of the original are looked for in their order."""
    if one.replay is None or other.replay is None:
        return None
    remaining = iter(other.replay.variables)
    for number, variable in enumerate(one.replay.variables, 1):
        nearest: str | None = None
        for candidate in remaining:
            difference = value_difference(variable, candidate)
            if difference is None:
                break
            nearest = nearest or (difference if _alike(variable, candidate) else None)
        else:
            if nearest is None:
                return VARIABLE_IS_MISSING(number=number)
            return VARIABLE_DIFFERS(number=number, difference=nearest)
    return None


def _alike(one: Value, other: Value) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape


def _what_failed(run: Run) -> str:
    """The line that says why a program ended: of the exception that it did not catch, else of what it wrote."""
    if run.recording.error is not None:
        said = main_line(run.recording.error)
    else:
        lines = [line.strip() for line in run.errors.splitlines() if line.strip()]
        said = ([line for line in lines if _EXCEPTION.match(line)] or lines or ["no message"])[-1]
    return _where(run) + textwrap.shorten(said, MESSAGE, placeholder=" …")


def _where(run: Run) -> str:
    """The last line of the user's own that a traceback names; those of rewritten code stand in the message."""
    cwd = os.path.join(run.recording.cwd, "")
    own = [
        (file, line) for file, line in _FRAME.findall(run.errors) if file.startswith(cwd) and package_path(file) == file
    ]
    return f"{own[-1][0].removeprefix(cwd)}:{own[-1][1]}: " if own else ""


class Beyond(NamedTuple):
    """What calls that the program did not make have shown: the changes tried, those that differ, those that raise."""

    tried: int
    differing: tuple[str, ...] = ()
    raising: tuple[str, ...] = ()


def compare_probes(before: Sequence[Probed], after: Sequence[Probed], name: str) -> Beyond:
    """The same calls of the original and of the repaired function."""
    theirs = {probed.change: probed for probed in after if stable_name(probed.function) == name}
    tried, differing, raising = 0, [], []
    for probed in before:
        other = theirs.get(probed.change)
        if other is None or stable_name(probed.function) != name:
            continue
        if probed.returned.error is not None and other.returned.error is not None:
            continue  # both refuse it
        tried += 1
        if other.returned.error is not None:
            raising.append(f"{probed.change} ({other.returned.error})")
        else:
            difference = first_difference(probed.returned, other.returned)
            if difference is not None:
                differing.append(f"{probed.change}: {difference}")
    return Beyond(tried, tuple(differing), tuple(raising))
