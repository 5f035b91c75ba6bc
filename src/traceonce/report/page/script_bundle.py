"""The scripts of the page are modules, each of which imports what it uses; in the report they are one script.

A page of one file has no addresses that its modules could import each other by. So they are put one after the other as
a browser would run them, each after those that it imports, without the words `import` and `export`.

Why not a bundler: esbuild takes 84 kB off a report of 514 kB and opens it no sooner, but it needs Node, and a generated
file beside its source. Why not an import map of `data:` addresses: the policy would have to allow scripts from `data:`,
whoever wrote them, and the report grows by 72 kB.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_IMPORT = re.compile(r"^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from '\./(\w+)\.js';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async |class |const |function |let ))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_NAME = re.compile(r"^(?:async |class |const |function |let )+(\w+)", re.MULTILINE)


@cache
def join_modules(folder: Path, first: str) -> str:
    """A script that does what the module `first` would do, and all that it imports."""
    parts: dict[str, str] = {}
    _visit(folder, first, parts, set())
    owners: dict[str, str] = {}
    for module, code in parts.items():
        for name in _NAME.findall(code):
            if owners.setdefault(name, module) != module:
                raise ValueError(f"{module}.js and {owners[name]}.js both define {name}: in one script, they clash")
    return "\n".join(["", *parts.values()])


def _visit(folder: Path, module: str, parts: dict[str, str], seen: set[str]) -> None:
    """Add a module behind those that it imports; of two that import each other, the one met first is last."""
    seen.add(module)
    code = (folder / f"{module}.js").read_text(encoding="utf-8")
    for imported in _IMPORT.findall(code):
        if imported not in seen:
            _visit(folder, imported, parts, seen)
    parts[module] = _EXPORT.sub("", _IMPORT.sub("", code))
    if other := _OTHER.search(parts[module]):
        raise ValueError(f"{module}.js: {other.group()!r} is no import or export that is understood here")
