"""The call phase of one test: watched, judged, put on its report.

Set-up does not count: a fixture of the session is set up by whichever test comes first. An error of ours neither stops
a test nor lets it pass in silence: it becomes an error of the test, told in its teardown.
"""

from __future__ import annotations

import traceback
from collections.abc import Generator, Sequence
from typing import Any

import msgspec
import pytest

from traceonce.api import Watch
from traceonce.facts import FunctionId
from traceonce.facts.printable import SENTENCE, in_line
from traceonce.integrations.pytest_plugin import JUDGEMENT, LIMITS, SETTINGS, TRACED, WATCH
from traceonce.integrations.pytest_plugin.allowance import CheckedTest, judge_test
from traceonce.integrations.pytest_plugin.traced_tests import attach

NOT_JUDGED = "traceonce could not judge this test."


def watch_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let the test run, and fail it, if it did not fail by itself, where it traced what it may not."""
    settings = item.config.stash.get(SETTINGS, None)
    only_looked_at = settings is not None and not (settings.judge or LIMITS in item.stash or WATCH in item.stash)
    watch = item.stash.setdefault(WATCH, Watch())
    try:
        watch.__enter__()
    except Exception as error:
        item.stash[JUDGEMENT] = CheckedTest(problems=[_describe(error)])
        return (yield)
    try:
        result = yield
    except BaseException:
        _finish(item, watch, only_looked_at)
        raise
    judgement = _finish(item, watch, only_looked_at)
    if judgement.failures:
        pytest.fail(judgement.message, pytrace=False)
    _warn_of_unknown_names(item, judgement.traced)
    return result


def _warn_of_unknown_names(item: pytest.Item, traced: Sequence[FunctionId]) -> None:
    """A limit for a function that nobody has traced holds nothing: its name may be mistyped, or be a library's.

    A name that was traced in this session is fine: its traces may serve this test, too.
    """
    known = item.config.stash.setdefault(TRACED, set())
    known |= {name for function in traced for name in (function.name, function.short_name)}
    for limit in item.stash.get(LIMITS, ()):
        if limit.function is not None and limit.function not in known:
            names = ", ".join(sorted({function.short_name for function in traced})) or "none"
            text = f"max_traces(function={limit.function!r}): no function of this name was traced; traced: {names}"
            item.warn(pytest.PytestWarning(text))


def _finish(item: pytest.Item, watch: Watch, only_looked_at: bool) -> CheckedTest:
    try:
        watch.__exit__(None, None, None)
        judgement = judge_test(
            stable_id(item),
            watch.recording,
            item.stash.get(LIMITS, ()),
            item.config.stash.get(SETTINGS, None),
            str(item.config.rootpath),
        )
        if only_looked_at:  # then what was not watched lets no limit pass; the summary tells of it
            judgement = judgement._replace(problems=())
    except Exception as error:
        judgement = CheckedTest(problems=[_describe(error)])
    item.stash[JUDGEMENT] = judgement
    return judgement


def stable_id(item: pytest.Item) -> str:
    """The node id as it is without xdist, which adds the group of a test to it (``--dist loadgroup``, pytest 8)."""
    plain = f"{item.parent.nodeid}::{item.name}" if item.parent is not None else item.nodeid
    return plain if item.nodeid.startswith(f"{plain}@") else item.nodeid


def put_on_report(judgement: CheckedTest, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    if judgement.section:
        report.sections.append(("traceonce", judgement.section))
    if judgement.outcome is not None:
        error = call.excinfo.value if call.excinfo is not None else None
        ours = isinstance(error, pytest.fail.Exception) and error.msg == judgement.message
        attach(msgspec.structs.replace(judgement.outcome, ended=error is None or ours), report)


def describe_problems(judgement: CheckedTest) -> str:
    """What went wrong with the watching, one line each."""
    lines = [f"{NOT_JUDGED} What it traced may have been more than was seen."]
    return "\n".join([*lines, *(in_line(f"  {text}", SENTENCE) for text in judgement.problems)])


def _describe(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{where.filename}:{where.lineno}"
    return f"{type(error).__name__}: {error} (in {place}). This is a defect of traceonce: please report it."
