"""Rules on evidence, and on everything that follows from it and must not be typed in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.knowledge.evidence import COMPUTED, derive, requirement_of, speaks_against
from traceonce.knowledge.experiment import Experiment
from traceonce.knowledge.record import TIERS, Evidence
from traceonce.knowledge.validation.dates import day
from traceonce.knowledge.validation.problem import Problem, shortened, verify_command
from traceonce.knowledge.validation.record_case import RecordCase

MOST_RUNS = 1_000_000
_VERSION = re.compile(r"[0-9]+(\.[0-9A-Za-z+-]+)*", re.ASCII)


def evidence_is_sound(case: RecordCase) -> Iterator[Problem]:
    """A piece of evidence has at least one run, no more that held than there were, a version, a framework and a day."""
    for at, piece in case.evidence:
        for field, what in _unsound(piece):
            remedy = f"Run it again: {verify_command(case.record.id)}"
            yield case.problem("evidence_is_sound", f"{at}.{field}", what, remedy)


def _unsound(piece: Evidence) -> Iterator[tuple[str, str]]:
    if not 1 <= piece.runs <= MOST_RUNS:
        yield "runs", f"{shortened(piece.runs)} runs is no number of runs"
    elif not 0 <= piece.held <= piece.runs:
        yield "held", f"{shortened(piece.held)} of {piece.runs} runs cannot have held"
    if not _VERSION.fullmatch(piece.version):
        yield "version", f"{shortened(piece.version)} is no version"
    if not piece.framework.isidentifier():
        yield "framework", f"{shortened(piece.framework)} is no framework's name"
    if day(piece.date) is None:
        yield "date", f"{shortened(piece.date)} is no day (YYYY-MM-DD)"


def evidence_is_its_own(case: RecordCase) -> Iterator[Problem]:
    """A piece of evidence comes from the trial of the claim that it stands under; there is one for each version."""
    record = case.record
    experiment = case.experiment if isinstance(case.experiment, Experiment) else None
    claims = [("evidence", "failure", record.evidence)]
    claims += [(f"{at}.evidence", item.experiment or "", item.evidence) for at, item in case.record.claims]
    remedy = f"Run it again: {verify_command(record.id)}"
    for at, trial, pieces in claims:
        seen = set()
        for number, piece in enumerate(pieces):
            own = f"{experiment.path.stem}.{trial}" if experiment and trial in experiment.trials else None
            if own is not None and piece.experiment != own:
                what = f"it comes from {shortened(piece.experiment)}, not from {shortened(own)}"
                yield case.problem("evidence_is_its_own", f"{at}[{number}].experiment", what, remedy)
            if (piece.framework, piece.version) in seen:
                what = f"there is another piece of evidence for {shortened(f'{piece.framework} {piece.version}')}"
                yield case.problem("evidence_is_its_own", f"{at}[{number}]", what, "Keep the later one")
            seen.add((piece.framework, piece.version))


def everything_was_run(case: RecordCase) -> Iterator[Problem]:
    """The failure, every workaround and every dead end has evidence, and most of it speaks for the claim."""
    record = case.record
    remedy = f"Run it: {verify_command(record.id)}"
    if not any(case.evidence):
        what = "nobody ran the failure, nor any claim"
        yield case.problem("everything_was_run", "evidence", what, remedy, "warning")
        return
    if not record.evidence:
        yield case.problem("everything_was_run", "evidence", "nobody ran the failure", remedy, "warning")
    elif not any(piece.held for piece in record.evidence):
        yield case.problem("everything_was_run", "evidence", "the failure showed in no run", "Correct the experiment")
    for at, item in case.record.claims:
        if not item.evidence:
            yield case.problem("everything_was_run", f"{at}.evidence", "nobody ran this claim", remedy, "warning")
        elif speaks_against(item.evidence):
            what = "most of its runs speak against it"
            yield case.problem("everything_was_run", f"{at}.evidence", what, "Correct the claim, or take it out")


def nothing_typed_in(case: RecordCase) -> Iterator[Problem]:
    """Rates, intervals, confidence, tier, counts and `last_confirmed` are what the evidence gives, and nothing else."""
    if any(True for _, piece in case.evidence for _ in _unsound(piece)):
        return
    record, right = case.record, derive(case.record)
    pairs = [(name, record, right, name) for name in COMPUTED if name != "versions"]
    for of_kind, rate in (("workarounds", "success"), ("dead_ends", "fail")):
        items = zip(getattr(record, of_kind), getattr(right, of_kind), strict=True)
        for number, (item, computed) in enumerate(items):
            names = (f"{rate}_rate", f"{rate}_interval")
            pairs += [(f"{of_kind}[{number}].{name}", item, computed, name) for name in names]
    for field, holder, computed, name in pairs:
        said, gives = getattr(holder, name), getattr(computed, name)
        if said == gives:
            continue
        if said is None or name not in holder.given:
            what = f"it is missing; the evidence that is there gives {_shown(gives)}"
            remedy = f"Run: {verify_command(record.id)}"
            yield case.problem("nothing_typed_in", field, what, remedy, "warning")
        else:
            basis = (
                "there is no evidence for it" if gives is None else f"the evidence that is there gives {_shown(gives)}"
            )
            remedy = f"Take it out, and run: {verify_command(record.id)}"
            yield case.problem("nothing_typed_in", field, f"{_shown(said)} was typed in: {basis}", remedy)


def tier_is_known(case: RecordCase) -> Iterator[Problem]:
    """`verification_tier` is one of the four tiers."""
    if case.record.verification_tier not in TIERS:
        what = f"{shortened(case.record.verification_tier)} is no tier"
        yield case.problem("tier_is_known", "verification_tier", what, f"It is one of {', '.join(TIERS)}")


def versions_were_run(case: RecordCase) -> Iterator[Problem]:
    """Every version that the record names was run, and its status is what the runs gave."""
    if any(True for _, piece in case.evidence for _ in _unsound(piece)):
        return
    record = case.record
    right = {version.version: version for version in derive(record).versions}
    remedy = f"Take it out, or run it: {verify_command(record.id)} --against"
    for number, version in enumerate(record.versions):
        at = f"versions[{number}]"
        if version.version not in right:
            what, package = f"{shortened(version.version)} was never run", requirement_of(version.version)
            yield case.problem("versions_were_run", at, what, f"{remedy} {shortened(package)[1:-1]}")
        elif version.status != right[version.version].status:
            what = f"{shortened(version.status)} was typed in: the runs say {shortened(right[version.version].status)}"
            yield case.problem("versions_were_run", f"{at}.status", what, f"Run: {verify_command(record.id)}")
    for name in right.keys() - {version.version for version in record.versions}:
        what = f"{shortened(name)} was run, and is not named"
        yield case.problem("versions_were_run", "versions", what, f"Run: {verify_command(record.id)}")


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return " to ".join(f"{end:g}" for end in value)
    return shortened(value)[1:-1] if isinstance(value, str) else shortened(value)
