"""A command that takes a program, as `python` does: what follows SCRIPT, -m MODULE or -c CODE is the program's own."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from traceonce.errors import UsageError
from traceonce.observe.launch import Target


class ProgramCommand(click.Command):
    """Everything after the program's name belongs to the program, also what looks like an option of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with_value = {name for option in self.params if _takes_value(option) for name in option.opts}
        try:
            ours, ctx.obj = split_arguments(args, with_value)
        except UsageError:
            if not ctx.resilient_parsing:  # a shell that completes a command has not seen all of it
                raise
            ours = []
        return super().parse_args(ctx, ours)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Our options where one is begun before the program; else files."""
        if ctx.obj is None and incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(incomplete, type="file")]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "(SCRIPT | -m MODULE | -c CODE) [ARGS]..."]


def _takes_value(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not parameter.is_flag


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
