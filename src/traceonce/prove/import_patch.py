"""A patch of libraries as a Python module that applies it at import: `patching_module` with what is to be changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from traceonce.errors import UsageError
from traceonce.fix.project.diffs import line_edits
from traceonce.prove.library import Library
from traceonce.version import __version__

_TEMPLATE = Path(__file__).with_name("patching_module.py")
_EMPTY = "PATCHES: dict[str, Patch] = {}"


def check_module_name(file: str, libraries: Iterable[str]) -> None:
    """Can a file of this name be imported, and hides none that is to be?"""
    path = Path(file)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageError(f"--patch-module {file}: cannot be imported under that name; use one like patched_library.py.")
    if path.stem in libraries:
        raise UsageError(f"--patch-module {file}: would shadow the library; choose another name.")


def write_module(
    changes: Mapping[str, tuple[bytes, bytes]], libraries: Sequence[Library], repairs: Sequence[str]
) -> str:
    """The source of the module. `repairs` say what it does, a line each."""
    patches = {}
    for library in libraries:
        files = {name: change for name, change in changes.items() if library.path_of(name) is not None}
        if files:
            patches[library.name] = {
                "distribution": library.distribution,
                "version": library.version,
                "files": {name: _changed(name, *change) for name, change in files.items()},
            }
    changed = [library.title for library in libraries if library.name in patches]
    head = [
        f"# Fixes of {' and '.join(changed)}, made by traceonce {__version__}:",
        *(f"#   {repair}" for repair in repairs),
        "",
    ]
    code = _TEMPLATE.read_text(encoding="utf-8")
    assert _EMPTY in code
    return "\n".join(head) + code.replace(_EMPTY, _EMPTY.removesuffix("{}") + _literal(patches, ""))


def _changed(name: str, before: bytes, after: bytes) -> dict[str, object]:
    edits = [(edit.start, edit.end, edit.replacement) for edit in line_edits(name, before, after)]
    return {"sha256": hashlib.sha256(before).hexdigest(), "lines": edits}


def _literal(value: object, indent: str) -> str:
    """As Python, to be read: an entry to a line, and a text in its own lines."""
    deeper = indent + "    "
    if isinstance(value, dict):
        inner = [f"{deeper}{key!r}: {_literal(each, deeper)},\n" for key, each in value.items()]
        return "{\n" + "".join(inner) + indent + "}"
    if isinstance(value, list):
        inner = [f"{deeper}{_literal(each, deeper)},\n" for each in value]
        return "[\n" + "".join(inner) + indent + "]"
    if isinstance(value, tuple):
        *numbers, text = value
        lines = [f"{deeper}{line!r}\n" for line in str(text).splitlines(keepends=True)]
        return f"({', '.join(map(str, numbers))}, (\n{''.join(lines) or deeper + repr('') + chr(10)}{indent}))"
    return repr(value)
