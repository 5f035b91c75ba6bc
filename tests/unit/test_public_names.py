"""What a user finds in `traceonce`, and what has another name by now."""

from __future__ import annotations

import importlib
import sys

import pytest

import traceonce


def test_completion_offers_what_is_public_and_nothing_else() -> None:
    assert dir(traceonce) == sorted([*traceonce.__all__, "keras"])
    for name in traceonce.__all__:
        assert getattr(traceonce, name) is not None


def test_an_old_name_goes_on_working_and_says_so() -> None:
    sys.modules.pop("traceonce.backends", None)
    with pytest.warns(DeprecationWarning, match=r"traceonce\.frameworks"):
        old = importlib.import_module("traceonce.backends")
    assert old.fake is importlib.import_module("traceonce.frameworks.fake")


def test_what_logs_says_whether_it_still_does() -> None:
    logging = traceonce.log_retraces()
    assert repr(logging) == "<traceonce.log_retraces: in force>"
    logging.remove()
    assert repr(logging) == "<traceonce.log_retraces: removed>"
