"""What the documentation shows of a terminal: commands that exist, and output that is made by one or shortened."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from traceonce.commands.main import cli
from traceonce.errors import UsageError

ROOT = Path(__file__).parents[2]
FOLDERS = ("", "tutorial", "guides", "explanation", "reference")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in (ROOT / "docs" / folder).glob("*.md"))]
# A session with a server is not run again for every commit: its page says that the answers are from one.
BLOCK = re.compile(
    r"^(<!-- (?:shown|shortened): [\w ]+ -->\n\n|<!-- session -->\n\n)?```console\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
# What a terminal showed, kept whole: tests/recorded/record.py.
SESSIONS = ROOT / "examples" / "tutorial" / "sessions"
# How long things took and how large they were is up to the machine; every other character is compared.
OF_THE_MACHINE = re.compile(r"\b(\d+(\.\d+)?|under 1) (ms|µs|s|%|KiB|MiB)(?!\w)|\d+\.\d× faster")
MADE = ROOT / "docs" / "peers.md"  # by bench/peers.py


class Shown(NamedTuple):
    page: str
    commands: list[str]
    output: str
    is_made: bool
    is_session: bool
    shortened_from: str | None


def blocks(page: Path) -> Iterator[Shown]:
    """Each block of a page. Where a line begins with a prompt, the others are output."""
    for made, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        lines = text.replace("\\\n", " ").splitlines()
        prompted = any(line.startswith("$ ") for line in lines)
        commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ") or not prompted]
        output = [line for line in lines if prompted and not line.startswith("$ ")]
        shortened = re.search(r"shortened: (\w+)", made)
        yield Shown(
            page.name,
            commands,
            "\n".join(output),
            "shown" in made,
            "session" in made,
            shortened and shortened[1],
        )


def compared(line: str) -> str:
    return " ".join(OF_THE_MACHINE.sub("#", line).split())


def missing_from(session: str, lines: list[str]) -> str | None:
    """The first line that the session has not, or not in this order; what ends in … begins one."""
    left = iter([compared(line) for line in session.splitlines()])
    for line in lines:
        wanted = compared(line.removesuffix("…"))
        if wanted and not any(had.startswith(wanted) if line.endswith("…") else had == wanted for had in left):
            return line
    return None


def words_of(command: str) -> list[str]:
    """The words of our own command in a line of shell: none where it stands for several, or for another program's."""
    if "…" in command or "[-" in command or command.startswith("claude "):
        return []
    line = re.sub(r"\s#.*|\s>.*", "", command)
    mine = re.search(r"(?:^|[\s|(/])traceonce (.*?)(?:\s[|;&]+\s.*|\)\".*)?$", line)
    return shlex.split(mine[1]) if mine else []


def check(words: list[str]) -> None:
    """Raise what click raises where there is no such command or option."""
    group: click.Command = cli
    context = click.Context(cli, info_name="traceonce")
    while isinstance(group, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        command = group.get_command(context, name)
        if command is None:
            raise click.UsageError(f"there is no command {name}")
        group, context = command, click.Context(command, info_name=name, parent=context)
    if not isinstance(group, click.Group) and "--help" not in words:
        group.make_context(group.name or "", list(words), parent=context.parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist_and_output_is_made_or_marked(page: Path) -> None:
    for block in blocks(page):
        for command in block.commands:
            words = words_of(command)
            try:
                check(words)
            except (click.ClickException, UsageError) as error:
                message = error.format_message() if isinstance(error, click.ClickException) else str(error)
                pytest.fail(f"{page.name}: {command}\n{message}")
        if block.is_session:
            assert "are from one session" in page.read_text(encoding="utf-8")
        if block.shortened_from is not None:
            session = (SESSIONS / f"{block.shortened_from}.txt").read_text(encoding="utf-8")
            assert "…" in block.output
            assert not (left := missing_from(session, block.output.splitlines())), (
                f"{page.name}: nobody printed: {left}"
            )
        given = block.is_made or block.is_session or block.shortened_from is not None
        assert not block.output or given or page == MADE, (
            f"{page.name}: this output is typed in: {block.output[:200]}\n"
            "Have docs/generate.py make it (docs/generators/console_blocks.py), or shorten what a session shows "
            "(<!-- shortened: NAME -->, tests/recorded/record.py)"
        )


@pytest.mark.parametrize("file", sorted(SESSIONS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_a_session_has_the_report_that_its_recording_gives_today(file: Path) -> None:
    """So that words which change are noticed in what pages show."""
    rendered = CliRunner().invoke(cli, ["report", str(file)], color=False, catch_exceptions=False).output
    report = click.unstyle(rendered).partition("\n\nThe program ended with")[0]
    session = file.with_suffix(".txt").read_text(encoding="utf-8")
    assert len(report.splitlines()) > 3
    assert missing_from(session, report.splitlines()) is None


def test_a_line_that_nobody_printed_is_found() -> None:
    session = "traceonce  1 function · 2.5 s (10 % of the run) lost\nstep  retraced twice\n  fix  f(x)\n"
    assert (
        missing_from(session, ["traceonce  1 function · 310 ms (under 1 % of the run) lost", "…", "  fix  f(x)"])
        is None
    )
    assert missing_from(session, ["step retr…", "  fix  f(x)"]) is None
    assert missing_from(session, ["  fix  f(x)", "step  retraced twice"]) == "step  retraced twice"
    assert missing_from(session, ["step  retraced 3 times"]) == "step  retraced 3 times"


def test_the_check_can_fail() -> None:
    for wrong in ("run --no-such-option train.py", "no-such-command", "run --lang xx train.py"):
        with pytest.raises(click.ClickException):
            check(wrong.split())
    check(["run", "--format", "html", "train.py", "--its-own"])
