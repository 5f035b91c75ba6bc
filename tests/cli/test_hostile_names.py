"""A program whose names and values are made for it: nothing that traceonce says about it reaches a terminal or CI."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import unicodedata

import pytest

from tests.cli.shells import TOO_LONG, Shell

SCRIPT = "tr\x1b]0;file\x07ain \u202egnp.py"
PROGRAM = """\
import sys
import tensorflow as tf

def step(x, mode):
    return x

step.__name__ = step.__qualname__ = "step\\x1b]0;owned\\x07\\n::add-mask::secret\\n\\u202eevil"
class Mode:
    pass
Mode.__name__ = Mode.__qualname__ = "Mode\\x9b31m\\r"
step = tf.function(step)
for number in range(8):
    step(tf.zeros([2]), f"\\x1b]0;value\\x07\\n::error::{number}\\u202e" if number < 6 else Mode())
raise ValueError("tf.function-decorated function tried to create variables on non-first call. \\x1b]0;died\\x07")
"""
ARGUMENTS = ("--epochs", "it's $(id)", "\x1b]0;argument\x07")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Run once, with its recording in ``run.jsonl``, and what the program itself said thrown away."""
    shell = Shell(tmp_path_factory.mktemp("hostile"))
    shell.write(SCRIPT, PROGRAM)
    shell.traceonce("run", "--quiet", "--recording", "run.jsonl", SCRIPT, *ARGUMENTS)
    return shell


def on_terminal(shell: Shell, *arguments: str) -> str:
    """What a terminal is sent."""
    ours, theirs = pty.openpty()
    environment = shell.environment | {"TERM": "xterm-256color", "COLUMNS": "200"}
    command = [*shell.entry, *arguments]
    with subprocess.Popen(command, cwd=shell.cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
        sent = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so where macOS sends nothing: the other end is closed
                break
            if not part:
                break
            sent += part
        run.wait(TOO_LONG)
    os.close(ours)
    return sent.decode().replace("\r\n", "\n")


def assert_only_shown(text: str, own: str = r"(?!)") -> None:
    """But for our own colours, every character is seen; no line is a command, unless it matches `own`.

    On a busy machine, our own line of progress is shown and wiped out again.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m|\r(?=[^\r\n]*\x1b\[K)|\x1b\[K", "", text)
    assert not {c for c in plain if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert not [line for line in plain.split("\n") if re.match(r"\s*::", line) and not re.match(own, line)]


@pytest.mark.parametrize(
    "arguments", [("report", "run.jsonl"), ("explain", "run.jsonl"), ("explain", SCRIPT), ("fix", "--x" + SCRIPT)]
)
def test_a_terminal_is_sent_our_colours_and_nothing_else(ran: Shell, arguments: tuple[str, ...]) -> None:
    sent = on_terminal(ran, *arguments)
    assert_only_shown(sent)
    assert sent.strip()


def test_the_report_still_says_what_is_there(ran: Shell) -> None:
    sent = ran.traceonce("report", "run.jsonl").text
    assert_only_shown(sent)
    assert "step\\x1b]0;owned\\x07\\n::add-mask::secret\\n\\u202eevil  retraced" in sent
    assert "tr\\x1b]0;file\\x07ain \\u202egnp.py:" in sent
    assert "The program ended with ValueError: tf.function-decorated" in sent


def test_annotations_are_ours_alone(ran: Shell) -> None:
    sent = ran.traceonce("report", "run.jsonl", "--format", "github").text
    assert_only_shown(sent, r"::(warning|error) file=")
    assert sent.startswith("::")


def test_a_shell_runs_the_command_that_is_suggested(ran: Shell) -> None:
    sent = ran.traceonce("report", "run.jsonl").text
    (command,) = {found[1] for found in re.finditer(r"not run: (traceonce fix .*) tries and proves it", sent)}
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True, timeout=60)
    words = [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]
    assert words == ["traceonce", "fix", SCRIPT, *ARGUMENTS]
    assert shlex.split(command)[:2] == words[:2]


def test_a_limit_and_the_log_say_it_in_lines_of_their_own(ran: Shell) -> None:
    """Python's own traceback, with the name of the file as it is, stands between the two."""
    said = ran.python(SCRIPT, env={"TRACEONCE_LIMIT": "3", "TRACEONCE_LOG": "1"}).errors
    name = "step\\x1b]0;owned\\x07\\n::add-mask::secret\\n\\u202eevil"
    (logged,) = [line for line in said.split("\n") if "retraced, the 1st time" in line]
    assert logged.startswith(name)
    assert_only_shown(logged)
    _, function, message = said.rpartition("The function '")
    assert function
    assert message.startswith(f"{name}' has been retraced 3 times. The tracing limit has been reached.")
    assert_only_shown(message)
