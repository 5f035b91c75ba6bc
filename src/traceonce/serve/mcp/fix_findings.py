"""From the diagnosis of a function to what `propose_fix` says: what was proved, what is predicted, what is advice."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from traceonce.facts import Diagnosis, Fix, Proof, Recording
from traceonce.facts.attention import changed_since
from traceonce.facts.command_line import fix_words, suggested
from traceonce.facts.quantities import count_of
from traceonce.report.sentences import (
    causes_left,
    describe_fix,
    describe_reason,
    describe_remedy,
    fix_command,
    fixes_to_show,
)
from traceonce.serve.mcp.bounds import Bounds, cut
from traceonce.serve.mcp.contract import FixesFound, FixFound, FixStatus, ProofShown

_BOUNDS = Bounds(
    {"fixes": 5, "in_words": 10, "advice": 10, "records": 10}, {"snippet": 3_000, "diff": 16_000, "name": 200}, "fixes"
)


def describe_fixes(name: str, recording: Recording, diagnosis: Diagnosis, *, ignorable: bool) -> FixesFound:
    """What there is for one function; where there is nothing, that is said."""
    function, fixes = diagnosis.function, fixes_to_show(diagnosis)
    left = [] if ignorable else causes_left(diagnosis)
    advice = list(dict.fromkeys(f"{cause.path}: {describe_remedy(cause, diagnosis)}" for cause in left))
    command = None if ignorable else proving_command(recording, function.name)
    summary = _why_not(diagnosis) if ignorable else _summary(fixes, command)
    found = FixesFound(
        recording=name,
        function=function.name,
        file=function.file,
        line=function.line,
        verdict=diagnosis.verdict,
        summary=summary,
        fixes=[_describe_fix(fix, diagnosis, recording) for fix in fixes],
        advice=advice,
        records=list(diagnosis.records),
        prove_with=command,
        left_out=[],
    )
    return msgspec.convert(cut(msgspec.to_builtins(found), _BOUNDS), FixesFound)


def _why_not(diagnosis: Diagnosis) -> str:
    changed = [f"{cause.path} ({cause.was} → {cause.now})" for _, cause in changed_since([diagnosis])]
    if changed:
        remedies = dict.fromkeys(describe_remedy(cause, diagnosis) for _, cause in changed_since([diagnosis]))
        return (
            f"Its traces need no change: {describe_reason(diagnosis)}. But its trace holds old values, which a "
            f"later call would use: {', '.join(changed[:5])}. To change: {', '.join(remedies)}."
        )
    return f"Nothing needs to be changed: {describe_reason(diagnosis)}."


def _summary(fixes: Sequence[Fix], command: str | None) -> str:
    if not fixes:
        more = " `traceonce fix` reads the source and may find one." if command else ""
        return f"The recording alone suggests no fix.{more}"
    counted = count_of(len(fixes), "proposal")
    proved = sum(status_of(fix) == "proved" for fix in fixes)
    return f"{counted}, {proved} proved by running it." if proved else f"{counted}, none of them proved."


def _describe_fix(fix: Fix, diagnosis: Diagnosis, recording: Recording) -> FixFound:
    return FixFound(
        recipe=fix.recipe,
        status=status_of(fix),
        safety=fix.safety,
        in_words=list(describe_fix(fix, diagnosis, fix_command(recording.command))),
        snippet=fix.snippet,
        diff=fix.diff,
        wider=fix.wider,
        traces_before=diagnosis.traces,
        traces_after=traces_after(fix),
        note=fix.note,
        proof=_show_proof(fix.proof) if fix.proof is not None else None,
    )


def _show_proof(proof: Proof) -> ProofShown:
    return ProofShown(
        verdict=proof.verdict,
        reason=proof.reason,
        outputs_equal=proof.outputs_equal,
        compared=proof.compared,
        speedup=round(proof.speedup, 2) if proof.speedup is not None else None,
        before=proof.before,
        after=proof.after,
    )


def status_of(fix: Fix) -> FixStatus:
    if fix.proof is not None:
        return fix.proof.verdict
    return "advice" if fix.safety == "advice" else "predicted"


def traces_after(fix: Fix) -> int | None:
    """Measured where it was proved, predicted elsewhere."""
    if fix.proof is not None and fix.proof.verdict == "proved":
        return fix.proof.after.traces
    return fix.predicted_traces


def proving_command(recording: Recording, function: str) -> str | None:
    """The command that tries changes and proves them; None where the recorded program cannot be named to it."""
    words = fix_words(recording.command, "--function", function)
    is_code = recording.command[:1] and recording.command[0].startswith("-c")  # it has no source to change
    return suggested(words) if words is not None and not is_code else None
