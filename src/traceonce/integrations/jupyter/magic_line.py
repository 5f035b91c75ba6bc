"""What may stand after ``%%traceonce``: options, and in a line the code that they are for."""

from __future__ import annotations

import argparse
import keyword
import os
import re
import shlex
from pathlib import Path
from typing import NamedTuple, NoReturn, cast, get_args

from traceonce.errors import UsageError
from traceonce.frameworks.base.registry import wrappers
from traceonce.words.translated import Language

FORMS = ("html", "text", "markdown")
_WITH_VALUE = {"--format", "--lang", "-o", "--output", "--name"}
_WORD = re.compile(r"""((?:[^\s"']|"[^"]*"|'[^']*')+)(?:\s+|$)""")
_ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


class Options(NamedTuple):
    """How a cell is to be reported. Without a `form` the front end decides."""

    form: str | None = None
    language: Language = "en"
    output: Path | None = None
    quiet: bool = False
    name: str | None = None
    help: bool = False


def describe_options() -> str:
    """What `--help` shows."""
    return _make_parser().format_help()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%traceonce: {message}; %traceonce --help lists the options.")


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="traceonce",
        add_help=False,
        allow_abbrev=False,
        usage="%%%%traceonce [OPTIONS], with code in the lines below; or %%traceonce [OPTIONS] CODE",
        description=f"Watch every trace of {', '.join(wrappers())} here, and show why each was made.",
    )
    add = parser.add_argument
    add("--format", choices=FORMS, help="the form of the report: html in a notebook, text elsewhere")
    add("--lang", choices=get_args(Language), default="en", help="the language of html and markdown (en)")
    add("-o", "--output", metavar="FILE", help="write the report to this file, and show its first line only")
    add("--quiet", action="store_true", help="show nothing; --name keeps what was seen")
    add("--name", metavar="VARIABLE", help="keep what was seen, a traceonce.Watch, in this variable")
    add("--help", action="store_true", help="show this text")
    return parser


def parse_line(line: str) -> tuple[Options, str]:
    """The options that a line begins with, and the code after them."""
    words, code = _split(line)
    given = _make_parser().parse_args(words)
    if given.help:
        return Options(help=True), code
    if given.name is not None and (not given.name.isidentifier() or keyword.iskeyword(given.name)):
        raise UsageError(f"%traceonce: --name {given.name}: is no name of a variable.")
    output = _check_output(given.output) if given.output is not None else None
    form = given.format or (_ENDINGS.get(output.suffix.lower(), "text") if output else None)
    if given.lang == "zh" and form == "text":
        raise UsageError("%traceonce: --lang zh: the text report is in English; use --format html or markdown.")
    return Options(form, cast(Language, given.lang), output, given.quiet, given.name), code


def _split(line: str) -> tuple[list[str], str]:
    """Words that are options or their values, and the rest as it is: quotes in code mean something else."""
    words: list[str] = []
    rest = line.strip()
    while rest.startswith("-"):
        word, rest = _next_word(rest)
        if word == "--":
            break
        words.append(word)
        if word in _WITH_VALUE and rest:
            value, rest = _next_word(rest)
            words.append(value)
    return words, rest


def _next_word(text: str) -> tuple[str, str]:
    found = _WORD.match(text)
    if found is None:
        raise UsageError(f"%traceonce: a quotation mark is not closed: {text}")
    return "".join(shlex.split(found[1], comments=False)), text[found.end() :]


def _check_output(name: str) -> Path:
    """Find out before a long cell, not after it, that the report cannot be written."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise UsageError(f"%traceonce: -o {name}: is a folder; name a file.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"%traceonce: -o {name}: no folder {path.parent}; create it first.")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise UsageError(f"%traceonce: -o {name}: not writable; check its permissions.")
    return path
