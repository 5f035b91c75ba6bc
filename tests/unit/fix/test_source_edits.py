"""Changes: what was asked for is changed, and every other byte of the file stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from tests.unit.fix.source_places import FILE, edits_of, result_of
from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module


def change_number(data: bytes) -> bytes:
    """The file with every 41 in it made 42, through the machinery."""
    edits = Edits({FILE: data})
    module = edits.module(FILE)
    for number in module.nodes(cst.Integer):
        if number.value == "41":
            edits.replace(module, number, cst.Integer("42"))
    return edits.results()[FILE]


FILES = {
    "comments, quotes, blank lines": b"#!/usr/bin/python\n\n\nx = 'a' \"b\"  # c\n\n\n\ny=[41 , ]  ;z = 1\n# end\n\n",
    "tabs": b"if 1:\n\tif 2:\n\t\tx = 41\t# tab\n\ty = 2\n",
    "tabs and blanks": b"if 1:\n\tx = 41\nif 2:\n   y = 41\n",
    "windows newlines": b"x = 41\r\nif x:\r\n    y = '''a\r\nb'''\r\n",
    "mixed newlines": b"x = 41\r\ny = 2\nz = 3\r\n",
    "byte order mark": b"\xef\xbb\xbf# top\nx = '\xc3\xa9', 41\n",
    "coding cookie": b"# -*- coding: latin-1 -*-\nx = '\xe9', 41\n",
    "cookie on line two": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80', 41\n",
    "shift_jis": "# coding: shift_jis\nx = '日本', 41\n".encode("shift_jis"),
    "no newline at the end": b"def f():\n    return 41",
    "comment without newline at the end": b"x = 41\n# the end",
    "form feed": b"x = 41\n\x0c\ndef f():\n    pass\n",
    "backslashes": b"x = 1 + \\\n    41\nassert x, \\\n  'no'\n",
    "blank lines with blanks": b"def f():\n    x = 41\n    \n  \n    return x\n   \n",
    "unicode line separators": "x = 'a\u2028b\x85', 41\n".encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_everything_else_stays_byte_for_byte(name: str, tmp_path: Path) -> None:
    """As a file on a disk, whatever it looks like."""
    path = tmp_path / "m.py"
    path.write_bytes(FILES[name])
    path.write_bytes(change_number(path.read_bytes()))
    assert path.read_bytes() == FILES[name].replace(b"41", b"42")


def test_new_lines_are_written_as_the_file_writes_them() -> None:
    """Windows newlines and tabs, also in statements of ours; the file still ends without a newline."""
    source = b"import tensorflow as tf\r\ndef f(x):\r\n\treturn x"
    edits = Edits({FILE: source})
    module = edits.module(FILE)
    function = module.function_at(2, "f")
    assert isinstance(function, cst.FunctionDef)
    edits.insert_before(module, function, *edits.statements(module, "if 1:\n    a = tf.zeros([])\n"))
    edits.insert_before(module, function.body.body[0], *edits.statements(module, "# why\nx += 1"))
    edits.insert_after(module, function, *edits.statements(module, "f(a)"))
    before = b"import tensorflow as tf\r\nif 1:\r\n\ta = tf.zeros([])\r\n"
    assert edits.results() == {FILE: before + b"def f(x):\r\n\t# why\r\n\tx += 1\r\n\treturn x\r\nf(a)"}


def test_a_file_that_cannot_be_kept_as_it_is_is_declined() -> None:
    """Newlines of the old Macintosh: the parser would write others."""
    with pytest.raises(Declined, match="cannot be written back"):
        change_number(b"x = 41\ry = 2\r")


def test_a_character_that_the_file_cannot_hold_is_declined() -> None:
    """A Latin-1 file does not silently become something else."""
    edits = Edits({FILE: b"# coding: latin-1\nx = 41\n"})
    module = edits.module(FILE)
    edits.replace(module, module.nodes(cst.Integer)[0], cst.SimpleString("'→'"))
    with pytest.raises(Declined, match="iso-8859-1"):
        edits.results()


def test_a_file_outside_the_project_is_declined() -> None:
    """Libraries are never touched."""
    with pytest.raises(Declined, match="is outside the project"):
        edits_of("").module("site-packages/keras/layer.py")


def test_files_that_do_not_change_are_left_out() -> None:
    """Also where a change comes to nothing."""
    edits = Edits({FILE: b"x = 1\n", "other.py": b"y = 2\n"})
    module = edits.module(FILE)
    edits.replace(module, module.nodes(cst.Integer)[0], lambda node: node)
    other = edits.module("other.py")
    edits.replace(other, other.nodes(cst.Integer)[0], cst.Integer("3"))
    assert edits.results() == {"other.py": b"y = 3\n"}


def calls(module: Module) -> dict[str, cst.Call]:
    return {cst.ensure_type(call.func, cst.Name).value: call for call in module.nodes(cst.Call)}


def test_a_change_sees_the_changes_inside_it() -> None:
    """The inner call is changed first, whatever the order in which changes came."""
    edits = edits_of("x = f(g(1))\n")
    module = edits.module(FILE)
    found = calls(module)
    edits.replace(module, found["f"], lambda node: edits.expression(module, "h(inner)", inner=node))
    edits.replace(module, found["g"], cst.Name("y"))
    assert result_of(edits) == "x = h(f(y))\n"


def test_two_changes_of_one_place_are_refused() -> None:
    """The same node twice, or inside a node that is replaced as a whole."""
    edits = edits_of("x = f(g(1))\n")
    module = edits.module(FILE)
    found = calls(module)
    edits.replace(module, found["f"], cst.Name("y"))
    with pytest.raises(Declined, match="two changes at the same place"):
        edits.replace(module, found["f"], cst.Name("z"))
    edits.replace(module, found["g"], cst.Name("z"))
    with pytest.raises(Declined, match="two changes at the same place"):
        edits.results()


def test_changes_around_a_statement_add_up() -> None:
    """Before, after, itself."""
    edits = edits_of("a = 1\n# about b\nb = 2\nc = 3\n")
    module = edits.module(FILE)
    middle = module.tree.body[1]
    edits.insert_after(module, middle, *edits.statements(module, "after = 1"))
    edits.insert_before(module, middle, *edits.statements(module, "first = 1"))
    edits.insert_before(module, middle, *edits.statements(module, "second = 1"))
    edits.replace(module, module.nodes(cst.Integer)[1], cst.Integer("20"))
    assert result_of(edits) == "a = 1\nfirst = 1\nsecond = 1\n# about b\nb = 20\nafter = 1\nc = 3\n"


def test_a_body_on_one_line_gets_lines_of_its_own() -> None:
    """``if x: f()`` has no room for another statement."""
    edits = edits_of("for i in y: f(i)  # all\nclass C: pass\n")
    module = edits.module(FILE)
    edits.insert_before(module, module.statement(module.nodes(cst.Call)[0]), *edits.statements(module, "i += 1"))
    owner = module.tree.body[1]
    assert isinstance(owner, cst.ClassDef)
    edits.append(module, owner, *edits.statements(module, "x = 1"))
    assert result_of(edits) == "for i in y:\n    i += 1\n    f(i)  # all\nclass C:\n    pass\n    x = 1\n"


def test_removing() -> None:
    """The comment right above goes along, those further up stay; an emptied body gets `pass`."""
    body = "    # part one\n\n    # about a\n    a = 1\n    b = 2\n    # last part\n\n    c = 3\n"
    edits = edits_of(f"def f():\n{body}if f:\n    d = 4\n")
    module = edits.module(FILE)
    for number in module.nodes(cst.Integer):
        if number.value in "134":
            edits.remove(module, module.statement(number))
    assert result_of(edits) == "def f():\n    # part one\n\n    b = 2\n    # last part\n\nif f:\n    pass\n"


def test_a_decorator_can_be_removed() -> None:
    """The others stay, with their comments."""
    edits = edits_of("# f\n@a  # first\n@b\n# c\n@c\ndef f(): pass\n")
    module = edits.module(FILE)
    function = module.nodes(cst.FunctionDef)[0]
    edits.remove(module, function.decorators[1])
    assert result_of(edits) == "# f\n@a  # first\n# c\n@c\ndef f(): pass\n"


def test_what_is_not_python_is_declined() -> None:
    """A mistake of ours never reaches a file."""
    edits = edits_of("x = f(1)\n")
    module = edits.module(FILE)
    edits.replace(module, module.nodes(cst.Assign)[0].value, cst.parse_module("return 1\n").body[0].body[0])
    with pytest.raises(Declined, match="would not be valid Python"):
        edits.results()


@pytest.mark.parametrize(
    ("part", "template", "expected"),
    [
        ("a + b", "tf.constant(v, tf.int32)", "tf.constant(a + b, tf.int32)"),
        ("a + b", "v * 2", "(a + b) * 2"),
        ("a if b else c", "v.x", "(a if b else c).x"),
        ("a.b[0]", "-v", "-a.b[0]"),
        ("a, b", "f(v)", "f((a, b))"),
        ("(a, b)", "f(v)", "f((a, b))"),
        ("x for x in y", "f(v, 1)", "f((x for x in y), 1)"),
        ("[1, 2]", "v + [3]", "[1, 2] + [3]"),
        ("tf.keep", "f(tf.v, tf=v, v=1)", "f(tf.v, tf=tf.keep, v=1)"),
    ],
)
def test_parts_of_the_users_are_put_in_as_they_are(part: str, template: str, expected: str) -> None:
    """With brackets only where they are needed; attributes and keywords are not names."""
    edits = edits_of("import tensorflow as tf\n")
    module = edits.module(FILE)
    node: Any = cst.ensure_type(cst.parse_module(f"f({part})\n").body[0], cst.SimpleStatementLine).body[0]
    node = cst.ensure_type(node.value, cst.Call).args[0].value if "," not in part or part[0] in "([" else None
    if node is None:
        node = cst.Tuple([cst.Element(cst.Name("a")), cst.Element(cst.Name("b"))], lpar=[], rpar=[])
    assert module.code(edits.expression(module, template, v=node)) == expected
