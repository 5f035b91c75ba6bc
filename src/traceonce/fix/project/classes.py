"""Where a class of the project is defined, found by its name."""

from __future__ import annotations

import contextlib

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.fix.project.related import related_files
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.words.notes.declined import CLASS_NOT_IN_PROJECT, SEVERAL_CLASSES


def find_class(edits: Edits, case: Case, name: str) -> tuple[Module, cst.ClassDef]:
    found: list[tuple[Module, cst.ClassDef]] = []
    for file in related_files(edits, case, f"class {name}"):
        with contextlib.suppress(Declined):  # a file that cannot be parsed
            module = edits.module(file)
            classes = (node for node in module.nodes(cst.ClassDef) if isinstance(node, cst.ClassDef))
            found += [(module, node) for node in classes if node.name.value == name]
    if not found:
        raise Declined(CLASS_NOT_IN_PROJECT(name=name))
    if len(found) > 1:
        raise Declined(SEVERAL_CLASSES(count=len(found), name=name))
    return found[0]
