"""A run held to what was asked of it: its limits, the verdicts that are not wanted, its baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.analysis.accepted_state import AcceptedState
from traceonce.config import COSTLY, Config
from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, Recording, Verdict
from traceonce.facts.quantities import count_of, duration
from traceonce.report.sentences import describe_verdict, fix_command

BREACHED = 3
NOT_KNOWN = 6  # what was to be checked; a number that neither pytest nor a shell has a use for


class Conclusion(NamedTuple):
    """What there is to say after the report: reasons for status 3, for status 6, and what is only worth knowing."""

    complaints: Sequence[str] = ()
    not_known: Sequence[str] = ()
    unchecked: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @property
    def status(self) -> int:
        return BREACHED if self.complaints else NOT_KNOWN if self.not_known else 0


def judge_run(
    result: Recording,
    diagnoses: Sequence[Diagnosis],
    config: Config,
    accepted: AcceptedState | None,
    *,
    command: Sequence[str],
    code: int,
    unrecorded: Sequence[str],
) -> Conclusion:
    """What was asked, and what is known of it; an accepted state is written if it is to be, and if it is whole."""
    complaints = [*_limits_reached(result), *_unwanted(diagnoses, config)]
    remarks: list[str] = []
    if accepted is not None:
        complaints += [f"--baseline: {text}" for text in accepted.worse]
        remarks += [f"better than the baseline ({text}); --update-baseline records it" for text in accepted.better]
        if not unrecorded:
            try:
                remarks += filter(None, [accepted.accept(code)])
            except UsageError as error:
                complaints.append(str(error))
    unchecked = [*_without_a_function(config, diagnoses), *not_measured(diagnoses, config, command)]
    return Conclusion(complaints, not_known(config, unrecorded), unchecked, remarks)


def not_known(config: Config, unrecorded: Sequence[str]) -> list[str]:
    """What was to be checked, and cannot be told, since not all of the run was seen."""
    limits = config.max_traces is not None or config.limit is not None
    asked = [
        *(f"--fail-on {unwanted}" for unwanted in config.fail_on),
        *(["the limit on traces"] if limits else []),
        *(["--baseline"] if config.baseline is not None else []),
    ]
    if not asked or not unrecorded:
        return []
    more = f" (and {count_of(len(unrecorded) - 1, 'more problem')})" if len(unrecorded) > 1 else ""
    return [
        f"{', '.join(asked)}: unknown (exit status {NOT_KNOWN}), because part of the run was not recorded: "
        f"{unrecorded[0]}{more}"
    ]


def _without_a_function(config: Config, diagnoses: Sequence[Diagnosis]) -> list[str]:
    """Limits of functions that were never traced: a name may be mistyped."""
    unknown = [limit.function for limit in config.own_limits if not any(limit.covers(d.function) for d in diagnoses)]
    traced = ", ".join(dict.fromkeys(d.function.name for d in diagnoses)) or "none"
    return [f"max_traces {name}: no function of this name was traced; traced: {traced}" for name in unknown]


def _limits_reached(result: Recording) -> list[str]:
    functions = dict.fromkeys((breach.function.name, breach.limit.describe()) for breach in result.breaches)
    return [f"limit reached: {name} ({limit})" for name, limit in functions]


def _unwanted(diagnoses: Sequence[Diagnosis], config: Config) -> list[str]:
    """The functions that are what is not wanted; a value that only may be stale breaks no build."""
    found = [
        (d, describe_verdict(d.verdict))
        for d in diagnoses
        if d.verdict.value in config.fail_on and (d.verdict is not Verdict.STALE or d.surely_wrong)
    ]
    if COSTLY in config.fail_on:
        found += [(d, f"is costly: {_price(d)}") for d in diagnoses if d.costly]
    return [f"--fail-on: {d.function.name} {what}" for d, what in found if not d.accepted]


def _price(diagnosis: Diagnosis) -> str:
    lost = f"{duration(diagnosis.lost_seconds)} lost"
    unclear = diagnosis.unclear_seconds
    return f"{lost}, {duration(unclear)} unclear" if unclear > diagnosis.lost_seconds else lost


def not_measured(diagnoses: Sequence[Diagnosis], config: Config, command: Sequence[str]) -> list[str]:
    """The functions that --fail-on spares since a value of theirs only may be stale: a build that passes says so."""
    found = [d for d in diagnoses if d.verdict is Verdict.STALE and not d.accepted and not d.surely_wrong]
    if Verdict.STALE.value not in config.fail_on or not found:
        return []
    names = ", ".join(dict.fromkeys(d.function.name for d in found))
    measure = fix_command(command)
    return [f"--fail-on stale: ignored, because it was inferred and not measured: {names}; to measure it: {measure}"]
