"""Which file of the project an imported name stands for, and how another file can name it."""

from __future__ import annotations

import pytest

from traceonce.fix.candidate import Declined
from traceonce.fix.project.modules import file_meant, full_name, name_there
from traceonce.fix.source.edits import Edits

FILES = {
    "main.py": "",
    "settings.py": "",
    "app/__init__.py": "",
    "app/settings.py": "",
    "app/core/__init__.py": "",
    "app/core/rates.py": "",
    "tool/rates.py": "",
    "tool/main.py": "",
}


def project(**sources: str) -> Edits:
    return Edits({name: text.encode() for name, text in {**FILES, **sources}.items()})


@pytest.mark.parametrize(
    ("importer", "code", "name", "expected"),
    [
        ("main.py", "import settings", "settings", "settings.py"),
        ("main.py", "import settings as s", "s", "settings.py"),
        ("main.py", "import app.settings", "app.settings", "app/settings.py"),
        ("main.py", "from app import settings", "settings", "app/settings.py"),
        ("main.py", "import app", "app", "app/__init__.py"),
        ("main.py", "import rates", "rates", None),  # two of that name, neither beside it
        ("tool/main.py", "import rates", "rates", "tool/rates.py"),
        ("app/core/rates.py", "from .. import settings", "settings", "app/settings.py"),
        ("app/settings.py", "from .core import rates", "rates", "app/core/rates.py"),
        ("app/settings.py", "from . import core", "core", "app/core/__init__.py"),
        ("main.py", "import numpy", "numpy", None),
        ("main.py", "from settings import RATE", "RATE", None),
        ("main.py", "import settings\nsettings = 3", "settings", None),
        ("main.py", "try:\n    import settings\nexcept ImportError:\n    from app import settings", "settings", None),
        ("main.py", "", "settings", None),
    ],
)
def test_what_a_name_means(importer: str, code: str, name: str, expected: str | None) -> None:
    edits = project(**{importer: f"{code}\n"})
    assert file_meant(edits, edits.module(importer), name) == expected


@pytest.mark.parametrize(
    ("importer", "code", "file", "expected"),
    [
        ("main.py", "import settings as s", "settings.py", "s"),
        ("main.py", "import app.settings", "app/settings.py", "app.settings"),
        ("main.py", "from app import settings as s", "app/settings.py", "s"),
        ("app/core/rates.py", "from .. import settings", "app/settings.py", "settings"),
        ("tool/main.py", "", "app/settings.py", "app.settings"),
    ],
)
def test_how_another_file_names_it(importer: str, code: str, file: str, expected: str) -> None:
    edits = project(**{importer: f"{code}\nhere()\n"})
    module = edits.module(importer)
    assert name_there(edits, module, module.tree.body[-1], file, "app.settings") == expected
    assert bool(edits.results()) is (code == "")


@pytest.mark.parametrize("full", ["..settings", "elsewhere.settings"])
def test_a_module_that_cannot_be_imported_there(full: str) -> None:
    edits = project(**{"main.py": "here()\n"})
    module = edits.module("main.py")
    with pytest.raises(Declined, match=r"app/settings\.py is not imported in main\.py"):
        name_there(edits, module, module.tree.body[-1], "app/settings.py", full)


def test_a_name_that_is_no_import_has_no_full_name() -> None:
    edits = project(**{"main.py": "import app.settings as s\nx = 1\n"})
    module = edits.module("main.py")
    assert full_name(module, "s.RATES") == "app.settings.RATES"
    assert full_name(module, "x") is None
    assert full_name(module, "unknown") is None
