"""Where our own files lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.home import cache_folder, state_folder


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("TRACEONCE_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_where_the_system_keeps_such_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (state_folder(), cache_folder()) == (tmp_path / ".local/state/traceonce", tmp_path / ".cache/traceonce")
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    assert state_folder() == Path("/elsewhere/traceonce")


@pytest.mark.parametrize("variable", ["TRACEONCE_HOME", "XDG_STATE_HOME"])
def test_a_tilde_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """A shell leaves it as it is where it stands in quotes: TRACEONCE_HOME='~/x' made a folder called ~."""
    monkeypatch.setenv(variable, "~/x")
    assert state_folder() == tmp_path / ("x" if variable == "TRACEONCE_HOME" else "x/traceonce")
