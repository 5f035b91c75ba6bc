"""Which file of the project a name such as ``settings`` stands for, and how another file can name the same one."""

from __future__ import annotations

import posixpath

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.source.binders import binders, binders_seen, imported_as, imported_by
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.words.notes.declined import NOT_IMPORTED


def file_meant(edits: Edits, module: Module, dotted: str, at: cst.CSTNode | None = None) -> str | None:
    """The file that ``settings`` (or ``app.settings``) is in this file, where `at` stands; None if it is no module."""
    full = full_name(module, dotted, at)
    return _find_file(edits, module, full) if full is not None else None


def full_name(module: Module, dotted: str, at: cst.CSTNode | None = None) -> str | None:
    """The same name as it would be imported, dots in front where that is relative; None where it is not imported."""
    root, _, rest = dotted.partition(".")
    found = binders_seen(module, root, at) if at is not None else binders(module, root)
    meant = imported_as(found, root)
    only = all(isinstance(binder, cst.Import | cst.ImportFrom) for binder in found)
    return f"{meant.pop()}.{rest}".rstrip(".") if only and len(meant) == 1 else None


def name_there(edits: Edits, module: Module, at: cst.CSTNode, file: str, full: str) -> str:
    """How the code at `at` can name a file of the project: as it is imported there, else by an import of our own."""
    imports: list[cst.Import | cst.ImportFrom] = [*module.nodes(cst.Import), *module.nodes(cst.ImportFrom)]
    for node in imports:
        for name in _names_given(node):
            root = name.partition(".")[0]
            if node in binders_seen(module, root, at) and file_meant(edits, module, name, at) == file:
                return name
    if full.startswith(".") or _find_file(edits, module, full) != file:
        raise Declined(NOT_IMPORTED(module=file, file=module.file))
    edits.add_import(module, full)
    return full


def _names_given(node: cst.Import | cst.ImportFrom) -> list[str]:
    """The dotted names by which modules can be named after an import: ``import app.settings`` gives that very name."""
    if isinstance(node, cst.Import):
        return [alias.evaluated_alias or alias.evaluated_name for alias in node.names]
    return [found.name for found in imported_by(node)]


def _find_file(edits: Edits, importer: Module, full: str) -> str | None:
    """The one file that can be meant. Where several have that name, it lies beside the importing file, or above it."""
    name = full.lstrip(".")
    path = name.replace(".", "/")
    ends = (f"{path}.py", f"{path}/__init__.py")
    here = posixpath.dirname(importer.file)
    if full != name:
        # ``from . import settings`` reads `..settings`, ``from .app import settings`` reads `.app.settings`.
        level = len(full) - len(name) - ("." not in name)
        for _ in range(level - 1):
            here = posixpath.dirname(here)
        found = [file for file in edits.sources if file in {posixpath.join(here, end) for end in ends}]
    else:
        found = [file for file in edits.sources if file in ends or file.endswith(tuple(f"/{end}" for end in ends))]
        folders = {here, *(here[:index] for index, letter in enumerate(here) if letter == "/"), ""}
        near = [file for file in found if file in {posixpath.join(folder, end) for folder in folders for end in ends}]
        found = near or found
    return found[0] if len(found) == 1 else None
