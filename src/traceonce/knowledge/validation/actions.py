"""Rules on workarounds and dead ends: each says what to do, shows how, and shows what was run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.errors import RecordError
from traceonce.knowledge.record import Workaround
from traceonce.knowledge.validation.problem import Level, Problem, shortened, verify_command
from traceonce.knowledge.validation.record_case import MODULE, RecordCase

WRITE_A_TRIAL = "Write a trial for it (experiment); its code becomes the how"
_WORDS = re.compile(r"\w+")


def actions_are_said(case: RecordCase) -> Iterator[Problem]:
    """Every workaround and dead end has an action, and every dead end a reason."""
    for at, item in case.record.claims:
        if not item.action.strip():
            kind = "what helps" if isinstance(item, Workaround) else "what people try"
            yield case.problem("actions_are_said", f"{at}.action", "it is empty", f"Say {kind}, or take the entry out")
        reason = getattr(item, "why_fails", None)
        if reason is not None and not reason.strip():
            yield case.problem("actions_are_said", f"{at}.why_fails", "it is empty", "Say what happens instead")


def actions_differ(case: RecordCase) -> Iterator[Problem]:
    """No action is said twice."""
    seen: dict[tuple[str, ...], str] = {}
    for at, item in case.record.claims:
        words = _words(item.action)
        if words and words in seen:
            what = f"it says the same as {seen[words]}.action"
            yield case.problem("actions_differ", f"{at}.action", what, "Say what is different, or take one out")
        seen.setdefault(words, at)


def how_adds_something(case: RecordCase) -> Iterator[Problem]:
    """`how` says more than `action` does; without a trial to take it from, it is not empty."""
    for at, item in case.record.claims:
        if item.how.strip() and _words(item.how) == _words(item.action):
            yield case.problem("how_adds_something", f"{at}.how", "it only repeats the action", WRITE_A_TRIAL)
        elif not item.how.strip() and not item.experiment:
            level: Level = "error" if isinstance(item, Workaround) else "warning"
            yield case.problem("how_adds_something", f"{at}.how", "it is empty", WRITE_A_TRIAL, level)


def experiment_is_there(case: RecordCase) -> Iterator[Problem]:
    """The record names an experiment that can be read, and that has a trial for every claim, and no other."""
    record, experiment = case.record, case.experiment
    if record.experiment is not None and not MODULE.fullmatch(record.experiment):
        what = f"{shortened(record.experiment)} is no module below experiments/"
        yield case.problem("experiment_is_there", "experiment", what, "Write <domain>/<module>.py")
    elif experiment is None:
        what = "there is none, so that nothing here can be run"
        remedy = f"Write experiments/{record.id.replace('-', '_')}.py and name it"
        yield case.problem("experiment_is_there", "experiment", what, remedy, "warning")
    elif isinstance(experiment, RecordError):
        yield case.problem("experiment_is_there", "experiment", str(experiment).rstrip("."), "Correct it")
    else:
        for at, item in case.record.claims:
            role = "workaround" if isinstance(item, Workaround) else "dead_end"
            trial = experiment.trials.get(item.experiment or "")
            if trial is None or trial.role != role:
                what = f"there is no function {item.experiment or role + '_…'} in {record.experiment}"
                yield case.problem(
                    "experiment_is_there", f"{at}.experiment", what, f"Name a function {role}_…, or write it"
                )
        claimed = {item.experiment for _, item in case.record.claims}
        for name, trial in experiment.trials.items():
            if trial.role in ("workaround", "dead_end") and name not in claimed:
                what = f"no claim names its function {name}"
                yield case.problem("experiment_is_there", "experiment", what, "Add the claim, or remove the function")


def how_was_run(case: RecordCase) -> Iterator[Problem]:
    """`how` is the body of the trial, to the letter."""
    experiment = case.experiment
    if experiment is None or isinstance(experiment, RecordError):
        return
    for at, item in case.record.claims:
        trial = experiment.trials.get(item.experiment or "")
        remedy = f"Run: {verify_command(case.record.id)}"
        if trial is None or item.how == trial.body:
            continue
        if not item.how.strip():
            yield case.problem("how_was_run", f"{at}.how", "it is empty", remedy, "warning")
        else:
            what = f"it is not the code of {trial.name}, which was run"
            yield case.problem("how_was_run", f"{at}.how", what, remedy)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(text.casefold()))
