"""Which frameworks will a program import? Read off its own files, so that they can be loaded once, before all runs.

A wrong answer costs time and nothing else: what was not foreseen is imported by each run, as it would be anyway.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import itertools
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from traceonce.frameworks.base.registry import framework_of, known_backends, known_frameworks
from traceonce.observe.launch import Target
from traceonce.prove.scratch import python_files

MOST_FILES = 400  # of a project that are read
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def foresee_frameworks(target: Target, cwd: Path) -> list[str]:
    """The modules to load, of those frameworks that are installed and that the program imports."""
    named = set(_imported_roots(target, cwd))
    needed = {known.module for known in known_backends() if known.module in named}
    needed |= _needed_by(named - needed)
    found = [known.module for known in known_backends() if known.module in needed]
    installed = [name for name in found if importlib.util.find_spec(name) is not None]
    return [module for name in installed for module in (name, *framework_of(name).along)]


def _needed_by(packages: Collection[str]) -> set[str]:
    """The frameworks that installed packages ask for; some ask for none, and take what they are told to."""
    found = {
        os.environ.get(variable, framework.module)
        for framework in known_frameworks()
        for package, variable in framework.default_of.items()
        if package in packages
    }
    modules = {known.module for known in known_backends()}
    for package in packages:
        try:
            requirements = importlib.metadata.requires(package) or []
        except (importlib.metadata.PackageNotFoundError, ValueError):
            continue
        firm = [text for text in requirements if "extra ==" not in text]
        found |= {name.group().lower() for text in firm if (name := _NAME.match(text))} & modules
    return found & modules


def _imported_roots(target: Target, cwd: Path) -> Iterator[str]:
    """The packages outside the project that its files import, over all the files that are reached from its start."""
    start, folders = _start(target, cwd)
    waiting, seen = list(start), set[Path]()
    if target.kind == "code":
        yield from _follow(ast_of(target.name.encode()), None, folders, waiting)
    while waiting and len(seen) < MOST_FILES:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            source = file.read_bytes()
        except OSError:
            continue
        yield from _follow(ast_of(source), file, folders, waiting)


def _start(target: Target, cwd: Path) -> tuple[list[Path], list[Path]]:
    """The files that it begins with, and the folders in which its modules are looked for."""
    around = [cwd, cwd / "src"]
    if target.kind == "script":
        script = (cwd / target.name).resolve()
        if script.is_dir():
            return [script / "__main__.py"], [script, *around]
        return [script], [script.parent, *around]
    if target.kind == "module":
        found = [*_files_of(target.name, around), *_files_of(f"{target.name}.__main__", around)]
        return found or _files_run_by(target, cwd), around
    return [], around


def _files_run_by(target: Target, cwd: Path) -> list[Path]:
    """The project's files where it is run by a module from elsewhere (``-m pytest``): those named, else all."""
    named = [
        cwd / word.partition("::")[0] for word in target.arguments if word.strip("./") and not word.startswith("-")
    ]
    places = [path for path in named if path.exists()] or [cwd]
    found = (each for path in places for each in ([path] if path.is_file() else python_files(path)))
    return list(itertools.islice((each for each in found if each.suffix == ".py"), MOST_FILES))


def ast_of(source: bytes) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _follow(tree: ast.Module, file: Path | None, folders: Sequence[Path], waiting: list[Path]) -> Iterator[str]:
    for name in _imports(tree, file):
        own = list(_files_of(name, folders)) if not name.startswith(os.sep) else _files_below(name)
        waiting += own
        if not own:
            yield name.partition(".")[0]


def _imports(tree: ast.Module, file: Path | None) -> Iterator[str]:
    """Dotted names; what is imported relatively comes as the path of its file or folder."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if node.module is not None:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and file is not None:
            base = file.resolve().parents[node.level - 1] / (node.module or "").replace(".", os.sep)
            yield str(base)
            yield from (str(base / alias.name) for alias in node.names)


def _files_of(name: str, folders: Sequence[Path]) -> Iterator[Path]:
    """The files of a module of the project, with those of the packages around it."""
    parts = name.split(".")
    for folder in folders:
        for length in range(1, len(parts) + 1):
            yield from _files_below(str(folder.joinpath(*parts[:length])))


def _files_below(path: str) -> list[Path]:
    return [file for file in (Path(f"{path}.py"), Path(path) / "__init__.py") if file.is_file()]
