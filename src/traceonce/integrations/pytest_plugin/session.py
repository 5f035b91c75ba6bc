"""A test session with an option of ours: what the tests are held to, and what is known of them at its end.

With xdist the workers watch and judge their tests. The process that leads them hands them the baseline, collects what
they found, prints it, and alone writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import pytest

from traceonce.errors import UsageError
from traceonce.facts.printable import MESSAGE, in_line
from traceonce.facts.quantities import count_of
from traceonce.integrations.pytest_plugin import SETTINGS
from traceonce.integrations.pytest_plugin.baseline_file import accept, open_baseline
from traceonce.integrations.pytest_plugin.call_phase import NOT_JUDGED
from traceonce.integrations.pytest_plugin.session_summary import improvements, summary
from traceonce.integrations.pytest_plugin.traced_tests import TracedTest, detach
from traceonce.limits.baseline import Baseline, Change, Functions

NOT_KNOWN = 6  # as the exit status of `traceonce run`; pytest itself has 0 to 5
WORKER = "traceonce_accepted"  # the key of what a worker is told


class SuiteSettings(NamedTuple):
    """What every test of the session is held to. `accepted` is None where there is no baseline."""

    fail_on: tuple[str, ...] = ()
    accepted: dict[str, Functions] | None = None
    shared: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    update: bool = False

    @property
    def judge(self) -> bool:
        """Can a test fail by them? With ``--traceonce`` alone everything is only looked at."""
        return bool(self.fail_on) or self.accepted is not None

    def accepted_of(self, test: str, state: Functions) -> Functions | None:
        """What the baseline accepts of a test that is in this state; when it is updated, the state itself."""
        if self.update:
            return state
        return self.accepted.get(test, {}) if self.accepted is not None else None

    def excuses(self, change: Change, traced_for: dict[str, tuple[str, ...]]) -> bool:
        """Is it worse only in that it traced a shared function for what another test traces when that comes first?"""
        known = self.shared.get(change.function) if change.is_worse else None
        retraces_alone = msgspec.structs.replace(change.now, retraces=change.accepted.retraces) == change.accepted
        if known is None or not retraces_alone or change.now.retraces >= len(known):
            return False
        return set(traced_for.get(change.function, ())) <= set(known)


def start_session(config: pytest.Config) -> None:
    option = config.option
    if option.traceonce_update_baseline and option.traceonce_baseline is None:
        raise pytest.UsageError("--traceonce-update-baseline: name the file, too, with --traceonce-baseline FILE.")
    told: dict[str, Any] | None = getattr(config, "workerinput", None)  # set by xdist, in its workers
    path = config.invocation_params.dir / option.traceonce_baseline if option.traceonce_baseline is not None else None
    baseline: Baseline | None = None
    if told is not None:
        baseline = msgspec.convert(told[WORKER], Baseline | None)
    else:
        baseline = open_baseline(path, update=option.traceonce_update_baseline) if path is not None else None
    accepted = baseline.tests if baseline is not None else None
    shared = baseline.shared if baseline is not None else {}
    config.stash[SETTINGS] = SuiteSettings(
        tuple(option.traceonce_fail_on), accepted, shared, option.traceonce_update_baseline
    )
    if told is None:
        config.pluginmanager.register(Leading(config, path, baseline), "traceonce-leading")


class Leading:
    """The process that leads the session, or is all of it."""

    def __init__(self, config: pytest.Config, path: Path | None, baseline: Baseline | None) -> None:
        self._config = config
        self._path = path
        self._baseline = baseline
        self._outcomes: dict[str, TracedTest] = {}
        self._failed = 0
        self._not_judged = 0
        self._written = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """xdist starts a worker."""
        node.workerinput[WORKER] = msgspec.to_builtins(self._baseline)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = detach(report)
        if outcome is not None:
            self._outcomes[outcome.test] = outcome
        self._failed += report.failed
        self._not_judged += report.failed and NOT_JUDGED in report.longreprtext

    @property
    def _is_not_known(self) -> bool:
        """Would the session have passed, had it been possible to judge all of it?"""
        return 0 < self._failed == self._not_judged

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_not_known and session.exitstatus == pytest.ExitCode.TESTS_FAILED:
            session.exitstatus = NOT_KNOWN
        if self._config.option.traceonce_update_baseline and self._path is not None and self._baseline is not None:
            try:
                self._written = accept(self._baseline, list(self._outcomes.values()), self._path)
            except UsageError as error:
                self._written = f"--traceonce-baseline {error} The state of this run is not accepted."
                session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        outcomes = list(self._outcomes.values())
        lines = list(summary(outcomes)) if self._config.option.traceonce else []
        lines += [*improvements(outcomes), *filter(None, [in_line(self._written, MESSAGE)])]
        if self._is_not_known:
            tests = count_of(self._not_judged, "test")
            lines.append(f"exit status {NOT_KNOWN}: {tests} could not be judged, and no other test failed")
        if lines:
            terminalreporter.section("traceonce")
            for line in lines:
                terminalreporter.line(line)
