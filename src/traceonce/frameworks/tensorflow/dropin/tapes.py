"""The tapes and accumulators that a thread records with. TensorFlow keeps them, and tells nobody which they are.

So the few functions by which they come and go are replaced when the first `traceonce.function` is made, by ones that
take note and do the same. A trial hides them: what it traces and runs is not the user's computation.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from traceonce.frameworks.tensorflow.dropin.parts import (
    ForwardAccumulator,
    add_accumulator,
    add_tape,
    no_tape_is_active,
    remove_accumulator,
    remove_tape,
    tape_module,
)
from traceonce.frameworks.tensorflow.dropin.policy import NotNow


class _Here(threading.local):
    """What records on this thread, the outermost first; `hidden` are those that a trial has taken out."""

    def __init__(self) -> None:
        self.tapes: list[Any] = []
        self.accumulators: list[Any] = []
        self.hidden: list[Any] = []


_here = _Here()
_push_new_tape, _push_tape, _pop_tape = tape_module.push_new_tape, tape_module.push_tape, tape_module.pop_tape
_push_accumulator, _pop_accumulator = ForwardAccumulator._push_accumulator, ForwardAccumulator._pop_accumulator


def is_accumulating() -> bool:
    """Does this thread differentiate forward?"""
    return bool(_here.accumulators)


def kind_of_accumulation() -> str | None:
    """Which forward differentiation this thread does, if any; each kind needs traces of its own.

    TensorFlow rewrites the loops of a trace when it is differentiated backward, and cannot differentiate them forward
    after that.
    """
    if not _here.accumulators:
        return None
    return "forward and backward" if _here.tapes else "forward"


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """In this block nothing of the user's records. Raises `NotNow` where that cannot be arranged."""
    here = _here
    tapes, accumulators, outer = here.tapes, here.accumulators, here.hidden
    for tape in tapes:
        remove_tape(tape._tape)
    for accumulator in accumulators:
        remove_accumulator(accumulator._accumulator)
    here.tapes, here.accumulators, here.hidden = [], [], [*outer, *tapes, *accumulators]
    try:
        if not no_tape_is_active():
            raise NotNow  # a tape that was there before anybody took note
        yield
    finally:
        here.tapes, here.accumulators, here.hidden = tapes, accumulators, outer
        for tape in tapes:
            add_tape(tape._tape)
        for accumulator in accumulators:
            add_accumulator(accumulator._accumulator)


def _is_hidden(recording: Any) -> bool:
    return any(recording is other for other in _here.hidden)


@functools.wraps(_push_new_tape)
def push_new_tape(*args: Any, **kwargs: Any) -> Any:
    tape = _push_new_tape(*args, **kwargs)
    _here.tapes.append(tape)
    return tape


@functools.wraps(_push_tape)
def push_tape(tape: Any) -> None:
    if not _is_hidden(tape):  # else a body stops and restarts a tape of its caller's in a trial: it is stopped anyway
        _push_tape(tape)
        _here.tapes.append(tape)


@functools.wraps(_pop_tape)
def pop_tape(tape: Any) -> None:
    if not _is_hidden(tape):
        _pop_tape(tape)
        _here.tapes[:] = [other for other in _here.tapes if other is not tape]


@functools.wraps(_push_accumulator)
def push_accumulator(accumulator: Any) -> None:
    if _is_hidden(accumulator):
        accumulator._recording = True
        return
    _push_accumulator(accumulator)
    _here.accumulators.append(accumulator)


@functools.wraps(_pop_accumulator)
def pop_accumulator(accumulator: Any) -> None:
    if _is_hidden(accumulator):
        accumulator._recording = False
        return
    _pop_accumulator(accumulator)
    _here.accumulators[:] = [other for other in _here.accumulators if other is not accumulator]


tape_module.push_new_tape, tape_module.push_tape, tape_module.pop_tape = push_new_tape, push_tape, pop_tape
ForwardAccumulator._push_accumulator, ForwardAccumulator._pop_accumulator = push_accumulator, pop_accumulator
