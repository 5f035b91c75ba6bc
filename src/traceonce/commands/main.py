"""The entry point: subcommands are imported when they are used, so that ``--help`` is quick."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from traceonce import __version__
from traceonce.console.lazy import LazyGroup
from traceonce.errors import OUTPUT_FAILED, TraceonceError

COMMANDS = {
    "run": ("traceonce.commands.run", "Run a program and explain every trace it makes."),
    "report": ("traceonce.commands.report", "Show a saved recording again; merge several."),
    "fix": ("traceonce.commands.fix", "Change the source so that it retraces less, and prove the change."),
    "explain": ("traceonce.commands.explain", "Explain an error, a log or a recording, and what to do."),
    "knowledge": ("traceonce.commands.knowledge", "Records of tracing failures: read, check, run, exchange them."),
    "serve": ("traceonce.commands.serve", "Serve recordings and records to a team: in the browser and over HTTP."),
    "mcp": ("traceonce.commands.mcp", "Serve tools to a coding agent (Model Context Protocol)."),
    "doctor": ("traceonce.commands.doctor", "Check which frameworks can be watched here."),
    "baseline": ("traceonce.commands.baseline", "Check baseline files without running anything."),
    "completion": ("traceonce.commands.completion", "Print the completion script for bash, zsh or fish."),
}
FIRST = {  # what most people come for, each with an example
    "run": "traceonce run train.py --epochs 3",
    "fix": "traceonce fix train.py --epochs 1",
    "explain": "traceonce explain train.log",
}
# What click 8.2 and later raise where a command without arguments shows its help.
HELP_INSTEAD: tuple[type[click.ClickException], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])
)


class Traceonce(LazyGroup):
    """Knows what somebody means who names a script right away."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and args[0].endswith(".py") and not ctx.resilient_parsing:
            from traceonce.facts.command_line import as_file, quoted

            meant = quoted(["traceonce", "run", as_file(args[0])])
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean: {meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        others = [name for name in self.table if name not in FIRST]
        for heading, names in (("Start here", list(FIRST)), ("More commands", others)):
            with formatter.section(heading):
                formatter.write_dl([(name, self.table[name][1]) for name in names])
        with formatter.section("Examples"):
            for example in FIRST.values():
                formatter.write_text(example)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _printable_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _printable_errors():
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:  # before a command has made arrangements of its own
                from traceonce.console.interrupts import INTERRUPTED

                _say("traceonce: interrupted")
                raise SystemExit(INTERRUPTED) from None


@click.group(cls=Traceonce, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="traceonce")
def cli() -> None:
    """Find out why a function retraces, at what cost, and what to change."""


@contextlib.contextmanager
def _printable_errors() -> Iterator[None]:
    """What click complains of quotes what was typed, or what a shell has put in for it: any file name."""
    try:
        yield
    except click.ClickException as error:
        if isinstance(error, HELP_INSTEAD):  # nothing is quoted in it
            raise
        from traceonce.facts.printable import MESSAGE, in_line

        said = in_line(error.format_message(), MESSAGE)
        error.format_message = lambda: said  # type: ignore[method-assign]  # its subclasses put it together themselves
        raise


def main() -> None:
    """Run the command line; an expected error is one line on standard error and exit status 2."""
    if sys.stdout is None:  # the shell has closed it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # for the rest of the process
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without Unicode gets "?" instead of an error
            stream.reconfigure(errors="replace")
    try:
        try:
            cli(prog_name="traceonce")
        finally:
            sys.stdout.flush()
    except TraceonceError as error:
        _say(f"traceonce: {error}")
        raise SystemExit(2) from None
    except BrokenPipeError:  # the reader has seen enough
        _give_up_output()
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in OUTPUT_FAILED:
            raise
        _give_up_output()
        _say(f"traceonce: cannot write the output: {error.strerror}")
        raise SystemExit(2) from None


def _say(text: str) -> None:
    from traceonce.console.message_line import say  # and with it facts, which --help does without

    say(text)


def _give_up_output() -> None:
    """What is still to be written would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
