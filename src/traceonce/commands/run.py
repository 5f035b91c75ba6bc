"""``traceonce run``: run a program as `python` would, and report on it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from traceonce.commands.output import check_output, put_report
from traceonce.errors import RecordingError, UsageError
from traceonce.facts import Diagnosis, Recording, Verdict
from traceonce.observe.launching import Target, check_target, launch
from traceonce.observe.shelf import default_recording, remember
from traceonce.report.base import FORMATS, find_renderer

BREACHED = 3


class RunCommand(click.Command):
    """Everything after the program's name belongs to the program, also what looks like an option of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours, target = split_arguments(args, {"-o", "--output", "--format", "--recording", "--fail-on"})
        ctx.obj = target
        return super().parse_args(ctx, ours)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "(SCRIPT | -m MODULE | -c CODE) [ARGS]..."]


def split_arguments(args: Sequence[str], with_value: set[str]) -> tuple[list[str], Target | None]:
    """Our own options, and the program with its arguments."""
    position = 0
    while position < len(args):
        word = args[position]
        kind = {"-m": "module", "-c": "code"}.get(word[:2]) if not word.startswith("--") else None
        if kind:
            rest = [word[2:], *args[position + 1 :]] if len(word) > 2 else list(args[position + 1 :])
            if not rest:
                raise UsageError(f"{word} needs {'the name of a module' if kind == 'module' else 'code'} after it.")
            return list(args[:position]), Target(kind, rest[0], tuple(rest[1:]), glued=len(word) > 2)
        if word == "--":
            rest = list(args[position + 1 :])
            return list(args[:position]), Target("script", rest[0], tuple(rest[1:])) if rest else None
        if not word.startswith("-") or word == "-":
            return list(args[:position]), Target("script", word, tuple(args[position + 1 :]))
        position += 2 if word in with_value else 1
    return list(args), None


@click.command(cls=RunCommand, short_help="Run a program and explain every trace it makes.")
@click.option("--recording", type=click.Path(path_type=Path), help="Keep the recording in this file.")
@click.option("--format", "form", default="text", show_default=True, help=f"The report's form: {', '.join(FORMATS)}.")
@click.option("-o", "--output", help="Write the report to this file (JSON best goes there; '-': standard output).")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice([verdict.value for verdict in Verdict if verdict is not Verdict.OK]),
    help="Exit with status 3 where a function has this verdict (stale: where that was measured). May be repeated.",
)
@click.option("--xla", is_flag=True, help="Count XLA compilations, too (jit_compile=True).")
@click.option("--quiet", is_flag=True, help="Print no report; the recording is kept.")
@click.pass_context
def command(
    ctx: click.Context,
    recording: Path | None,
    form: str,
    output: str | None,
    fail_on: tuple[str, ...],
    xla: bool,
    quiet: bool,
) -> None:
    """Run a program as python would, and explain every trace it makes.

    The program keeps its arguments, its standard output and its exit status. The report goes to standard error when the
    program has ended. TensorFlow is watched from the moment that the program imports it.

    \b
    traceonce run train.py --epochs 3
    traceonce run -m package.train
    traceonce run --format json -o report.json train.py
    """
    target: Target | None = ctx.obj
    if target is None:
        raise click.UsageError("Nothing to run: name a script, -m MODULE or -c CODE.")
    find_renderer(form)
    check_output(output)
    check_target(target)
    path = recording if recording is not None else default_recording(target.title)
    code = launch(target, path, compilations=xla)
    remember(path)
    try:
        result = Recording.load(path)
    except RecordingError as error:
        sys.stderr.write(f"traceonce: {error}\n")
        _leave(code)
    from traceonce.explain import diagnose

    diagnoses = diagnose(result)
    try:
        if output is not None or not quiet:
            put_report(result, diagnoses, form, output, to_stdout=False)
        if not quiet and form == "text" and output is None and diagnoses:
            sys.stderr.write(f"recording: {path}\n")
    except UsageError as error:
        sys.stderr.write(f"traceonce: {error} The recording is kept: {path}\n")
    breached = _breaches(diagnoses, fail_on)
    if breached and not quiet:
        sys.stderr.write(f"traceonce: --fail-on: {', '.join(breached)}\n")
    _leave(code or (BREACHED if breached else 0))


def _breaches(diagnoses: Sequence[Diagnosis], fail_on: tuple[str, ...]) -> list[str]:
    """The functions with a verdict that is not wanted; a value that only may be stale breaks no build."""
    return [
        f"{d.function.name} is {d.verdict.value}"
        for d in diagnoses
        if d.verdict.value in fail_on and (d.verdict is not Verdict.STALE or d.surely_wrong)
    ]


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
