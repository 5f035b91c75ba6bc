"""Diffs: the tools that people apply them with take them, and make exactly the changed files of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from traceonce.facts.fix import Edit
from traceonce.fix.project.diffs import line_edits, patch, unified_diff

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1", "--binary", "--silent"]}
CHANGES = {
    "plain": (b"a = 1\nb = 2\n", b"a = 1\nb = 3\nc = 4\n"),
    "far apart": (b"x\n" * 40, b"y\n" + b"x\n" * 38 + b"z\n"),
    "no newline, before and after": (b"a = 1\nb = 2", b"a = 1\nb = 3"),
    "a newline comes": (b"a = 1", b"a = 1\n"),
    "a newline goes": (b"a = 1\nb = 2\n", b"a = 1\nb = 2"),
    "windows newlines": (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
    "mixed newlines": (b"a = 1\r\nb = 2\nc\r\n", b"a = 1\r\nb = 3\nc\r\n"),
    "latin-1": (b"# coding: latin-1\na = '\xe9'\nb = 1\n", b"# coding: latin-1\na = '\xe9'\nb = 2\n"),
    "byte order mark": (b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 3\nb = 2\n"),
    "odd line ends inside": ("a = '\u2028\x0c'\nb = 1\n".encode(), "a = '\u2028\x0c'\nb = 2\n".encode()),
    "into an empty file": (b"", b"a = 1\n"),
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", CHANGES)
def test_the_tools_take_it(tool: str, name: str, tmp_path: Path) -> None:
    """The file in a folder of the project becomes what it should, byte for byte."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    before, after = CHANGES[name]
    target = tmp_path / "src" / "train.py"
    target.parent.mkdir()
    target.write_bytes(before)
    text = patch({"src/train.py": (before, after)}, tmp_path)
    subprocess.run(TOOLS[tool], cwd=tmp_path, input=text, check=True)
    assert target.read_bytes() == after


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("file", ["a b.py", "größe.py", 'quo"te.py'])
def test_odd_names_and_several_files(tool: str, file: str, tmp_path: Path) -> None:
    """One diff for all; a name in full is written from the folder on."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    changes = {file: (b"a\n", b"b\n"), str(tmp_path / "full.py"): (b"c\n", b"d\n")}
    for name, (before, _) in changes.items():
        (tmp_path / name).write_bytes(before)
    subprocess.run(TOOLS[tool], cwd=tmp_path, input=patch(changes, tmp_path), check=True)
    assert (tmp_path / file).read_bytes() == b"b\n"
    assert (tmp_path / "full.py").read_bytes() == b"d\n"


def test_it_reads_as_people_know_it(tmp_path: Path) -> None:
    """In the encoding of the file."""
    before = "# coding: latin-1\nname = 'é'\nx = 1".encode("latin-1")
    after = before.replace(b"1", b"2").replace(b"latin-2", b"latin-1")
    assert unified_diff({"m.py": (before, after)}, tmp_path) == (
        "--- a/m.py\n+++ b/m.py\n@@ -1,3 +1,3 @@\n # coding: latin-1\n name = 'é'\n"
        "-x = 1\n\\ No newline at end of file\n+x = 2\n\\ No newline at end of file\n"
    )
    assert unified_diff({}, tmp_path) == ""


@pytest.mark.parametrize("name", CHANGES)
def test_line_edits_make_the_new_file(name: str) -> None:
    """Replaying them from the last to the first gives the new text."""
    before, after = CHANGES[name]
    encoding = "latin-1" if name == "latin-1" else "utf-8"
    lines = before.decode(encoding).split("\n")
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    for edit in reversed(line_edits("m.py", before, after)):
        lines[edit.start - 1 : edit.end] = [edit.replacement]
    assert "".join(lines).encode(encoding) == after


def test_line_edits_count_from_one() -> None:
    """Replaced, put in, taken out."""
    before, after = b"a\nb\nc\nd\n", b"A\nb\nnew\nc\n"
    assert line_edits("m.py", before, after) == [
        Edit("m.py", 1, 1, "A\n"),
        Edit("m.py", 3, 2, "new\n"),
        Edit("m.py", 4, 4, ""),
    ]
