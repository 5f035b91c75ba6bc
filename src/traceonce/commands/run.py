"""``traceonce run``: run a program as `python` would, and report on it."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from traceonce import in_program
from traceonce.analysis.accepted_state import AcceptedState
from traceonce.analysis.conclusion import Conclusion, judge_run, not_known
from traceonce.computation import compute_from
from traceonce.config import ALL, Config, FailOn, load_config
from traceonce.console.message_line import say, say_lines
from traceonce.console.output import check_form, check_output, choose_output, put_report, tell_place
from traceonce.console.program_command import ProgramCommand
from traceonce.errors import OUTPUT_FAILED, TraceonceError, UsageError
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.command_line import as_file, quoted
from traceonce.facts.error_text import describe_error
from traceonce.facts.limit import MODES
from traceonce.frameworks.base.places import working_folder
from traceonce.home import remember
from traceonce.observe.excerpts import with_excerpts
from traceonce.observe.launch import Target, check_target, launch
from traceonce.observe.recording_store import add, default_recording
from traceonce.report.base import FORMATS
from traceonce.report.text import report_lines
from traceonce.words.translated import Language


def read_most_traces(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, int], ...]:
    """Numbers, or NAME=NUMBER for one function."""
    found = []
    for value in values:
        name, equals, number = value.rpartition("=")
        if not number.isascii() or not number.isdigit() or (equals and not name):
            raise click.BadParameter(f"{value!r} is neither a number nor NAME=NUMBER, as in train_step=1")
        found.append((name or ALL, int(number)))
    return tuple(found)


@click.command(cls=ProgramCommand, short_help="Run a program and explain every trace it makes.")
@click.option("--recording", type=click.Path(path_type=Path), help="Save the recording to this file.")
@click.option(
    "--format", "form", default="text", show_default=True, help=f"The format of the report: {', '.join(FORMATS)}."
)
@click.option("-o", "--output", help="Write the report to this file (recommended for JSON; '-': standard output).")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(get_args(FailOn)),
    help="Exit with status 3 if a function has this verdict (stale: where it was measured), or if retraces cost "
    "more than a second and 5 % of the run (costly). May be repeated.",
)
@click.option(
    "--max-traces",
    multiple=True,
    metavar="[NAME=]N",
    callback=read_most_traces,
    help="Allow each function N traces; the call that would exceed it raises TracingLimitReached. NAME=N limits "
    "one function. May be repeated.",
)
@click.option(
    "--on-limit",
    type=click.Choice(MODES),
    help="At a limit (--max-traces, TRACEONCE_LIMIT, pyproject.toml): raise (the default) or only warn.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Exit with status 3 on anything worse than the baseline in this file; --fail-on ignores what it accepts.",
)
@click.option("--update-baseline", is_flag=True, help="Accept the present state: write it to the --baseline file.")
@click.option("--xla", is_flag=True, help="Also count XLA compilations (jit_compile=True).")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="The language of an HTML or Markdown report.")
@click.option("--no-source", is_flag=True, help="Keep no source lines in the recording.")
@click.option(
    "--quiet", is_flag=True, help="Print no report, only the reasons for status 3 or 6 and what was not checked."
)
@click.pass_context
def command(
    ctx: click.Context,
    recording: Path | None,
    form: str,
    output: str | None,
    fail_on: tuple[str, ...],
    max_traces: tuple[tuple[str, int], ...],
    on_limit: str | None,
    baseline: Path | None,
    update_baseline: bool,
    xla: bool,
    lang: Language | None,
    no_source: bool,
    quiet: bool,
) -> None:
    """Run a program as python would, and explain every trace it makes.

    The program keeps its arguments, standard output and exit status. The report follows on standard error when the
    program ends. Every framework listed by `traceonce doctor` is watched from its import on.

    \b
    traceonce run train.py --epochs 3
    traceonce run -m package.train
    traceonce run --format html -o report.html train.py
    traceonce run --format json -o report.json train.py
    traceonce run --max-traces 3 --fail-on retracing train.py
    traceonce run --baseline traces.json --format github train.py

    Exit status: the program's own. If the program succeeds: 3 if it reached a limit, has a verdict named by --fail-on,
    or is worse than its --baseline; 6 if one of these could not be checked because part of the run was not recorded
    (the disk was full, a hook failed).

    Set defaults for these options in pyproject.toml, under [tool.traceonce].
    """
    target: Target | None = ctx.obj
    if target is None:
        raise click.UsageError("Nothing to run: name a script, -m MODULE or -c CODE.")
    check_form(form, lang)
    output = choose_output(form, output, to_stdout=False)
    check_target(target)
    config = _configure(max_traces, on_limit, fail_on, baseline)
    if update_baseline and config.baseline is None:
        raise UsageError("--update-baseline needs a file: name it with --baseline FILE.")
    if update_baseline:
        check_output(config.baseline, option="--baseline")
    accepted = AcceptedState(config.baseline, update=update_baseline) if config.baseline is not None else None
    path = recording if recording is not None else default_recording(target.title)
    settings = msgspec.json.encode(in_program.ProgramSettings(xla, config)).decode()
    launched = launch(target, path, in_program.BEGIN, settings, compilations=xla)
    remember(path)
    if launched.unwritten:
        say(f"traceonce: {launched.unwritten}")

    def conclude() -> Conclusion:
        result = Recording.load(path)
        if not no_source:
            result = with_excerpts(result)
            add(path, result.excerpts)
        diagnoses = diagnose_linked(result)
        if accepted is not None:
            diagnoses = accepted.mark(diagnoses, result.cwd)
        if output is not None or not quiet:
            _put(result, diagnoses, path, form, output, lang or "en", quiet=quiet)
        unrecorded = [*filter(None, [launched.unwritten]), *(notice.text for notice in result.notices if notice.error)]
        command = target.command()
        return judge_run(
            result, diagnoses, config, accepted, command=command, code=launched.code, unrecorded=unrecorded
        )

    from traceonce.analysis.diagnoses import diagnose_linked

    try:
        concluded = compute_from([path], conclude)
    except Exception as error:
        if isinstance(error, OSError) and (isinstance(error, BrokenPipeError) or error.errno in OUTPUT_FAILED):
            raise
        if not isinstance(error, TraceonceError):
            say_lines("".join(traceback.format_exception(error)))
        problem = f"no report: {describe_error(error)}; {_kept(path)}"
        say(f"traceonce: {problem}")
        concluded = Conclusion(not_known=not_known(config, [problem]))
    _say(concluded, launched.code, quiet=quiet)
    _leave(launched.code or concluded.status)


def _say(concluded: Conclusion, code: int, *, quiet: bool) -> None:
    said = [*concluded.complaints, *concluded.not_known, *concluded.unchecked]
    if quiet:
        said = said if code == 0 else []
    else:
        said += concluded.remarks
    for text in said:
        say(f"traceonce: {text}")


def _put(
    result: Recording,
    diagnoses: Sequence[Diagnosis],
    path: Path,
    form: str,
    output: str | None,
    language: Language,
    *,
    quiet: bool,
) -> None:
    """The report, and where things lie; a report that cannot be written is no reason to lose the rest."""
    if form == "text" and output is None and not quiet and (diagnoses or sys.stderr.isatty()):
        say("")  # TensorFlow logs a lot there, and is not to be silenced in a user's program: the report stands apart
    try:
        put_report(result, diagnoses, form, output, to_stdout=False, language=language)
        if not quiet and form == "html":
            say(next(report_lines(result, diagnoses)).plain)
            tell_place(output)
        if not quiet and (form == "html" or (form == "text" and output is None)) and diagnoses:
            say(f"recording: {path}")
    except UsageError as error:
        say(f"traceonce: {error} {_kept(path)}")


def _configure(
    max_traces: tuple[tuple[str, int], ...],
    on_limit: str | None,
    fail_on: tuple[str, ...],
    baseline: Path | None,
) -> Config:
    """What the options say, else the environment, else the project."""
    config = load_config(Path(working_folder() or "."), os.environ)
    changes: dict[str, Any] = {}
    if max_traces:
        named = config.max_traces if isinstance(config.max_traces, dict) else {}
        changes["max_traces"] = named | dict(max_traces)
    if on_limit:
        changes["on_limit"] = on_limit
    if fail_on:
        changes["fail_on"] = fail_on
    if baseline is not None:
        changes["baseline"] = str(baseline)
    return msgspec.structs.replace(config, **changes)


def _kept(path: Path) -> str:
    return f"the recording is kept: {path}; to show it: {quoted(['traceonce', 'report', as_file(path)])}"


def _leave(code: int) -> None:
    """End as the program ended: with its status, or by the signal that ended it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        _no_core_dump()
        os.kill(os.getpid(), -code)
    raise SystemExit(code)


def _no_core_dump() -> None:
    """The program has left its own; one of ours would only be in the way."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
