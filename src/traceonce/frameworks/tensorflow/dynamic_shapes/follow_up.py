"""After a repair under which a trace has failed: the same, with the functions changed in which it failed.

A function with an open dimension is traced with sizes that nobody knows; what it calls may read them as well. The
traceback names those functions.

1. Functions of the project that the failing trace was in are changed along with the repair, and tried again. A later
   trace may fail in others: they come in addition, and stay known for the next repair that is tried.
2. Where the trace fails in no other function than before, the change goes further in those: a cast where the error
   is about whole numbers, then the last sizes of shapes, then every size.
3. What was tried before is not tried again.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from traceonce.facts import Note
from traceonce.facts.error_text import main_line
from traceonce.facts.event import path_from
from traceonce.facts.replay import stable_name
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.follow_up import FailedRun, FollowUp, failures
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.dynamic_shapes.called_functions import (
    Called,
    asks_for_sizes,
    called_at,
    reads_a_shape,
)
from traceonce.frameworks.tensorflow.dynamic_shapes.extension import along, opens_dimensions
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import Reach
from traceonce.frameworks.tensorflow.recipes import dynamic_shape
from traceonce.words.notes.proofs import READS_OPEN_SIZE

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+), in (\S+)', re.MULTILINE)
_WHOLE = re.compile(r"\bu?int(?:8|16|32|64)\b")


class SizeFollowUps:
    """What is known, while one function is repaired, of the functions in which its traces fail."""

    def __init__(self, case: Case, is_new: Callable[[Candidate], bool]) -> None:
        """`is_new`: can it be written, and was nothing like it tried?"""
        self._case = case
        self._is_new = is_new
        self._functions: list[Called] = []

    def after(self, candidate: Candidate, failed: FailedRun, reach: Reach | None = None) -> FollowUp | None:
        """What to try after the candidate, or its follow-up of that reach, has failed."""
        if not opens_dimensions(candidate):
            return None
        self._functions = list(dict.fromkeys([*self._functions, *self._called(failed)]))
        reach = reach or Reach()
        while self._functions and reach is not None:
            following = along(self._case, candidate, self._functions, reach)
            if following is None:
                return None
            if self._is_new(following):
                return FollowUp(following, reach)
            reach = _further(reach, failed)
        return None

    def doubts(self, candidate: Candidate, offered: Sequence[Candidate], files: Mapping[str, bytes]) -> Iterator[Note]:
        """Could sizes in the body be read at run time, or does it ask whether one is known?"""
        if not opens_dimensions(candidate) or dynamic_shape.NAME in candidate.recipe:
            return
        following = f"{candidate.recipe}+{dynamic_shape.NAME}"
        if any(each.recipe == following and self._is_new(each) for each in offered) or asks_for_sizes(
            self._case, Edits(files)
        ):
            yield READS_OPEN_SIZE()

    def _called(self, failed: FailedRun) -> Iterator[Called]:
        """The functions of the project on the stack of the failing trace that read shapes, without the traced one."""
        edits = Edits(failed.files)
        for called in self._stack(failed):
            if not self._is_own(called) and reads_a_shape(edits.module(called.file), called):
                yield called

    def _stack(self, failed: FailedRun) -> list[Called]:
        stack = list(_functions_in(failed.errors, failed)) if failed.status else []
        inside = list(itertools.dropwhile(lambda called: not self._is_own(called), stack))
        if inside:
            return inside
        # The program caught the error, or what failed is a trace of another function, which calls this one.
        return [called for event in failures(failed.events) for called in _functions_in(event.error or "", failed)]

    def _is_own(self, called: Called) -> bool:
        return f"{called.file}:{called.short_name}" == stable_name(self._case.diagnosis.function)


def _functions_in(traceback: str, failed: FailedRun) -> Iterator[Called]:
    """The functions of the project that a traceback names, from the outside in. AutoGraph's are part of the message."""
    edits = Edits(failed.files)
    cwd = failed.cwd
    for file, line, name in _FRAME.findall(traceback):
        known = path_from(cwd, cwd, file)
        if known in failed.files:
            with contextlib.suppress(Declined):
                called = called_at(edits.module(known), int(line), name)
                if called is not None:
                    yield called


def _further(reach: Reach, failed: FailedRun) -> Reach | None:
    about_numbers = any(_WHOLE.search(main_line(event.error)) for event in failures(failed.events))
    if about_numbers and not reach.cast_everywhere:
        return reach._replace(cast_everywhere=True)
    if not reach.last:
        return reach._replace(last=True)
    if not reach.everywhere:
        return reach._replace(everywhere=True)
    return None if reach.cast_everywhere else reach._replace(cast_everywhere=True)
