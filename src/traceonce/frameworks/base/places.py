"""Whose line is it? Tells the user's own files from libraries, the framework and ourselves."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path
from types import FrameType

from traceonce.facts import CallSite, Frame
from traceonce.facts.event import package_path

_UPWARDS = f"{os.sep}..{os.sep}"
_WRITTEN_FOR = ("<string>", "<attrs generated ")
# As it was imported, and where it lies: an environment may hold a link to it.
OURS = tuple({str(file.parents[2]) + os.sep for file in (Path(__file__), Path(__file__).resolve())})


def working_folder() -> str:
    """The working folder, or nothing where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


class Places:
    """Sorts file names. `framework` names the packages that are the tracer itself, never a call site.

    `rewritten` stands in the names of the files to which it writes what it makes of the user's code.
    """

    def __init__(self, framework: tuple[str, ...] = (), rewritten: str = "") -> None:
        self._rewritten = rewritten
        self._cwd = working_folder() + os.sep
        libraries = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
        libraries.update(site.getsitepackages() if hasattr(site, "getsitepackages") else ())
        libraries.add(site.getusersitepackages() if hasattr(site, "getusersitepackages") else "")
        self._libraries = tuple(
            sorted({os.path.realpath(p) + os.sep for p in libraries if p} | {p + os.sep for p in libraries if p})
        )
        self._framework = tuple(os.path.dirname(file) + os.sep for file in framework if file)
        self._project = _package_of_main(self._libraries)

    def is_framework(self, file: str) -> bool:
        return file.startswith((*self._framework, *OURS, "<frozen")) or self.is_rewritten(file)

    def is_rewritten(self, file: str) -> bool:
        return self._rewritten != "" and self._rewritten in file

    def is_in_framework(self, file: str, *rooms: str) -> bool:
        """Does it lie in one of these folders of the framework, as ``python/data``? Never judged by names alone: the
        folder of a project, or of its environment, may be called anything."""
        inside = (folder + room.replace("/", os.sep) + os.sep for folder in self._framework for room in rooms)
        return file.startswith(tuple(inside))

    def is_user(self, file: str) -> bool:
        if self.is_framework(file):
            return False
        if self._project and file.startswith(self._project):
            return True
        return not file.startswith(self._libraries) and package_path(file) == file

    def shorten(self, file: str) -> str:
        """A file below the working directory as the user would type it; any other as it is.

        One that was found through ``..`` in `sys.path` goes by the name that it has anyway.
        """
        if _UPWARDS in file and self.is_user(file):
            file = os.path.normpath(file)
        below = len(self._cwd) > 1 and file.startswith(self._cwd)
        return file[len(self._cwd) :] if below and self.is_user(file) else file

    def call_site(self, frames: list[Frame]) -> CallSite | None:
        """The user's own last line, and the library's line in between, if there is one. `frames`: outermost first."""
        via: Frame | None = None
        for frame in reversed(frames):
            if self.is_framework(frame.file):
                continue
            if self.is_user(frame.file):
                through = f"{via.file}:{via.line}" if via else None
                return CallSite(self.shorten(frame.file), frame.line, through)
            via = via or frame
        return CallSite(via.file, via.line) if via else None

    def visible(self, frames: list[Frame], limit: int = 16) -> tuple[Frame, ...]:
        """The part of a stack that is worth keeping: no frames of the framework, the innermost `limit`."""
        kept = [frame for frame in frames if not self.is_framework(frame.file)][-limit:]
        return tuple(Frame(self.shorten(frame.file), frame.line, frame.name) for frame in kept)


def current_frames() -> list[Frame]:
    """The stack of the caller, outermost first."""
    frames: list[Frame] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_generated(frame):
            frames.append(Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return frames[::-1]


def is_generated(frame: FrameType) -> bool:
    """Is it code that a module of some file had written for it, as ``@dataclass`` does? Nobody has a line of that."""
    return frame.f_code.co_filename.startswith(_WRITTEN_FOR) and "__file__" in frame.f_globals


def _package_of_main(libraries: tuple[str, ...]) -> str | None:
    """Where the program itself is an installed package (``-m``), its package is the user's code, too."""
    main = sys.modules.get("__main__")
    file = str(getattr(main, "__file__", None) or "")
    package = str(getattr(main, "__package__", None) or "")
    if not file or not package or not os.path.abspath(file).startswith(libraries):
        return None
    top = package.split(".")[0]
    directory = os.path.abspath(file)
    while os.path.basename(directory) != top and len(directory) > 1:
        directory = os.path.dirname(directory)
    return directory + os.sep
