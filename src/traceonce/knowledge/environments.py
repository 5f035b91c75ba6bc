"""An environment for each version of a framework: made when it is first asked for, and kept."""

from __future__ import annotations

import contextlib
import importlib.metadata
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from traceonce.errors import UsageError
from traceonce.home import cache_folder

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]*)")
_DONE = "made-by-traceonce"


def parse_requirements(text: str) -> list[str]:
    """Requirements like ``NAME==VERSION,NAME==VERSION``: exact versions, since evidence is of one."""
    requirements = [part.strip() for part in text.split(",") if part.strip()]
    for requirement in requirements:
        if not _REQUIREMENT.fullmatch(requirement):
            raise UsageError(f"--against {requirement!r}: is not NAME==VERSION, with an exact version.")
    if not requirements:
        raise UsageError("--against: names no version; write NAME==VERSION, several with commas between them.")
    return requirements


def environments_folder() -> Path:
    return cache_folder() / "environments"


def python_with(requirement: str, say: Callable[[str], None]) -> str:
    """The interpreter of an environment that has this version installed, and traceonce as it is here."""
    folder = environments_folder() / f"{requirement.replace('==', '-')}-py{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / "bin" / "python"
    if not (folder / _DONE).exists():
        say(f"creating an environment with {requirement} (once; takes a minute or more)")
        _make(folder, python, requirement)
    _link_ourselves(folder)
    return str(python)


def _make(folder: Path, python: Path, requirement: str) -> None:
    """All or nothing: an environment that could not be finished is removed."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        venv.create(folder, with_pip=True)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            requirement,
            *_needs(),
        ]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            told = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
            raise UsageError(
                f"--against {requirement}: cannot be installed for Python {'.'.join(map(str, sys.version_info[:2]))}: "
                f"{told[-1] if told else 'pip gave no reason'}"
            )
        (folder / _DONE).touch()
    except OSError as error:
        raise UsageError(f"{folder}: cannot create an environment there: {error}; set TRACEONCE_HOME.") from None
    finally:
        if not (folder / _DONE).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _needs() -> list[str]:
    """What traceonce itself needs to be imported."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return [need for need in importlib.metadata.requires("traceonce") or [] if "extra ==" not in need]
    return ["msgspec", "typing-extensions"]


def _link_ourselves(folder: Path) -> None:
    """The package alone, by a link: no other package of this environment gets there with it."""
    ours = Path(__file__).resolve().parents[1]
    for site in folder.glob("lib/python*/site-packages"):
        link = site / ours.name
        if link.is_symlink() and link.resolve() != ours:
            link.unlink()
        if not link.exists():
            link.symlink_to(ours, target_is_directory=True)
