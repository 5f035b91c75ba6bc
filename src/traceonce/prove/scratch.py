"""A copy of the user's project to run in: a program that writes files, or resumes from them, starts from scratch.

For each run it is as if made anew, always in the same place: what a program prints about its own path stays the same.
Files over a size, and whatever lies beyond a number of files, are linked instead of copied; folders of environments and
version control always are. Of a library that is to be repaired nothing is linked: its own files cannot be reached.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from traceonce.prove.library import Library

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")
LARGE = 16 * 2**20  # bytes; a larger file is linked
MOST_FILES, MOST_BYTES = 4000, 256 * 2**20  # copied in all; what is left over is linked
LEFT_OUT = ("__pycache__",)
LINKED = (".git", ".hg", ".svn", ".tox", ".nox", "node_modules", ".mypy_cache", ".ruff_cache", ".pytest_cache")


def project_root(script: Path) -> Path:
    """The folder of the project that a script belongs to: the nearest that looks like one, else the script's own."""
    for folder in script.parents:
        if any((folder / marker).exists() for marker in MARKERS):
            return folder if not _is_everything(folder) else script.parent
    return script.parent


def project_folders(script: Path | None, cwd: Path) -> list[Path]:
    """The folders that hold a program's own files: of its project, and the working folder where that lies elsewhere."""
    cwd = cwd.resolve()
    root = project_root(script.resolve() if script is not None else cwd / "program")
    if cwd != root and cwd in root.parents:
        root = cwd
    return [root] if root == cwd or root in cwd.parents else [root, cwd]


def _is_everything(folder: Path) -> bool:
    return folder == Path(folder.anchor) or folder == Path.home()


class Scratch:
    """The copies of the project and of the working folder, as a context manager that clears up."""

    def __init__(self, script: Path | None, cwd: Path, libraries: Sequence[Library] = ()) -> None:
        """`script` may be None (`-m`, `-c`): the project is that of the working folder then."""
        self._cwd = cwd.resolve()
        start = script.resolve() if script is not None else self._cwd / "program"
        roots = project_folders(script, cwd)
        self._libraries = tuple(libraries)
        self._folder = Path(tempfile.mkdtemp(prefix="traceonce-fix-")).resolve()
        self._trees = {root: self._folder / str(number) / root.name for number, root in enumerate(roots)}
        self._first = [*reversed(start.parents), *reversed(self._cwd.parents), self._cwd]
        self._copied: dict[Path, tuple[int, int]] = {}
        self._linked: dict[Path, tuple[int, int]] = {}

    @property
    def folder(self) -> Path:
        """All of it."""
        return self._folder

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def cwd(self) -> Path:
        """The copy of the working folder."""
        return self.copy_of(self._cwd)

    @property
    def results(self) -> Path:
        """A folder for what is written down about a run."""
        return self._folder / "results"

    @property
    def temporary(self) -> Path:
        return self._folder / "tmp"

    @property
    def trees(self) -> dict[str, str]:
        """The folders that are copied, and where to."""
        return {str(root): str(copy) for root, copy in self._trees.items()}

    @property
    def libraries(self) -> dict[str, str]:
        """The packages that are imported from a copy, and the folder in which that lies."""
        return {library.name: str(self._shelf) for library in self._libraries}

    @property
    def _shelf(self) -> Path:
        return self._folder / "libraries"

    def copy_of(self, path: Path) -> Path:
        """Where a file of the user's is in the copy; a path outside of the project stays as it is."""
        for root, copy in self._trees.items():
            if path == root or root in path.parents:
                return copy / path.relative_to(root)
        return path

    def as_seen_by_user(self, data: bytes) -> bytes:
        """JSON that names files of the copy, with the user's own names in their place."""
        for root, copy in self._trees.items():
            data = data.replace(str(copy).encode(), json.dumps(str(root), ensure_ascii=False)[1:-1].encode())
        return data.replace(f"{self._shelf}{os.sep}".encode(), b"")

    def with_own_names(self, text: str) -> str:
        """A text for people, in the same way."""
        for root, copy in self._trees.items():
            text = text.replace(str(copy), str(root))
        return text.replace(f"{self._shelf}{os.sep}", "")

    def sources(self) -> dict[str, bytes]:
        """The Python files that may be changed, named as recordings name them.

        Those of the libraries where there are such, from the folder of the package's parent on; else the user's own:
        from the working folder on, or in full.
        """
        found: dict[str, bytes] = {}
        for library in self._libraries:
            of_one_file = library.location.is_file()
            for path in [library.location] if of_one_file else sorted(library.location.rglob("*.py")):
                with contextlib.suppress(OSError):
                    found[library.name_of(path)] = path.read_bytes()
        if self._libraries:
            return found
        for root in self._trees:
            for path in python_files(root):
                below = self._cwd in path.parents
                with contextlib.suppress(OSError):
                    found[str(path.relative_to(self._cwd) if below else path)] = path.read_bytes()
        return found

    def path_of(self, name: str) -> Path:
        """The file behind a name in a recording: the user's own, or the installed one of a library."""
        return next(filter(None, (library.path_of(name) for library in self._libraries)), self._cwd / name)

    def renew(self, changed: Mapping[str, bytes]) -> None:
        """The copy as if made anew, with these files changed; what the last run has left as it was stays."""
        for folder in (self.results, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)
        self.results.mkdir(parents=True)
        self.temporary.mkdir()
        for root, copy in self._trees.items():
            self._clear(copy)
            self._copy(root, copy)
        for library in self._libraries:
            self._clear(self._shelf / library.name)
            self._copy_library(library)
        for name, content in changed.items():
            installed = any(library.path_of(name) is not None for library in self._libraries)
            target = self._shelf / name if installed else self.copy_of(self.path_of(name))
            self._make_real(target.parent)
            target.unlink(missing_ok=True)
            target.write_bytes(content)
            self._copied.pop(target, None)

    def written_through(self) -> list[str]:
        """Linked files of the user's that have changed since they were linked: the program wrote to them."""
        return [str(path) for path, known in self._linked.items() if _state(path) != known]

    def _clear(self, copy: Path) -> None:
        """Take away whatever is not as it was copied."""
        for folder, folders, files in os.walk(copy, topdown=False):
            for name in files:
                path = Path(folder, name)
                if path.is_symlink() or self._copied.get(path) != _state(path):
                    path.unlink(missing_ok=True)
            for name in folders:
                path = Path(folder, name)
                if path.is_symlink():
                    path.unlink(missing_ok=True)
                else:
                    with contextlib.suppress(OSError):  # it holds what stays
                        path.rmdir()

    def _copy(self, root: Path, copy: Path) -> None:
        files = size = 0
        on_the_way = [folder for folder in dict.fromkeys(self._first) if folder == root or root in folder.parents]
        waiting = deque(on_the_way)
        done: set[Path] = set()
        while waiting:
            folder = waiting.popleft()
            if folder in done:
                continue
            done.add(folder)
            target = copy / folder.relative_to(root)
            target.mkdir(parents=True, exist_ok=True)
            for entry in _entries(folder):
                place = target / entry.name
                if entry.is_dir() and not entry.is_symlink():
                    path = Path(entry.path)
                    if entry.name in LEFT_OUT or path in on_the_way or path == self._folder:
                        continue
                    enough = files >= MOST_FILES or size >= MOST_BYTES or _is_everything(root)
                    if enough or entry.name in LINKED or (path / "pyvenv.cfg").exists():
                        self._link(path, place)
                    else:
                        waiting.append(path)
                elif entry.is_symlink():
                    self._copy_link(Path(os.path.realpath(entry.path)), place)
                elif entry.is_file():
                    length = entry.stat().st_size
                    if length > LARGE or (size >= MOST_BYTES and not entry.name.endswith(".py")):
                        self._link(Path(entry.path), place)
                    else:
                        self._copy_file(entry.path, place)
                        files, size = files + 1, size + length

    def _copy_library(self, library: Library) -> None:
        """All of it, with what is compiled of it already: a copy has the times of its files, and so that is valid."""
        target, location = self._shelf / library.name, library.location
        self._shelf.mkdir(exist_ok=True)
        if location.is_file():
            self._refresh(location, target.with_suffix(".py"))
            return
        for folder, _, names in os.walk(location, followlinks=True):
            place = target / Path(folder).relative_to(location)
            place.mkdir(parents=True, exist_ok=True)
            for name in names:
                self._refresh(Path(folder, name), place / name)
        for beside in location.parent.glob("*.libs"):  # what its compiled parts are linked to, looked for beside it
            if not (self._shelf / beside.name).exists():
                (self._shelf / beside.name).symlink_to(beside)

    def _refresh(self, path: Path, place: Path) -> None:
        if place.exists() and self._copied.get(place) != _state(place):
            place.unlink()
        self._copy_file(str(path), place)

    def _copy_link(self, target: Path, place: Path) -> None:
        """A link into the project leads into the copy; what lies outside is copied, if it is a file, or linked."""
        if self.copy_of(target) != target:
            place.symlink_to(self.copy_of(target))
        elif target.is_file() and target.stat().st_size <= LARGE:
            self._copy_file(str(target), place)
        else:
            self._link(target, place)

    def _copy_file(self, path: str, place: Path) -> None:
        if place in self._copied and place.exists():
            return
        with contextlib.suppress(OSError):  # it cannot be read: nor can the program
            shutil.copy2(path, place)
            self._copied[place] = _state(place)

    def _link(self, path: Path, place: Path) -> None:
        if os.path.lexists(place):  # a copy from before, when the project was smaller
            return
        place.symlink_to(path)
        if path.is_file():
            self._linked.setdefault(path, _state(path))

    def _make_real(self, folder: Path) -> None:
        """Make folders of the copy on the way to a changed file real where they are links."""
        for part in (*reversed(folder.parents), folder):
            if part.is_symlink() and self._folder in part.parents:
                behind = Path(os.path.realpath(part))
                part.unlink()
                part.mkdir()
                for entry in _entries(behind):
                    (part / entry.name).symlink_to(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else (0, 0)


def python_files(root: Path) -> Iterator[Path]:
    """The Python files below a folder, without those of environments and hidden folders."""
    waiting, seen = deque([root]), 0
    while waiting and seen < MOST_FILES:
        for entry in _entries(waiting.popleft()):
            path = Path(entry.path)
            if entry.is_dir() and not entry.is_symlink():
                skip = entry.name in (*LEFT_OUT, *LINKED, "site-packages") or entry.name.startswith(".")
                if not skip and not (path / "pyvenv.cfg").exists() and not _is_everything(root):
                    waiting.append(path)
            elif entry.name.endswith(".py") and entry.is_file():
                seen += 1
                yield path
