"""The hub and frameworks that other packages bring: whatever is wrong with one, the program goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from traceonce.api import Watch
from traceonce.frameworks import fake
from traceonce.frameworks.base.backend import Backend, Sink
from traceonce.frameworks.base.descriptor import Framework
from traceonce.frameworks.base.registry import Known
from traceonce.observe.hub import Hub


class Careless(fake.FakeWatcher):
    """Its author has tried nothing but one run."""

    def renew(self) -> Callable[[str], int]:
        raise AttributeError("renew: nobody wrote it")

    def settle(self) -> None:
        raise ZeroDivisionError("settle")

    def stop(self) -> None:
        super().stop()
        raise RuntimeError("stop")


class Brought(Backend):
    """All that a backend has to have."""

    framework = Framework("brought", "Brought", fake.__name__, ("traceonce",))

    def watch(self, sink: Sink, *, compilations: bool = False) -> fake.FakeWatcher:
        return Careless(sink)

    def check(self) -> None:
        fake.Fake().check()


@pytest.fixture
def toy() -> fake.Function:
    return fake.function(lambda x: x)


def known(name: str) -> Known:
    assert fake.__name__ in sys.modules
    return Known(name, fake.__name__, f"{__name__}:Brought")


def test_what_fails_in_a_watcher_is_said_and_never_raised(toy: fake.Function) -> None:
    hub = Hub([known("brought")])
    with Watch(hub) as outer:
        toy(1)
        with Watch(hub) as inner:
            toy(2)
        toy(2)
    assert (outer.traces, inner.traces) == (2, 1)
    said = [notice.text for notice in outer.recording.notices if notice.error]
    assert "brought is only partly watched: AttributeError: renew: nobody wrote it" in said
    assert "brought is only partly watched: ZeroDivisionError: settle" in said


def test_a_name_that_is_not_that_of_the_entry_point_is_said(toy: fake.Function) -> None:
    """Else nothing of its descriptor would be found, and nobody would know why."""
    with Watch(Hub([known("another")])) as seen:
        toy(1)
    (notice,) = seen.recording.notices
    assert notice.text == "another is not watched: its descriptor has the name 'brought'; it must be 'another'"


def test_what_may_be_left_out_has_an_answer() -> None:
    assert Brought().request_compilations({}) is None
