"""Commands that are suggested: a shell reads the very words that are meant."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.hostile_texts import assert_safe, hostile, unhurried
from traceonce.console.program_command import split_arguments
from traceonce.facts.command_line import LONGEST, as_file, fix_words, quoted, suggested
from traceonce.facts.printable import in_line

BASH = shutil.which("bash")


@unhurried
@given(st.lists(hostile))
def test_every_command_can_be_printed(words: list[str]) -> None:
    line = "traceonce " + quoted(words)
    assert_safe(line)
    assert in_line(line) == line


@unhurried
@given(st.lists(hostile))
def test_words_that_can_be_shown_survive_as_they_are(words: list[str]) -> None:
    words = [word for word in words if in_line(word) == word]
    assert shlex.split(quoted(words)) == words


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@unhurried
@given(st.lists(hostile, min_size=1))
def test_a_shell_reads_every_word_as_it_was(words: list[str]) -> None:
    words = [word.replace("\0", "") for word in words]  # no argument can have one
    try:
        expected = [os.fsencode(word) for word in words]
    except UnicodeEncodeError:
        assume(False)
    assert BASH is not None
    done = subprocess.run([BASH, "-c", f"printf '%s\\0' {quoted(words)}"], capture_output=True, check=True, timeout=60)
    assert done.stdout.split(b"\0")[:-1] == expected


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (("my train.py", "--write", "$(id)"), ("script", "my train.py", ("--write", "$(id)"))),
        (("train.py", "--", "x"), ("script", "train.py", ("--", "x"))),
        (("--", "-odd.py", "--write"), ("script", "-odd.py", ("--write",))),
        (("-m", "package.train", "--json", "x"), ("module", "package.train", ("--json", "x"))),
        (("-mpackage.train", "a b"), ("module", "package.train", ("a b",))),
        (("-c", "import a\na.b('c')"), ("code", "import a\na.b('c')", ())),
    ],
)
def test_fix_is_given_the_program_as_it_was_started(
    command: tuple[str, ...], program: tuple[str, str, tuple[str, ...]]
) -> None:
    words = fix_words(command)
    assert words is not None
    assert words[:2] == ["traceonce", "fix"]
    ours, target = split_arguments(words[2:], {"--json"})
    assert ours == []
    assert target is not None
    assert (target.kind, target.name, target.arguments) == program


@pytest.mark.parametrize("command", [(), ("pytest",), ("-u", "train.py"), ("-",)])
def test_a_program_that_is_not_named_gets_no_command(command: tuple[str, ...]) -> None:
    assert fix_words(command) is None


def test_half_a_command_is_not_suggested() -> None:
    assert suggested(["x" * LONGEST]) is not None
    assert suggested(["x" * (LONGEST + 1)]) is None


def test_a_file_is_not_taken_for_an_option() -> None:
    assert as_file("-rf") == "./-rf"
    assert as_file("a/-rf") == "a/-rf"
