"""A whole number that a module counts in becomes a tensor that belongs to the module: a buffer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from traceonce.facts import Cause, FunctionId
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.allow_unspec_int import HINT
from traceonce.frameworks.torch.recipes.varying_values import expect, reasons, varying_numbers
from traceonce.frameworks.torch.words import COUNTER_IS_A_TENSOR, NO_CLASS_COUNTS, SEVERAL_CLASSES_COUNT

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits
    from traceonce.fix.source.module import Module

NAME = "step_counter_buffer"
_ATTRIBUTE = re.compile(r"\.([^\W\d]\w*)$")


def propose(case: Case) -> Iterator[Candidate]:
    if not any(HINT in reason for reason in reasons(case)):
        return
    for cause in varying_numbers(case):
        found = _ATTRIBUTE.search(cause.path)
        if found is not None:
            yield _candidate(case, cause, found[1])


def _candidate(case: Case, cause: Cause, name: str) -> Candidate:
    snippet = f'self.register_buffer("{name}", torch.tensor(0), persistent=False)'
    return Candidate(
        NAME,
        "review",
        (cause.code,),
        lambda edits: _make_buffer(edits, case.diagnosis.function, cause.path, name),
        None,
        snippet,
        (COUNTER_IS_A_TENSOR(path=cause.path),),
        expected_traces=expect(case, [cause]),
    )


class Counter(NamedTuple):
    """A class that starts to count at `start`, and the other places in it that set the number to something new.

    `bases` are the classes above it, by the last part of their names.
    """

    owner: str
    bases: tuple[str, ...]
    module: Module
    start: cst.Assign
    resets: tuple[cst.Assign, ...]


def _make_buffer(edits: Edits, function: FunctionId, path: str, name: str) -> None:
    import libcst as cst

    found = [counter for file in edits.sources for counter in _counters(edits, file, name)]
    if path == f"self.{name}":  # it is the module's own: its class says which is meant, unless it inherits the number
        owner = function.name.rpartition(".")[0].rpartition(".")[2]
        own = [each for each in found if (each.module.file, each.owner) == (function.file, owner)]
        found = [*own, *(each for each in found if owner in each.bases)] if own else found
    if len(found) != 1:
        counter = f"self.{name}"
        raise Declined(
            SEVERAL_CLASSES_COUNT(count=len(found), path=counter) if found else NO_CLASS_COUNTS(path=counter)
        )
    _, _, module, start, resets = found[0]
    code = f'self.register_buffer("{name}", torch.tensor(value), persistent=False)'
    buffer = edits.expression(module, code, start, value=start.value)
    edits.replace(module, start, cst.Expr(buffer))
    for reset in resets:
        filling = edits.expression(module, f"self.{name}.fill_(value)", reset, value=reset.value)
        edits.replace(module, reset, cst.Expr(filling))


def _counters(edits: Edits, file: str, name: str) -> Iterator[Counter]:
    import libcst as cst

    from traceonce.fix.source.module import walk

    if not re.search(rf"\bself\.{name}\b".encode(), edits.sources[file]):
        return
    module = edits.module(file)
    for owner in module.nodes(cst.ClassDef):
        sets = [node for node in walk(owner) if isinstance(node, cst.Assign) and _sets(node, name)]
        starts = [node for node in sets if _method(module, node) == "__init__"]
        counts = any(isinstance(node, cst.AugAssign) and _is_own(node.target, name) for node in walk(owner)) or any(
            _reads(module, node.value, name) for node in sets
        )
        if counts and len(starts) == 1 and len(starts[0].targets) == 1:
            resets = [node for node in sets if node is not starts[0] and not _reads(module, node.value, name)]
            bases = tuple(module.code(base.value).rpartition(".")[2] for base in owner.bases)
            yield Counter(owner.name.value, bases, module, starts[0], tuple(resets))


def _sets(node: cst.Assign, name: str) -> bool:
    return len(node.targets) == 1 and _is_own(node.targets[0].target, name)


def _is_own(target: cst.CSTNode, name: str) -> bool:
    import libcst as cst

    return (
        isinstance(target, cst.Attribute)
        and target.attr.value == name
        and isinstance(target.value, cst.Name)
        and target.value.value == "self"
    )


def _reads(module: Module, node: cst.CSTNode, name: str) -> bool:
    return re.search(rf"\bself\.{name}\b", module.code(node)) is not None


def _method(module: Module, node: cst.CSTNode) -> str | None:
    import libcst as cst

    return next((outer.name.value for outer in module.ancestors(node) if isinstance(outer, cst.FunctionDef)), None)


_COUNTER = Example(
    title="A counter that restarts, under `dynamic=False`",
    function="Schedule.forward",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


class Schedule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.seen = 0

    def restart(self):
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return self.layer(x) / self.seen


model = Schedule()
step = torch.compile(model, backend="eager", dynamic=False)
for epoch in range(2):
    model.restart()
    for number in range(10):
        print(step(torch.ones(4, 3)).sum().item())
''',
    repaired='''\
import torch


class Schedule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.register_buffer("seen", torch.tensor(0), persistent=False)

    def restart(self):
        self.seen.fill_(0)

    def forward(self, x):
        self.seen += 1
        return self.layer(x) / self.seen


model = Schedule()
step = torch.compile(model, backend="eager", dynamic=False)
for epoch in range(2):
    model.restart()
    for number in range(10):
        print(step(torch.ones(4, 3)).sum().item())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Count in a buffer",
    what="Registers the number as a buffer of the module, a 0-d tensor, and fills it where it was assigned.",
    why="PyTorch specializes on an integer attribute of a module. A tensor is compiled for by dtype and shape, "
    "so one compilation serves all values. The buffer is not persistent, so the state dict keeps its keys.",
    beware="The number is now a tensor, updated in place: a branch on it (`if self.step > 10`) breaks the graph, "
    "and code outside the class that assigns a number to it raises a `TypeError`.",
    propose=propose,
    examples=(_COUNTER,),
)
