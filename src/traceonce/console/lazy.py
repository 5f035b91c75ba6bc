"""A group of commands that are imported when they are used, so that ``--help`` is quick."""

from __future__ import annotations

import importlib
from typing import Any

import click
from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """Knows its commands by name, module and a line of help; loads the one that is called."""

    def __init__(self, *args: Any, table: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        command: click.Command = importlib.import_module(self.table[cmd_name][0]).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names and their lines of help, from the table: a Tab key does not wait for imports."""
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=text) for name, (_, text) in self.table.items() if name.startswith(incomplete)
        ] + options

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
