"""What was copied is imported from its copy, whatever finder leads to the original."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from tests.unit.prove.test_scratch import make
from traceonce.prove.copied_modules import CopiedModules


class EditableFinder:
    """As setuptools installs one for a project whose packages do not lie in a folder of their own."""

    def __init__(self, mapping: dict[str, Path]) -> None:
        self._mapping = mapping

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        folder = self._mapping.get(fullname)
        return importlib.util.spec_from_file_location(fullname, folder / "__init__.py") if folder is not None else None


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    for copy in ("user", "copy"):
        make(
            tmp_path / copy,
            {f"own_{part}/{file}.py": f"x = '{copy}'" for part in "ab" for file in ("__init__", "inner")},
        )
    make(tmp_path / "other", {"far_away/__init__.py": "x = 'as it is'"})
    make(tmp_path / "shelf", {"a_library/__init__.py": "x = 'copy'"})
    before = list(sys.meta_path)
    yield tmp_path
    sys.meta_path[:] = before
    for name in [name for name in sys.modules if name.startswith(("own_", "far_away", "a_library"))]:
        del sys.modules[name]


def value(name: str) -> object:
    return importlib.import_module(name).__dict__["x"]


def test_an_editable_install_of_the_project_is_imported_from_its_copy(folders: Path) -> None:
    sys.meta_path.append(
        EditableFinder({"own_a": folders / "user" / "own_a", "far_away": folders / "other" / "far_away"})
    )
    note = folders / "imported.txt"
    CopiedModules({"a_library": str(folders / "shelf")}, {str(folders / "user"): str(folders / "copy")}, note).install()
    assert [value("own_a"), value("own_a.inner"), value("far_away")] == ["copy", "copy", "as it is"]
    assert not note.exists()
    assert value("a_library") == "copy"
    assert note.read_text() == "a_library\n"
    with pytest.raises(ImportError):
        value("own_nothing")
