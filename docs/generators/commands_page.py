"""docs/reference/commands.md: every command with its arguments, examples and options, from click's own definitions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html import escape

import click

from traceonce.commands.main import cli

OPENING = """\
# Commands

What `traceonce COMMAND --help` says, on one page. Made by `python docs/generate.py`. Options of traceonce go before
the script; what follows the script is its own, as with `python`. Defaults can be set in `pyproject.toml`:
[configuration](configuration.md).
"""


def page() -> str:
    return "\n".join([OPENING, *map(_section, _commands(click.Context(cli, info_name="traceonce")))])


def _commands(context: click.Context) -> Iterator[click.Context]:
    """Each command, after the group that it belongs to."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        child = click.Context(command, info_name=name, parent=context)
        yield child
        if isinstance(command, click.Group):
            yield from _commands(child)


def _section(context: click.Context) -> str:
    command = context.command
    depth = context.command_path.count(" ") + 1
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"{'#' * depth} {context.command_path}", f"```text\n{usage}\n```", *_prose(command.help or "")]
    options = [
        parameter for parameter in command.params if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    if options:
        parts.append("\n".join(["| option | |", "|---|---|", *(_row(option, context) for option in options)]))
    return "\n\n".join(parts) + "\n"


def _prose(text: str) -> Iterator[str]:
    """Paragraphs; those that click keeps as they are (after a backspace) are commands to type."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.startswith("\b"):
            yield "```console\n" + paragraph.removeprefix("\b").strip("\n") + "\n```"
        else:
            yield _escape(" ".join(paragraph.split()))


def _row(option: click.Option, context: click.Context) -> str:
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    names = ", ".join((*option.opts, *option.secondary_opts)) + value
    default = f" Default: `{option.default}`." if option.show_default and option.default not in (None, ()) else ""
    shown = f"<code>{escape(names).replace('|', '&#124;')}</code>" if "|" in names else f"`{names}`"
    return f"| {shown} | {_escape(option.help or '')}{default} |"


def _escape(text: str) -> str:
    """Brackets and bars mean something to Markdown; what stands between backticks is left alone."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([|<\[*_])", r"\\\1", part) for part in parts)
