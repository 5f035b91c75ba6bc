"""The pytest plugin: the mark `max_traces`, the fixture `traces`, and the options that begin with ``--traceonce``.

It is imported at the start of every pytest run on a machine that has traceonce. So this module imports pytest alone;
until a test or an option asks for something, nothing else of ours is loaded, and nothing is watched. All state is in
the stash of an item or of the configuration, because a pytest may run inside a pytest.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from traceonce.api import Watch
    from traceonce.facts import Limit
    from traceonce.integrations.pytest_plugin.allowance import CheckedTest
    from traceonce.integrations.pytest_plugin.session import SuiteSettings

# What `traceonce run --fail-on` takes, but for `costly`: no timing decides a test. Written out, since `--help` must not
# import the rest of us; a test compares.
VERDICTS = ("fell_back", "retracing", "recompiling", "failed", "stale", "confused", "avoidable", "bounded")
MARK = (
    "max_traces(n, function=None, warmup=0): fail the test if a function is traced more than n times in it, the first "
    "trace included. function: the one of that name alone. warmup: what is traced in its first calls is free."
)

SETTINGS: pytest.StashKey[SuiteSettings] = pytest.StashKey()
LIMITS: pytest.StashKey[Sequence[Limit]] = pytest.StashKey()
WATCH: pytest.StashKey[Watch] = pytest.StashKey()
JUDGEMENT: pytest.StashKey[CheckedTest] = pytest.StashKey()
TRACED: pytest.StashKey[set[str]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("traceonce", "traceonce: why did a function retrace?")
    group.addoption(
        "--traceonce", action="store_true", help="Watch every test; say at the end what was traced and why."
    )
    group.addoption(
        "--traceonce-fail-on",
        action="append",
        choices=VERDICTS,
        metavar="VERDICT",
        default=[],
        help=f"A test fails if a function in it has this verdict (stale: where that was measured): "
        f"{', '.join(VERDICTS)}. May be repeated.",
    )
    group.addoption(
        "--traceonce-baseline",
        metavar="FILE",
        help="A test fails if a function in it is retraced more often than the state accepted in FILE.",
    )
    group.addoption(
        "--traceonce-update-baseline",
        action="store_true",
        help="Accept the present state: write it to the --traceonce-baseline file. Tests that do not run keep theirs.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)
    option = config.option
    used = option.traceonce or option.traceonce_fail_on or option.traceonce_update_baseline
    if used or option.traceonce_baseline is not None:
        from traceonce.integrations.pytest_plugin.session import start_session

        start_session(config)


@pytest.fixture
def traces(request: pytest.FixtureRequest) -> Watch:
    """A `traceonce.Watch` of the test: ``assert traces.count("train_step") == 1``, ``print(traces.report())``."""
    stash = request.node.stash
    if WATCH not in stash and os.environ.get("PYTEST_CURRENT_TEST", "").endswith("(call)"):
        pytest.fail("traces: the test is running already, unwatched. Ask for it in the arguments of the test.", False)
    from traceonce.api import Watch

    if WATCH not in stash:
        stash[WATCH] = Watch()
    watch: Watch = stash[WATCH]
    return watch


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("max_traces") is not None:
        from traceonce.integrations.pytest_plugin.marks import read_marks

        item.stash[LIMITS] = read_marks(item)


@pytest.hookimpl(wrapper=True, trylast=True)  # the innermost: what other plugins do around a test is not the test's
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    if not (LIMITS in item.stash or WATCH in item.stash or SETTINGS in item.config.stash):
        return (yield)
    from traceonce.integrations.pytest_plugin.call_phase import watch_call

    return (yield from watch_call(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if JUDGEMENT in item.stash:  # from the end of the call phase to the beginning of the teardown
        from traceonce.integrations.pytest_plugin.call_phase import put_on_report

        put_on_report(item.stash[JUDGEMENT], report, call)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    judgement = item.stash.get(JUDGEMENT, None)
    if judgement is not None:
        del item.stash[JUDGEMENT]
    yield
    if judgement is not None and judgement.problems:
        from traceonce.integrations.pytest_plugin.call_phase import describe_problems

        pytest.fail(describe_problems(judgement), pytrace=False)
