"""``traceonce knowledge claims``: what people say about retracing, and what came out when it was run."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from traceonce.console.message_line import say
from traceonce.console.output import check_output, write_document
from traceonce.console.shared_options import against_option, jobs_option, language_option
from traceonce.console.trial_progress import run_with_progress
from traceonce.errors import UsageError
from traceonce.knowledge.claims import CLAIMS, FRAMEWORK, PROGRAMS, Claim, load_claims, load_programs, save_claims
from traceonce.knowledge.claims.page import render_claims
from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import LIMIT, TrialRequest
from traceonce.knowledge.verify import Task
from traceonce.trials.interpreters import describe_missing, interpreters, start_trials
from traceonce.words.translated import Language


@click.command(short_help="Show common claims about retracing, with measured results.")
@click.option(
    "--run", "run_them", is_flag=True, help="Run the programs with the installed framework, and save the results."
)
@against_option
@click.option(
    "--check", is_flag=True, help="Run the programs, save nothing, and fail if a result differs from the saved one."
)
@jobs_option
@language_option
@click.option("-o", "--output", help="Write the page to this file instead of standard output.")
def command(run_them: bool, against: str | None, check: bool, jobs: int, lang: Language, output: str | None) -> None:
    """Print, as a Markdown page, what people say about retracing next to what the framework does.

    \b
    traceonce knowledge claims -o what-people-say.md
    traceonce knowledge claims --check
    """
    check_output(output)
    claims, programs = load_claims(), load_programs()
    if not (run_them or against or check):
        write_document(render_claims(claims, programs, lang), output)
        return
    if not check and not os.access(CLAIMS, os.W_OK):
        raise UsageError(f"{CLAIMS}: not writable; use --check.")
    new = claims
    for framework, python in interpreters(against, [FRAMEWORK], tell=say):
        if python is None:
            raise UsageError(describe_missing(framework))
        new = measure(new, programs, python, jobs)
    if not check:
        save_claims(new)
        say(f"{len(new)} claims run; results written to {CLAIMS}", err=False)
        return
    changed = [claim.trial for claim, before in zip(new, claims, strict=True) if claim.measured != before.measured]
    for name in changed:
        say(f"  {name}: the result differs from {CLAIMS.name}", err=False)
    say(
        f"{len(changed)} of {len(claims)} claims have a different result." if changed else "All results are unchanged.",
        err=False,
    )
    if changed:
        raise SystemExit(1)


def measure(claims: Sequence[Claim], programs: dict[str, Trial], python: str, jobs: int) -> list[Claim]:
    """Run the programs with the framework of this interpreter; the claims with what came out."""
    tasks = [
        Task(program.name, program, case, TrialRequest(str(PROGRAMS), program.name, case, LIMIT))
        for program in programs.values()
        for case in program.cases or (None,)
    ]
    found: dict[tuple[str, str], TrialMeasurement] = {}
    for task, seen in run_with_progress(tasks, lambda: start_trials(python, FRAMEWORK), jobs, FRAMEWORK):
        found[task.trial.name, task.case or ""] = seen
    version = next(iter(found.values())).version
    return [_with_results(claim, found, version) for claim in claims]


def _with_results(claim: Claim, found: dict[tuple[str, str], TrialMeasurement], version: str) -> Claim:
    results = {}
    for case in claim.expects:
        right = found.get((f"right_{claim.trial}", case))
        results[case] = claim.result(case, found[claim.trial, case], right.outputs if right else None)
    return claim.with_results(version, results)
