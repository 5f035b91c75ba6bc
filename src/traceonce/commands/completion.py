"""``traceonce completion``: the script with which a shell completes our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Print the completion script for bash, zsh or fish.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and options with the Tab key.

    \b
    eval "$(traceonce completion bash)"     # in ~/.bashrc
    eval "$(traceonce completion zsh)"      # in ~/.zshrc, after compinit
    traceonce completion fish > ~/.config/fish/completions/traceonce.fish
    """
    script = get_completion_class(shell)
    assert script is not None  # click knows these three
    click.echo(script(ctx.find_root().command, {}, "traceonce", "_TRACEONCE_COMPLETE").source())
