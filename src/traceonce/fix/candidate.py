"""A repair that could be tried: what it would change, and what may be expected of it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from traceonce.facts import CauseCode, Note
from traceonce.facts.fix import Safety
from traceonce.fix.case import Case
from traceonce.words.notes import say_reasons

if TYPE_CHECKING:  # a report names candidates without ever looking at the source
    from traceonce.fix.signatures.prediction import SignatureChange
    from traceonce.fix.source.edits import Edits


class Declined(Exception):  # noqa: N818  # a finding, told to the user
    """This repair cannot be written here. The reasons say why, each more exactly than the one before."""

    def __init__(self, *reasons: Note) -> None:
        self.reasons = reasons
        super().__init__(say_reasons(reasons, "en"))


# Writes the change into the edits of a candidate, or raises Declined.
Change: TypeAlias = Callable[["Edits"], None]


def together(*changes: Change) -> Change:
    """Several changes as one."""

    def change(edits: Edits) -> None:
        for each in changes:
            each(edits)

    return change


class Effect(NamedTuple):
    """What a change does, however it is written: ``Effect("filled", "batch['bias']", "zeros")``.

    `path` is an argument; of what is kept, "" is the object that has the traces.
    """

    what: Literal["cast", "converted", "filled", "kept", "lifted", "stacked"]
    path: str
    value: str = ""


KEPT = frozenset({Effect("kept", "")})  # what is made before each call, and has the traces, is made once


@dataclass(frozen=True)
class Candidate:
    """`change` is None for advice. `snippet` shows the change in a few lines; `notes` say what to know about it.

    `predicted_traces` counts what would be left, found by replaying the recorded signatures; None: cannot be told.
    `expected_traces` stands for it where a framework cannot be replayed: it says what to try first, and is never shown.
    `passes_state`: what the function read from outside is passed in. The calls beyond the run then pass the last value,
    while the original reads the present one: they cannot be compared.
    `untraced`: the function is then a part of another graph, or runs as plain Python, and need not be traced any more;
    or it returns more, which is cut off where it is called. What it returns itself is not compared.
    `effects` are all that the change does to the calls, but for a signature or an option of the compiler.
    """

    recipe: str
    safety: Safety
    causes: tuple[CauseCode, ...]
    change: Change | None = None
    predicted_traces: int | None = None
    snippet: str | None = None
    notes: tuple[Note, ...] = ()
    passes_state: bool = False
    untraced: bool = False
    effects: frozenset[Effect] = frozenset()
    expected_traces: int | None = None

    @property
    def traces_to_go_by(self) -> int | None:
        """What it would leave, as far as it is known: for the order in which candidates are tried."""
        left = self.expected_traces if self.predicted_traces is None else self.predicted_traces
        if left is None or self.untraced:
            return left
        return max(left, 1)  # what was traced before anybody watched serves in a replay, not in the changed program

    @property
    def is_last_resort(self) -> bool:
        """Is it advice that treats no cause, or a report that somebody else would have to act on?"""
        return self.change is None and (not self.causes or (self.snippet or "").startswith("## "))

    def is_same_change(self, other: Candidate) -> bool:
        """Do both come to the same, though one may be advice, or of another recipe?"""
        if self.effects or other.effects:
            return self.effects == other.effects
        return self.snippet is not None and (self.recipe, self.snippet) == (other.recipe, other.snippet)


class WidenableChange(abc.ABC):
    """A change that refuses input unlike what was seen, and has a wider form that takes it."""

    @abc.abstractmethod
    def __call__(self, edits: Edits) -> None: ...

    @abc.abstractmethod
    def wider(self, candidate: Candidate) -> Candidate | None:
        """The candidate of this change with the wider one in its place; None where it is as wide as it gets."""


Propose: TypeAlias = Callable[[Case], Iterator[Candidate]]


@dataclass(frozen=True)
class Example:
    """A program, and the same program repaired: a test, and a part of the recipe's page.

    `repaired` is the whole program after the repair; None for advice, whose snippet is `advice`. `function` is the one
    that is repaired.
    """

    title: str
    program: str
    function: str
    traces_before: int
    repaired: str | None = None
    traces_after: int | None = None
    advice: str | None = None


@dataclass(frozen=True)
class Settled:
    """What a recipe that keeps a function, or an object given to it, would leave behind: for combining it with others.

    `codes` are the causes that it treats; `change` is what the signatures would be, given the paths of those objects;
    `one_function`: all calls would go to one function object.
    """

    codes: frozenset[CauseCode]
    change: Callable[[frozenset[str]], SignatureChange] | None = None
    one_function: bool = False


@dataclass(frozen=True)
class Recipe:
    """One kind of repair: what it does, why it helps, when not to use it, and examples that are run.

    `treats_arguments`: it goes together with a recipe that keeps the function or an object (`settled`).
    `fits_calls`: it fits the function to the calls of one program, and may refuse those of others, change what they
    get, or how other functions are compiled: nothing for a library. `repairs_failures`: it lets a program run that
    fails while it is traced. `shown_by_probes`: calls beyond the run (another number, another shape) can show it to be
    right. `only_moves`: what is moved does what it did.
    """

    name: str
    title: str
    what: str
    why: str
    beware: str
    propose: Propose
    examples: tuple[Example, ...] = ()
    treats_arguments: bool = False
    fits_calls: bool = False
    settled: Settled | None = None
    repairs_failures: bool = False
    shown_by_probes: bool = False
    only_moves: bool = False
