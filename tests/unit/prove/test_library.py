"""A library that is to be repaired: found by its name, or refused; copied whole; its changes as a module."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.prove.test_scratch import make
from traceonce.errors import UsageError
from traceonce.prove.import_patch import check_module_name, write_module
from traceonce.prove.library import Library, find_libraries
from traceonce.prove.scratch import Scratch

METADATA = "Metadata-Version: 2.1\nName: curve-kit\nVersion: 1.2\n"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    folder = tmp_path / "site-packages"
    make(
        folder,
        {
            "curvekit/__init__.py": "from curvekit.inner import value\n",
            "curvekit/inner.py": "def value():\n    return 1\n",
            "curvekit/table.txt": "data",
            "curve_kit-1.2.dist-info/METADATA": METADATA,
            "curve_kit-1.2.dist-info/top_level.txt": "curvekit\n",
            "onefile.py": "x = 1\n",
            "compiled/__init__.so": "",
            "open_space/part/__init__.py": "",
            "elsewhere/open_space/other/__init__.py": "",
        },
    )
    monkeypatch.syspath_prepend(str(folder / "elsewhere"))
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return folder


def test_a_library_is_found_by_the_name_that_is_imported(installed: Path) -> None:
    package, module = find_libraries(["curvekit", "onefile", "curvekit"], [])
    assert package == Library("curvekit", installed / "curvekit", "curve-kit", "1.2")
    assert package.title == "curve-kit 1.2"
    assert package.name_of(installed / "curvekit" / "inner.py") == "curvekit/inner.py"
    assert package.path_of("curvekit/inner.py") == installed / "curvekit" / "inner.py"
    assert package.path_of("train.py") is None
    assert module == Library("onefile", installed / "onefile.py", None, None)
    assert module.name_of(module.location) == "onefile.py"
    assert module.path_of("onefile.py") == module.location


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("curve-kit", "is not an import name; that distribution provides curvekit"),
        ("curvekti", "did you mean curvekit?"),
        ("curvekit.inner", "name the whole package: --library curvekit"),
        ("no such thing", "no such package is installed"),
        ("", "no such package is installed"),
        ("json", "part of Python itself"),
        ("sys", "part of Python itself"),
        ("compiled", "no Python source"),
        ("open_space", "namespace package spread over several folders"),
        ("msgspec", "needed by traceonce itself"),
        ("tensorflow", "is the tracing framework"),
    ],
)
def test_what_cannot_be_copied_is_refused_with_the_reason(installed: Path, name: str, expected: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_libraries([name], [])
    assert expected in str(refused.value)
    assert str(refused.value).startswith(f"--library {name}: ")


def test_what_lies_in_the_project_is_the_programs_own(installed: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    make(project, {"curvekit/__init__.py": ""})
    for folders in ([installed.parent], [project]):  # the one that is installed, and one that the program would import
        with pytest.raises(UsageError, match="is part of your project"):
            find_libraries(["curvekit"], folders)


def test_a_copy_is_whole_and_made_anew(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    make(project, {"train.py": "import curvekit", "own.py": ""})
    (installed / "curvekit" / "linked").symlink_to(installed / "elsewhere")
    monkeypatch.setattr("traceonce.prove.scratch.LARGE", 1)
    monkeypatch.setattr("traceonce.prove.scratch.MOST_FILES", 1)
    libraries = find_libraries(["curvekit", "onefile"], [project])
    with Scratch(project / "train.py", project, libraries) as scratch:
        assert set(scratch.sources()) == {"curvekit/__init__.py", "curvekit/inner.py", "onefile.py"}
        scratch.renew({"curvekit/inner.py": b"changed", "onefile.py": b"y = 2"})
        copy = Path(scratch.libraries["curvekit"]) / "curvekit"
        assert (copy / "inner.py").read_bytes() == b"changed"
        assert (copy.parent / "onefile.py").read_bytes() == b"y = 2"
        assert not any(path.is_symlink() for path in copy.rglob("*")), "what is installed can be reached"
        (copy / "table.txt").write_text("written by the program")
        (copy / "new.txt").write_text("written by the program")
        scratch.renew({})
        assert (copy / "inner.py").read_text() == "def value():\n    return 1\n"
        assert (copy / "table.txt").read_text() == "data"
        assert (copy.parent / "onefile.py").read_text() == "x = 1\n"
        assert not (copy / "new.txt").exists()
        seen = json.dumps({"file": str(copy / "inner.py")}).encode()
        assert scratch.as_seen_by_user(seen) == b'{"file": "curvekit/inner.py"}'
        assert scratch.with_own_names(f'File "{copy}/inner.py"') == 'File "curvekit/inner.py"'
    assert (installed / "curvekit" / "table.txt").read_text() == "data"


USE = """\
import inspect, sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("always")
{first}
import patched
import curvekit, onefile
import linecache; linecache.clearcache()
body = inspect.getsource(curvekit.value).splitlines()[1]
print(patched.applied, curvekit.value(), ascii(onefile.x), body.split("#")[0].strip())
"""


def use(installed: Path, first: str = "") -> tuple[str, str]:
    code = USE.format(folder=str(installed), first=first)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=installed)
    return done.stdout, done.stderr


def test_a_module_changes_the_library_as_it_is_imported_or_refuses_to(installed: Path) -> None:
    libraries = find_libraries(["curvekit", "onefile"], [])
    inner = (installed / "curvekit" / "inner.py").read_bytes()
    changes = {
        "curvekit/inner.py": (inner, b"# a comment\n" + inner.replace(b"return 1", b'return 2  # \'\\n"""')),
        "onefile.py": (b"x = 1\n", "x = 'é'".encode()),
    }
    text = write_module(changes, libraries, ["value: hoist, 5 traces → 1"])
    (installed / "patched.py").write_text(text, encoding="utf-8")
    assert text.startswith("# Fixes of curve-kit 1.2 and onefile, made by traceonce ")
    assert use(installed) == ("True 2 '\\xe9' return 2\n", "")
    assert (installed / "curvekit" / "inner.py").read_bytes() == inner

    out, said = use(installed, "import curvekit")
    assert out == "False 1 1 return 1\n"
    assert "nothing was patched: curvekit is already imported; import patched before it" in said
    (installed / "onefile.py").write_text("x = 3\n")
    out, said = use(installed)
    assert out == "False 1 3 return 1\n", "one file differs, and the other library was changed"
    assert "onefile.py: differs from the file it was made for" in said
    (installed / "curve_kit-1.2.dist-info" / "METADATA").write_text(METADATA.replace("1.2", "1.3"))
    out, said = use(installed)
    assert out == "False 1 3 return 1\n"
    assert "made for curve-kit 1.2, but 1.3 is installed" in said


@pytest.mark.parametrize("name", ["patched-kit.py", "patched", "curvekit.py"])
def test_a_module_that_could_not_be_imported_is_not_written(name: str) -> None:
    with pytest.raises(UsageError, match="--patch-module"):
        check_module_name(name, ["curvekit"])
