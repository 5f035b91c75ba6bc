"""`traceonce fix`: diagnose a program, change its source, prove the change."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from traceonce.console.interrupts import INTERRUPTED, catch_interrupts, uninterrupted
from traceonce.console.message_line import say, say_lines
from traceonce.console.output import check_output, put_report, tell_place, write_document, write_whole
from traceonce.console.program_command import ProgramCommand
from traceonce.console.repair_report import print_repair, remarks, render_recording, repair_as_json
from traceonce.errors import TraceonceError, UsageError
from traceonce.facts.quantities import count_of
from traceonce.home import remember
from traceonce.observe.launch import Target, check_target

if TYPE_CHECKING:
    from traceonce.prove.library import Library
    from traceonce.prove.repair_result import RepairResult

CALLS, TIMEOUT = 1000, 300.0
LEFT = 1  # the exit status where something is left that needs a repair


@click.command(cls=ProgramCommand, short_help="Change the source so that it retraces less, and prove the change.")
@click.option("--write", is_flag=True, help="Write the proved changes to your files, all or none.")
@click.option("--html", "page", metavar="FILE", help="Write the report, with the proofs, as an HTML page to this file.")
@click.option("--json", "report", metavar="FILE", help="Write the result as JSON to this file ('-': standard output).")
@click.option(
    "--calls",
    type=click.IntRange(min=1),
    default=CALLS,
    show_default=True,
    help="End each run after this many calls of the program's functions.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="End each run after this many seconds.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Stop trying changes after this many seconds.  [default: 110, or the time of eight runs if longer]",
)
@click.option("--function", "only", multiple=True, metavar="NAME", help="Fix only this function. May be repeated.")
@click.option("--wide", is_flag=True, help="Use the wider signature where the narrowest would reject new shapes.")
@click.option("--unproved", is_flag=True, help="Also accept changes that could not be proved, unless refuted.")
@click.option(
    "--input",
    "stdin",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The program's standard input.",
)
@click.option(
    "--library",
    "libraries",
    multiple=True,
    metavar="NAME",
    help="Fix this installed package, in a copy, instead of the program. May be repeated.",
)
@click.option("--patch", metavar="FILE", help="Write the diff to this file instead of standard output.")
@click.option(
    "--patch-module",
    metavar="FILE.py",
    help="With --library: write a module that patches the library in memory at import.",
)
@click.option("--quiet", is_flag=True, help="Print only the diff.")
@click.pass_context
def command(
    ctx: click.Context,
    write: bool,
    page: str | None,
    report: str | None,
    calls: int,
    timeout: float,
    budget: float | None,
    only: tuple[str, ...],
    wide: bool,
    unproved: bool,
    stdin: Path | None,
    libraries: tuple[str, ...],
    patch: str | None,
    patch_module: str | None,
    quiet: bool,
) -> None:
    """Find out why a program retraces, change its source, and prove the change.

    The program runs several times with the same seeds, each time in a fresh copy of its project: twice unchanged, then
    with each candidate change, smallest change first. A change is proved if the function is traced less often, returns
    the same, and the program prints the same and exits the same. The proved changes are printed as a diff; your files
    change only with --write.

    \b
    traceonce fix train.py --epochs 1
    traceonce fix --write train.py
    traceonce fix train.py | git apply
    traceonce fix --html report.html train.py
    traceonce fix --calls 200 --json fix.json train.py --write-checkpoints
    traceonce fix --library gpflow --patch gpflow.patch --patch-module patched_gpflow.py train.py

    --library fixes that package instead, in a copy that the program imports; the diff is for its maintainers (`patch
    -p1` in the folder above the package). The installed package never changes.

    Options of traceonce go before the script; everything after it belongs to the script. Exit status: 0 if nothing
    needs a fix or everything is fixed, 1 if something is left or the program itself fails, 2 for invalid input.
    """
    target: Target | None = ctx.obj
    if target is None:
        raise click.UsageError("Nothing to fix: name a script, -m MODULE or -c CODE.")
    check_program(target, write=write, stdin=stdin)
    copied = check_libraries(target, libraries, write=write, patch_module=patch_module)
    check_output(report, "--json")
    patch = None if patch == "-" else patch  # standard output is where it goes anyway
    check_output(patch, "--patch")
    check_output(patch_module, "--patch-module")
    check_output(page, "--html")
    if page == "-":
        raise UsageError("--html -: standard output is reserved for the diff; name a file for the page.")
    from traceonce.prove.budget import Budget, Interruption, Stopped
    from traceonce.prove.repair import Repairing

    interruption, limit = Interruption(), Budget(budget)
    catch_interrupts(interruption.ask, interruption.leftovers, quiet=quiet)
    tell = (lambda text: None) if quiet else _Teller()
    options = [name for option in ctx.command.params for name in option.opts]
    for remark in misplaced(target.arguments, options, guess=not quiet):
        say(f"traceonce: {remark}")
    try:
        result = Repairing(
            target,
            tell,
            calls=calls,
            timeout=timeout,
            only=only,
            wide=wide,
            stdin=stdin,
            libraries=copied,
            budget=limit,
            interruption=interruption,
        ).run()
    except Stopped:
        say("traceonce: interrupted before there was a result; nothing was written")
        raise SystemExit(INTERRUPTED) from None
    interrupted = result.outcome.stopped == "interrupted"
    if unproved:
        result.take_unproved()
    if patch is None and report != "-":
        put_diff(result)
    if not quiet:
        print_repair(result)
    written: Sequence[str] = ()
    if write and not interrupted:
        with uninterrupted():
            written = result.write()
    kept = keep_patches(result, patch, None if interrupted else patch_module)
    if not quiet:
        for text in [*remarks(result, written, write=write, budget=limit), *kept]:
            say(f"traceonce: {text}")
    _keep(result, target.title)
    if page is not None:
        put_report(result.recording, result.diagnoses, "html", page, to_stdout=True)
        tell_place(page)
    if report is not None:
        write_document(repair_as_json(result, written), report)
    raise SystemExit(INTERRUPTED if interrupted else LEFT if result.something_is_left else 0)


class _Teller:
    """Each step takes seconds: say which, and how long it has been."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, text: str) -> None:
        say(f"traceonce: {time.monotonic() - self._began:4.0f} s  {text}")


def misplaced(arguments: Sequence[str], options: Sequence[str], *, guess: bool) -> Iterator[str]:
    """Arguments of the script that look as if an option of ours had been meant."""
    for name in dict.fromkeys(word.partition("=")[0] for word in arguments if word.startswith("--")):
        near = difflib.get_close_matches(name, options, 1, 0.75) if guess else []
        if name in options:
            yield f"{name} comes after the script and is passed to it; put it before SCRIPT if it is meant for fix"
        elif near:
            yield f"{name} is passed to the script; did you mean {near[0]}?"


def check_program(target: Target, *, write: bool, stdin: Path | None) -> None:
    """Say what is wrong before anything is run."""
    if not hasattr(os, "fork"):
        raise UsageError("traceonce fix needs a POSIX system: it forks the processes it compares.")
    if target.kind == "script" and target.name == "-":
        raise UsageError("A program from standard input has no source file to change: name a script.")
    check_target(target)
    if stdin is not None and not os.access(stdin, os.R_OK):
        raise UsageError(f"--input {stdin}: no such file, or it cannot be read.")
    if target.kind != "script" or not Path(target.name).is_file():
        return
    check_encoding(Path(target.name))
    if write and not (os.access(target.name, os.W_OK) and os.access(Path(target.name).resolve().parent, os.W_OK)):
        raise UsageError(
            f"{target.name}: is not writable, so --write cannot change it. Check the permissions of the file and "
            "its folder, or drop --write and apply the diff yourself."
        )


def check_libraries(
    target: Target, names: Sequence[str], *, write: bool, patch_module: str | None
) -> Sequence[Library]:
    """The libraries that are asked for; UsageError where one cannot be repaired in a copy, or options contradict."""
    if patch_module is not None and not names:
        raise UsageError("--patch-module: needs an installed library to patch at import; name one with --library.")
    if not names:
        return ()
    if write:
        raise UsageError(
            "--write: installed packages are never changed; --patch FILE saves the diff for the library's "
            "maintainers, --patch-module FILE.py a module that applies it when the library is imported."
        )
    from traceonce.prove.import_patch import check_module_name
    from traceonce.prove.library import find_libraries
    from traceonce.prove.scratch import project_folders

    script = Path(target.name).absolute() if target.kind == "script" else None
    beside = [script.resolve().parent] if script is not None else []
    found = find_libraries(names, [*beside, *project_folders(script, Path.cwd())])
    if patch_module is not None:
        check_module_name(patch_module, [library.name for library in found])
    return found


def put_diff(result: RepairResult) -> None:
    """To a terminal what can be shown there; else to the byte, as it is to be applied."""
    if sys.stdout.isatty():
        say_lines(result.diff, err=False)
    else:
        sys.stdout.buffer.write(result.patch)
        sys.stdout.buffer.flush()


def keep_patches(result: RepairResult, patch: str | None, module: str | None) -> list[str]:
    """Write the files that were asked for, and say so; where nothing is changed, they are not written."""
    said = []
    if patch is not None and result.changes:
        write_whole(patch, result.patch)
        said.append(f"written: {patch}")
    if module is not None and result.changes:
        from traceonce.prove.import_patch import write_module

        write_whole(module, write_module(result.changes, result.libraries, list(_repairs(result))).encode())
        said.append(f"written: {module}; import it before {' and '.join(each.name for each in result.libraries)}")
    unwritten = [file for file in (patch, module) if file is not None and not result.changes]
    return [*said, *(f"{file}: not written: nothing changed" for file in unwritten)]


def _repairs(result: RepairResult) -> Iterator[str]:
    """What was taken, a line each."""
    for repaired in result.outcome.functions:
        for fix in repaired.fixes:
            function, proof = repaired.case.diagnosis.function, fix.proof
            traces = f", {count_of(proof.before.traces, 'trace')} → {proof.after.traces}" if proof is not None else ""
            yield f"{function.name} ({function.file}:{function.line}): {fix.recipe}{traces}"
    yield from (f"{name}: not proved" for name in result.unproved)


def check_encoding(script: Path) -> None:
    import tokenize

    try:
        with tokenize.open(script) as file:
            file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{script}: is neither in its declared encoding nor in UTF-8 ({error}). Python cannot run it either; "
            "save it as UTF-8, or declare its encoding in the first line (# -*- coding: latin-1 -*-)."
        ) from None


def _keep(result: RepairResult, name: str) -> None:
    """Leave a recording with the proofs where recordings lie: `traceonce report --latest` shows it."""
    from traceonce.observe.recording_store import default_recording

    with contextlib.suppress(TraceonceError, OSError):  # the answer has been given already
        path = default_recording(name)
        path.write_text(render_recording(result), encoding="utf-8", errors="replace")
        remember(path)
