"""Whether a call is one of the function itself: by the names under which a file knows it."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.source.binders import imported_by
from traceonce.fix.source.compile_sites import Creation, find_creation
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module


def last_name(node: cst.CSTNode) -> str | None:
    """`step` of ``step`` and of ``self.model.step``."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else None


class Callee(NamedTuple):
    """A function as one file knows it: by these names, or made on the spot by this call (``wrapper(f)(x)``).

    `decorated`: there are other decorators above the wrapper, so its calls go through them first.
    """

    names: frozenset[str]
    made: cst.Call | None
    decorated: bool

    def is_called_by(self, call: cst.Call) -> bool:
        return last_name(call.func) in self.names or call.func is self.made


def callee_of(case: Case, edits: Edits, module: Module) -> Callee:
    """The names under which the file calls it: its own, those it is assigned to, those it is imported as."""
    known = {case.diagnosis.function.short_name} - {"<lambda>"}
    creation = _creation(case, edits)
    made = creation.node if creation is not None and isinstance(creation.node, cst.Call) else None
    if creation is not None and made is not None and not creation.method:
        known |= _assigned_from(creation.module, made)
    if creation is not None and creation.method and isinstance(creation.node, cst.Call):  # ``model.compile()``
        owner = last_name(creation.node.func.value) if isinstance(creation.node.func, cst.Attribute) else None
        known |= {owner} if owner else set()
    size = -1
    while len(known) != size:
        size = len(known)
        for assign in module.nodes(cst.Assign):
            if last_name(assign.value) in known:
                known |= _targets(assign)
        for statement in module.nodes(cst.ImportFrom):
            known |= {each.name for each in imported_by(statement) if each.what.rpartition(".")[2] in known}
    return Callee(frozenset(known), made, creation is not None and _is_below_others(creation))


def _creation(case: Case, edits: Edits) -> Creation | None:
    try:
        return find_creation(case, edits)
    except Declined:
        return None


def _is_below_others(creation: Creation) -> bool:
    definition = creation.definition
    return isinstance(definition, cst.FunctionDef) and creation.node in definition.decorators[1:]


def _assigned_from(module: Module, node: cst.CSTNode) -> set[str]:
    """The names that an expression is assigned to, also through a wrapper around it or a conditional."""
    for outer in module.ancestors(node):
        if isinstance(outer, cst.Assign):
            return _targets(outer)
        if isinstance(outer, cst.AnnAssign):
            name = last_name(outer.target)
            return {name} if name else set()
        if not isinstance(outer, cst.Arg | cst.Call | cst.IfExp):
            return set()
    return set()


def _targets(assign: cst.Assign) -> set[str]:
    return {name for target in assign.targets if (name := last_name(target.target)) is not None}
