"""Every recording that the schema allows is told in every form, within seconds; those that no run would write, too.

A hang shows as one: what takes longer than a minute ends this process, with the stacks of its threads.
"""

from __future__ import annotations

import faulthandler
import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.recordings_by_schema import recordings
from traceonce.analysis.error_records import explain_run
from traceonce.analysis.material import find_out
from traceonce.errors import RecordingError
from traceonce.facts import Recording
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index
from traceonce.report.base import FORMS, find_renderer

INDEX = Index(Collection())
LONGEST = 60.0  # seconds for one recording in all forms, on a machine that is busy


@pytest.fixture(autouse=True)
def ended_where_it_hangs() -> Iterator[None]:
    yield
    faulthandler.cancel_dump_traceback_later()


def tell(data: bytes) -> None:
    """In every form, in every language it has."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        recording = Recording.from_bytes(data)
    except RecordingError:
        return
    for name, form in FORMS.items():
        for language in ("en", "zh") if form.in_chinese else ("en",):
            told = find_renderer(name)(find_out(recording, name, language))
            assert isinstance(told, str)
            if name in ("json", "sarif", "chrome"):
                json.loads(told, parse_constant=pytest.fail)
    explain_run(recording, INDEX)


@given(recordings())
@settings(
    max_examples=150,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_whatever_the_schema_allows(data: bytes) -> None:
    tell(data)
