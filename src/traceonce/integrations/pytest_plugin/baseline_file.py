"""The file of ``--traceonce-baseline``: read at the start of a session, written at its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from traceonce.errors import UsageError
from traceonce.facts.printable import MESSAGE, in_line
from traceonce.facts.quantities import count_of
from traceonce.integrations.pytest_plugin.traced_tests import TracedTest
from traceonce.limits.baseline import Accepted, Baseline, Functions

OPTION = "--traceonce-baseline"
UPDATE = "--traceonce-update-baseline"


def open_baseline(path: Path, *, update: bool) -> Baseline:
    """What was accepted; nothing yet, where it is about to be."""
    if update and not path.parent.is_dir():
        raise pytest.UsageError(in_line(f"{OPTION} {path}: no folder {path.parent}. Create it first.", MESSAGE))
    if update and not path.exists():
        return Baseline()
    try:
        return Baseline.load(path, OPTION, UPDATE)
    except UsageError as error:
        raise pytest.UsageError(in_line(str(error), MESSAGE)) from None


def accept(baseline: Baseline, outcomes: Sequence[TracedTest], path: Path) -> str:
    """Write the state of the tests that ran, and say what was done.

    1. A test that ran to its end has the state that it showed, and no other.
    2. A test that an error or a skip ended early, or that was not watched properly, may have had more to trace: nothing
       accepted of it is taken back.
    3. A test that did not run keeps what was accepted of it.
    """
    tests = dict(baseline.tests)
    ran = 0
    for outcome in outcomes:
        ran += 1
        whole = outcome.ended and not outcome.problems
        state = outcome.state if whole else _most(tests.get(outcome.test, {}), outcome.state)
        tests[outcome.test] = state
    if not ran:
        return f"{path} was not changed: no test ran"
    tests = {test: state for test, state in tests.items() if state}
    msgspec.structs.replace(baseline, tests=tests, shared=_shared(baseline, outcomes)).save(path)
    return f"accepted in {path}: the state of {count_of(ran, 'test')}, {len(tests)} with retraces in all"


def _shared(baseline: Baseline, outcomes: Sequence[TracedTest]) -> dict[str, tuple[str, ...]]:
    """What functions that tests may share were traced for, now and in tests that did not run."""
    traced: dict[str, set[str]] = {name: set(known) for name, known in baseline.shared.items()}
    for outcome in outcomes:
        for name, digests in outcome.traced_for.items():
            traced.setdefault(name, set()).update(digests)
    return {name: tuple(sorted(known)) for name, known in traced.items()}


def _most(accepted: Functions, state: Functions) -> Functions:
    merged = dict(accepted)
    for name, now in state.items():
        was = merged.get(name, Accepted())
        merged[name] = Accepted(
            max(was.retraces, now.retraces), max(was.recompiles, now.recompiles), was.wrong or now.wrong
        )
    return merged
