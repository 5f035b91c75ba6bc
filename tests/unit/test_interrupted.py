"""Ctrl-C before a command has made arrangements of its own."""

from __future__ import annotations

import sys
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from traceonce.commands.main import Traceonce


def test_an_interrupted_command_ends_as_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def stop() -> None:
        raise KeyboardInterrupt

    module = ModuleType("stopping")
    module.__dict__["command"] = stop
    monkeypatch.setitem(sys.modules, "stopping", module)
    found = CliRunner().invoke(Traceonce("traceonce", table={"stop": ("stopping", "")}), ["stop"])
    assert (found.exit_code, found.output) == (130, "traceonce: interrupted\n")
