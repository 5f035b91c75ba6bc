"""Is the message in the package? Packages are made up here, but for Python itself, TensorFlow and our own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.knowledge.handmade_base import fields, problems_after
from traceonce.knowledge.expressions import fixed_parts
from traceonce.knowledge.provenance import find_texts, look_up, package_files
from traceonce.knowledge.record import Record

SOURCE = """
raise ValueError(f"The shape of {name} changed from {old} to "
                 f'{new}, which is not'
                 " allowed inside of a "
                 + "`compiled` function (see \\
the guide).\\n  It was compiled here.")
raise TypeError("Counting the number of " + what)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A package with a source and a binary; its name is new in each test, since findings are kept."""
    name = f"made_up_{abs(hash(request.node.name))}"
    folder = tmp_path / name
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ImportError('it must not be imported')", encoding="utf-8")
    (folder / "inner" / "errors.py").write_text(SOURCE, encoding="utf-8")
    (folder / "inner" / "text.md").write_text("only in the documentation", encoding="utf-8")
    (folder / "native.so.2").write_bytes(
        b"\x7fELF\0\0Cannot lower this operation\0must be known\nat compile time\0\xff"
    )
    (folder / "empty.so").write_bytes(b"")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("changed from", True),
        ("which is not allowed inside of a `compiled` function (see the guide). It was compiled here", True),
        ("Cannot lower this operation", True),
        ("must be known at compile time", True),
        ("Cannot lower that operation", False),
        ("only in the documentation", False),
        ("it must not be imported", True),
        ("Counting the number of layers", True),  # a value was put in
        ("The shape of x changed from 3 to 4, which is not allowed inside of", True),
        ("Counting the number of elephants in every room of the house", False),
        ("the number of", True),
        ("about the number of", False),  # no string begins where it was cut off
        ("changed to", False),
    ],
)
def test_texts_in_sources_and_binaries(package: str, text: str, there: bool) -> None:
    assert find_texts(package, [text]) == {text: there}
    assert find_texts(package, [text]) == {text: there}  # remembered


def test_many_at_once(package: str) -> None:
    wanted = ["Cannot lower this", "Cannot lower this operation", "must be known", "changed from", "nowhere at all"]
    assert find_texts(package, wanted) == dict.fromkeys(wanted, True) | {"nowhere at all": False}


@pytest.mark.parametrize("name", ["no_such_package_here", "os.path", "", "../..", "tensorflow.python", "a b"])
def test_what_is_not_installed(name: str) -> None:
    assert find_texts(name, ["anything"]) is None
    record = Record(id="x/y", signature="s", regex="some fixed text", domain="x", raised_by=name or None)
    (finding,) = look_up([record])
    assert finding is not None
    assert finding.missing is None


def test_python_itself() -> None:
    found = find_texts("python", ["maximum recursion depth exceeded", "dictionary changed size", "unheard-of message"])
    assert found is not None
    assert list(found.values()) == [True, True, False]


def test_our_own_messages_are_those_that_we_print_not_those_that_we_know_about() -> None:
    limit = "The tracing limit has been reached. This may be caused by passing Python literals"
    found = find_texts("traceonce", [limit, "dictionary changed size during iteration"])
    assert found == {limit: True, "dictionary changed size during iteration": False}


def test_tensorflow() -> None:
    """Against the real thing: sources, binaries, a message put together from two texts, and the seed's."""
    if package_files("tensorflow") is None:
        pytest.skip("TensorFlow is not installed here")
    found = find_texts(
        "tensorflow",
        [
            "triggered tf.function retracing. Tracing is expensive",
            "must be a compile-time constant",
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed",
            "has been retraced",
            "tracing limit",
        ],
    )
    assert found is not None
    assert list(found.values()) == [True, True, True, False, False]


def test_nothing_is_imported() -> None:
    code = """
import sys
from traceonce.knowledge.provenance import find_texts
find_texts("keras", ["has been retraced"])
find_texts("json", ["x"])
sys.exit("tensorflow" in sys.modules or "keras" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        (
            "The function.*has been retraced.*times.*tracing limit",
            ["The function", "has been retraced", "tracing limit"],
        ),
        (r"retraced[ ,].*\ba Python (?:int|float)\b", ["retraced", "a Python"]),
        (r"TypeError: Cannot iterate over (?P<name>\w+)\.", ["Cannot iterate over"]),
        (r"one\s+word +another \(really\)", ["one word another (really)"]),
        (r"(?:fixed text )+(?:optional text)?(?:optional words)*", ["fixed text"]),
        (r"^at the start (?:of a line)$", ["at the start of a line"]),
        ("short", ["short"]),
        ("ab.*cde", ["cde"]),
        (r"\pN+ fixed text\z", ["fixed text"]),
        ("(?i)in any case", []),
        ("before (?i:in any case) after it", ["after it"]),
        ("before it (?i)in any case", []),
        ("(" * 500 + "fixed text" + ")" * 500, []),
        ("(?:or nothing)?", []),
        (".*", []),
    ],
)
def test_fixed_parts(expression: str, parts: list[str]) -> None:
    assert fixed_parts(expression) == [(part,) for part in parts]


def test_of_alternatives_one_must_be_there() -> None:
    """A message has another wording in another version."""
    assert fixed_parts("(?:old words here|newer words here) end") == [("old words here", "newer words here")]
    assert fixed_parts("one wording|(?:two words|or three) here") == [("one wording", "two words", "or three")]
    record = Record(id="x/y", signature="", regex="(?:unheard-of message|dictionary changed size)", raised_by="python")
    (finding,) = look_up([record])
    assert finding is not None
    assert finding.missing == []


def test_the_rule(tmp_path: Path) -> None:
    def unheard(record: dict[str, object]) -> None:
        record |= {"regex": "dictionary changed size|unheard of", "raised_by": "no_such_package_here"}

    found = problems_after(tmp_path / "a", unheard, provenance=True)
    assert [(problem.field, problem.level) for problem in found] == [("regex", "note")]
    assert "is not installed here" in found[0].what
    found = problems_after(tmp_path / "b", lambda record: record.update(raised_by="traceonce"), provenance=True)
    assert fields(found, "error") == ["regex"]
    assert "'dictionary changed size during iteration': found nowhere in 'traceonce'" in found[0].what
    assert problems_after(tmp_path / "c", lambda record: record.update(raised_by="traceonce")) == []
