"""What may stand after ``%%traceonce``: options, told apart from code, and refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.errors import UsageError
from traceonce.integrations.jupyter.magic_line import Options, describe_options, parse_line


@pytest.mark.parametrize(
    ("line", "options", "code"),
    [
        ("", Options(), ""),
        ("train()", Options(), "train()"),
        ("--format text train('a  b', \"c\")", Options("text"), "train('a  b', \"c\")"),
        ("--format=markdown --lang zh", Options("markdown", "zh"), ""),
        ("--lang zh", Options(None, "zh"), ""),
        ("--quiet --name seen", Options(quiet=True, name="seen"), ""),
        ("--quiet x - 1", Options(quiet=True), "x - 1"),
        ("--quiet -- -x", Options(quiet=True), "-x"),
        ("  --help ", Options(help=True), ""),
    ],
)
def test_options_come_first_and_the_rest_is_code_as_it_is(line: str, options: Options, code: str) -> None:
    assert parse_line(line) == (options, code)


@pytest.mark.parametrize(
    ("name", "form"), [("a b.html", "html"), ("r.HTM", "html"), ("r.md", "markdown"), ("r.log", "text")]
)
def test_the_name_of_a_file_says_its_form(name: str, form: str, tmp_path: Path) -> None:
    options, _ = parse_line(f"-o '{tmp_path / name}'")
    assert (options.output, options.form) == (tmp_path / name, form)


def test_a_form_that_is_named_counts_for_more_than_the_name_of_the_file(tmp_path: Path) -> None:
    assert parse_line(f"-o {tmp_path}/r.html --format text")[0].form == "text"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("--format pdf", "--format.*pdf.*html"),
        ("--lang fr", "--lang.*fr.*zh"),
        ("--format", "--format.*expected one argument"),
        ("--fast", "unrecognized arguments: --fast.*--help"),
        ("--quie", "unrecognized arguments: --quie"),
        ("-x", "unrecognized arguments: -x"),
        ("--name 3x", "--name 3x: is no name"),
        ("--name for", "--name for: is no name"),
        ("--name 'x", "not closed"),
        ("--lang zh --format text", "text report is in English"),
        ("-o /", "is a folder"),
        ("-o /nowhere/at/all.html", "no folder /nowhere/at"),
    ],
)
def test_what_is_wrong_is_named_before_anything_runs(line: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_line(line)


def test_help_knows_every_option() -> None:
    text = describe_options()
    assert text.startswith("usage: %%traceonce [OPTIONS], with code in the lines below; or %traceonce [OPTIONS] CODE\n")
    for option in ("--format", "--lang", "-o", "--output", "--quiet", "--name", "--help"):
        assert option in text
