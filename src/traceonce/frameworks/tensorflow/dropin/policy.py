"""What a user chooses for a function: plain data, so that a function can be copied and pickled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from traceonce.facts import TraceEvent
from traceonce.facts.dispatch import DEFAULT_KEEP

Buckets = Mapping[str, Mapping[int, Sequence[int]]]


class Policy(NamedTuple):
    """How many traces a function may have, and how it may widen them.

    `refuse` is given a request past the limit, this policy and the number of traces; it returns what is to be raised,
    or None to let it pass.
    """

    refuse: Callable[[TraceEvent, Policy, int], BaseException | None] | None = None
    keep: int = DEFAULT_KEEP
    limit: int | None = None
    on_limit: str = "raise"
    relax: bool = True
    lift: bool = True
    pad: Buckets | None = None
    true_length: Mapping[str, Mapping[int, str]] | None = None
    unpad: Mapping[str, Mapping[int, tuple[str, int]]] | None = None


class RunEagerly(Exception):  # noqa: N818  # it leads from the limit to the Python function
    """The limit is reached, and the function is to run without a graph; `error` is for those who asked for one."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class NotNow(Exception):  # noqa: N818  # a finding: the call is served as TensorFlow would
    """A trial made here could be noticed: a tape or a profiler is at work that cannot be put aside."""
