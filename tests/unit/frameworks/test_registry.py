"""Which frameworks there are: those of other packages, under today's entry points and under the earlier ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from traceonce.frameworks.base.registry import Known, known_backends


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that packages can be installed in; what is there is looked through anew, and forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    known_backends.cache_clear()
    yield tmp_path
    known_backends.cache_clear()


def install(site: Path, written: str) -> None:
    facts = site / "toys-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(written)


def test_the_earlier_group_goes_on_working(site: Path) -> None:
    """And says what to call it."""
    install(site, "[traceonce.backends]\ntoys = toys.for_traceonce:Toys\n")
    with pytest.warns(DeprecationWarning, match=r"toys: .*traceonce\.backends is called traceonce\.frameworks now"):
        found = known_backends()
    assert Known("toys", "toys", "toys.for_traceonce:Toys") in found


def test_a_package_that_has_both_means_the_new_one(site: Path) -> None:
    """For it to be found by both versions of traceonce: nothing is to be said."""
    install(site, "[traceonce.backends]\ntoys = toys.old:Toys\n[traceonce.frameworks]\ntoys = toys.new:Toys\n")
    found = known_backends()
    assert [known.target for known in found if known.name == "toys"] == ["toys.new:Toys"]


def test_whoever_only_has_such_a_package_does_not_fail(site: Path) -> None:
    """Their program may make errors of warnings."""
    install(site, "[traceonce.backends]\ntoys = toys.for_traceonce:Toys\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert any(known.name == "toys" for known in known_backends())
