"""A small program that makes a cause happen: in the docs, at the command line, and run by the tests."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A whole program in one framework.

    Its report has the cause at `path`; `record` is the slug of the record that explains it, where there is one.
    """

    program: str
    path: str
    record: str = ""
