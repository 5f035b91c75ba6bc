"""A number that an object keeps, and that the program sets, becomes a tensor wherever it is set."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, varying_numbers
from traceonce.frameworks.torch.words import ATTRIBUTE_IS_A_TENSOR, NO_CLASS_SETS, SEVERAL_CLASSES_SET

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits
    from traceonce.fix.source.module import Module

NAME = "tensor_attribute"
_ATTRIBUTE = re.compile(r"\w+(?:\.\w+)*\.([^\W\d]\w*)")


def propose(case: Case) -> Iterator[Candidate]:
    for cause in varying_numbers(case):
        found = _ATTRIBUTE.fullmatch(cause.path) if cause.code is CauseCode.GUARD else None
        if found is not None and not case.diagnosis.function.library:
            yield _candidate(case, cause, found[1])


def _candidate(case: Case, cause: Cause, name: str) -> Candidate:
    dtype = ", dtype=torch.float64" if cause.type_name == "float" else ""  # with all digits, as a number of Python's
    return Candidate(
        NAME,
        "review",
        (cause.code,),
        lambda edits: _make_tensors(case, edits, name, f"torch.tensor(value{dtype})"),
        None,
        f"{cause.path} = torch.tensor({name}{dtype})",
        (ATTRIBUTE_IS_A_TENSOR(path=cause.path),),
        expected_traces=expect(case, [cause]),
    )


def _make_tensors(case: Case, edits: Edits, name: str, code: str) -> None:
    import libcst as cst

    owners = set()
    for file, module, node in _assignments(case, edits, name):
        owner = _owner(module, node)
        owners |= {(file, owner)} if owner is not None else set()
        value = node.value
        assert value is not None
        if not isinstance(node, cst.Assign) or len(node.targets) == 1:
            edits.replace(module, value, functools.partial(_wrapped, edits, module, value, code))
    if len(owners) != 1:
        path = f"self.{name}"
        raise Declined(SEVERAL_CLASSES_SET(count=len(owners), path=path) if owners else NO_CLASS_SETS(path=path))


def _wrapped(
    edits: Edits, module: Module, at: cst.BaseExpression, code: str, value: cst.BaseExpression
) -> cst.BaseExpression:
    return edits.expression(module, code, at, value=value)


def _assignments(case: Case, edits: Edits, name: str) -> Iterator[tuple[str, Module, cst.Assign | cst.AnnAssign]]:
    import libcst as cst

    from traceonce.fix.project.related import related_files

    for file in related_files(edits, case, f".{name}"):
        module = edits.module(file)
        for plain in module.nodes(cst.Assign):
            if any(_is_attribute(target.target, name) for target in plain.targets):
                yield file, module, plain
        for typed in module.nodes(cst.AnnAssign):
            if typed.value is not None and _is_attribute(typed.target, name):
                yield file, module, typed


def _is_attribute(target: cst.CSTNode, name: str) -> bool:
    import libcst as cst

    return isinstance(target, cst.Attribute) and target.attr.value == name


def _owner(module: Module, node: cst.Assign | cst.AnnAssign) -> str | None:
    """The class that sets it for its own objects (``self.rate = …``)."""
    import libcst as cst

    from traceonce.fix.source.scopes import method_of

    target = node.target if isinstance(node, cst.AnnAssign) else node.targets[0].target
    method = method_of(module, node)
    if method is None or not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
        return None
    function, owner = method
    return owner.name.value if target.value.value == function.params.params[0].name.value else None


_CEILING = Example(
    title="A number that the program assigns, and an operator that needs it as a number",
    function="Limited.forward",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


class Limited(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ceiling = 1.0

    def forward(self, x):
        return x.clamp(max=self.ceiling)


module = Limited()
limit = torch.compile(module, backend="aot_eager")
for number in range(12):
    module.ceiling = 1.0 - number / 20
    print(limit(torch.ones(3)).sum().item())
''',
    repaired='''\
import torch


class Limited(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ceiling = torch.tensor(1.0, dtype=torch.float64)

    def forward(self, x):
        return x.clamp(max=self.ceiling)


module = Limited()
limit = torch.compile(module, backend="aot_eager")
for number in range(12):
    module.ceiling = torch.tensor(1.0 - number / 20, dtype=torch.float64)
    print(limit(torch.ones(3)).sum().item())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Store a number as a tensor",
    what="Wraps a number stored on an object in `torch.tensor` wherever the program assigns it.",
    why="A float stored on a module or another object becomes dynamic once it has changed. Where an operator "
    "needs it as a number (`clamp`, `dropout`, `alpha=`), and under `dynamic=False`, it is specialized. A "
    "tensor is compiled for by dtype and shape.",
    beware="All other readers get a tensor too: prints, logs and saved state. It is not a buffer: it stays on "
    "the CPU when the module moves, which operators accept for a 0-d tensor.",
    propose=propose,
    examples=(_CEILING,),
)
