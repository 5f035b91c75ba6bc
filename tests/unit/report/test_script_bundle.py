"""The scripts of the page, put together from modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.report.page import FOLDER
from traceonce.report.page.script_bundle import join_modules


def joined(folder: Path, **modules: str) -> str:
    for name, code in modules.items():
        (folder / f"{name}.js").write_text(code)
    return join_modules(folder, "main")


def test_what_is_imported_comes_first(tmp_path: Path) -> None:
    """Each module once, without the words that would need addresses."""
    script = joined(
        tmp_path,
        main="import {b} from './second.js';\nimport {\n  a,\n} from './first.js';\n\nrun(a, b);\n",
        second="import {a} from './first.js';\nexport const b = a + 1;\n",
        first="export const a = 1;\n",
    )
    assert [line for line in script.splitlines() if line] == ["const a = 1;", "const b = a + 1;", "run(a, b);"]


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    """In the order in which a browser would run them: the one that is met first comes after the other."""
    script = joined(
        tmp_path,
        main="import {walk} from './there.js';\nexport function come() {}\n",
        there="import {come} from './main.js';\nexport async function walk() {}\n",
    )
    assert [line for line in script.splitlines() if line] == ["async function walk() {}", "function come() {}"]


def test_two_of_a_name_are_refused(tmp_path: Path) -> None:
    """Modules could both have it; one script cannot."""
    with pytest.raises(ValueError, match=r"main\.js and other\.js both define step"):
        joined(
            tmp_path, main="import {b} from './other.js';\nconst step = b;\n", other="let step;\nexport class b {}\n"
        )


@pytest.mark.parametrize(
    "line",
    [
        "import * as all from './x.js';",
        "import {a as b} from 'x';",
        "export default 1;",
        "export {a};",
        "import './x.js';",
    ],
)
def test_other_forms_are_refused(tmp_path: Path, line: str) -> None:
    """Rather than left in a script where they mean something else."""
    with pytest.raises(ValueError, match="is no import or export that is understood here"):
        joined(tmp_path, main=f"const a = 1;\n{line}\n")


def test_a_name_is_imported_as_it_is(tmp_path: Path) -> None:
    """With another name, what is joined would not know it."""
    with pytest.raises(ValueError, match="understood"):
        joined(tmp_path, main="import {a as b} from './x.js';\n", x="export const a = 1;\n")


def test_no_module_is_forgotten() -> None:
    """Whatever lies in the folder is imported by something that the page runs."""
    script = join_modules(FOLDER / "scripts", "main")
    modules = [file.read_text(encoding="utf-8") for file in (FOLDER / "scripts").glob("*.js")]
    assert len(modules) > 30
    assert all(script.count(code.splitlines()[0]) == 1 for code in modules)
