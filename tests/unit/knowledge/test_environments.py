"""An environment per version: what is asked for, where it lies, and that nothing half made is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.errors import UsageError
from traceonce.knowledge import environments
from traceonce.knowledge.environments import environments_folder, parse_requirements, python_with


def test_requirements_are_exact_versions() -> None:
    assert parse_requirements("tensorflow==2.16.2, tensorflow-cpu==2.21.0,") == [
        "tensorflow==2.16.2",
        "tensorflow-cpu==2.21.0",
    ]


@pytest.mark.parametrize("text", ["tensorflow", "tensorflow>=2.16", "==2.16", "-r x==1", "a b==1", "x==../..", "", ","])
def test_what_is_no_exact_version(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--against.*NAME==VERSION"):
        parse_requirements(text)


def test_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEONCE_HOME", "/some/home")
    assert environments_folder() == Path("/some/home/environments")
    monkeypatch.delenv("TRACEONCE_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert environments_folder() == Path("/some/cache/traceonce/environments")


def test_what_cannot_be_installed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said: list[str] = []
    with pytest.raises(
        UsageError, match=r"^--against tensorflow==0\.0\.1: cannot be installed for Python 3\.\d+: ERROR"
    ):
        python_with("tensorflow==0.0.1", said.append)
    assert said == ["creating an environment with tensorflow==0.0.1 (once; takes a minute or more)"]
    assert list((tmp_path / "environments").iterdir()) == []


def test_one_that_is_there_is_used_with_the_package_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEONCE_HOME", str(tmp_path))
    python = Path(python_of(tmp_path, "tensorflow-2.16.2"))
    site = python.parents[1] / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (site / "traceonce").symlink_to(tmp_path)  # an earlier place of ours
    assert python_with("tensorflow==2.16.2", pytest.fail) == str(python)
    assert (site / "traceonce").resolve() == Path(environments.__file__).resolve().parents[1]


def python_of(home: Path, name: str) -> str:
    """An environment that was made before."""
    import sys

    folder = home / "environments" / f"{name}-py{sys.version_info[0]}.{sys.version_info[1]}"
    folder.mkdir(parents=True)
    (folder / "made-by-traceonce").touch()
    return str(folder / "bin" / "python")
