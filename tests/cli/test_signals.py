"""Signals that are sent to traceonce reach the program; a terminal's Ctrl-C reaches it once; nobody is left behind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest

from tests.cli.shells import TOO_LONG, Shell, read_until, restore_interrupts
from tests.our_files import PACKAGE

CATCHING = """\
import os, signal, sys, time

interrupts = 0

def say(*words):  # `print` cannot be interrupted by itself
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def count(number, frame):
    global interrupts
    interrupts += 1
    say("interrupted")

def leave(number, frame):
    say("caught", signal.Signals(number).name, "after", interrupts)
    sys.exit(9)

signal.signal(signal.SIGINT, count)
for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, leave)
say("ready", os.getpid())
while True:
    time.sleep(60)
"""


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The two ends of a pseudo-terminal: the keyboard's and the program's."""
    keyboard, screen = pty.openpty()
    yield keyboard, screen
    os.close(keyboard)
    os.close(screen)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT])
def test_a_signal_reaches_the_programs_handler(either_shell: Shell, number: signal.Signals) -> None:
    either_shell.write("catching.py", CATCHING)
    process = either_shell.start(*either_shell.entry, "run", "--quiet", "catching.py")
    read_until(process, b"ready")
    process.send_signal(number)
    out, err = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out, err) == (9, f"caught {number.name} after 0\n".encode(), b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_the_program_does_not_catch(either_shell: Shell, number: signal.Signals) -> None:
    """The program dies of it, and so do we: a KeyboardInterrupt shows the program's own lines only."""
    either_shell.write("waiting.py", "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(60)\n")
    process = either_shell.start(*either_shell.entry, "run", "--quiet", "waiting.py")
    read_until(process, b"ready")
    process.send_signal(number)
    out, err = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (-number, b"")
    assert err.count(b"Traceback") == err.count(b"KeyboardInterrupt") == (1 if number == signal.SIGINT else 0)
    assert not re.search(rb"^traceonce", err, re.MULTILINE)
    assert PACKAGE.encode() not in err


def test_the_report_comes_after_an_interrupt(shell: Shell) -> None:
    shell.write("waiting.py", "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(60)\n")
    process = shell.start(*shell.entry, "run", "--recording", "run.jsonl", "waiting.py")
    read_until(process, b"ready")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=TOO_LONG)
    assert process.returncode == -signal.SIGINT
    assert b"no function was traced" in err
    assert b'"code":-2' in (shell.cwd / "run.jsonl").read_bytes()


def test_a_signal_that_is_ignored_stays_ignored(shell: Shell) -> None:
    """As ``nohup traceonce run train.py &`` wants it."""
    shell.write("catching.py", CATCHING)

    def ignore() -> None:
        restore_interrupts()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = shell.start(*shell.entry, "run", "--quiet", "catching.py", preexec_fn=ignore)
    read_until(process, b"ready")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (9, b"caught SIGTERM after 0\n")


@pytest.mark.parametrize("keyboard_is_stdin", [True, False], ids=["stdin is the terminal", "stdin is redirected"])
def test_the_terminals_interrupt_arrives_once(shell: Shell, terminal: tuple[int, int], keyboard_is_stdin: bool) -> None:
    """The terminal sends Ctrl-C to every process in the foreground: passed on, it would arrive twice.

    We are halted until the program has had its own, so that two cannot melt into one. SIGTERM, passed on after it,
    makes the program tell how many it has had.
    """
    keyboard, screen = terminal
    shell.write("catching.py", CATCHING)

    def own_the_terminal() -> None:
        restore_interrupts()
        os.setsid()
        fcntl.ioctl(screen, termios.TIOCSCTTY, 0)

    process = shell.start(
        *shell.entry,
        "run",
        "--quiet",
        "catching.py",
        stdin=screen if keyboard_is_stdin else subprocess.DEVNULL,
        preexec_fn=own_the_terminal,
        pass_fds=[screen],
    )
    read_until(process, b"ready")
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    os.write(keyboard, b"\x03")
    read_until(process, b"interrupted")
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (9, b"caught SIGTERM after 1\n")


def test_an_interrupt_sent_to_us_alone_arrives_on_a_terminal_too(shell: Shell, terminal: tuple[int, int]) -> None:
    """A supervisor's ``kill -INT`` is not a Ctrl-C: nobody else sends it to the program."""
    shell.write("catching.py", CATCHING)
    process = shell.start(*shell.entry, "run", "--quiet", "catching.py", stdin=terminal[1])
    read_until(process, b"ready")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=TOO_LONG)
    assert process.returncode == 9
    assert out.endswith(b"caught SIGTERM after 1\n")


CLEANING_UP = """\
import os, time

try:
    os.write(1, b"ready\\n")
    time.sleep(60)
finally:
    time.sleep(0.3)
    os.write(1, b"cleaned up\\n")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_to_the_whole_group_arrives_once(shell: Shell, number: signal.Signals) -> None:
    """``kill -INT -- -GROUP``, as supervisors do it. We are halted until the program has had its own."""
    shell.write("catching.py", CATCHING.replace("signal.signal(number, leave)", "signal.signal(number, count)", 1))
    process = shell.start(
        *shell.entry, "run", "--quiet", "catching.py", preexec_fn=restore_interrupts, start_new_session=True
    )
    read_until(process, b"ready")
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    os.killpg(process.pid, number)
    read_until(process, b"interrupted")
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGHUP)  # to us alone: passed on, after whatever came before it
    out, _ = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (-signal.SIGHUP, b"")


def test_an_interrupt_of_the_group_does_not_cut_the_clean_up_off(shell: Shell) -> None:
    """As `python` would have it: one KeyboardInterrupt, and what the program does then is left alone."""
    shell.write("cleaning.py", CLEANING_UP)
    process = shell.start(
        *shell.entry, "run", "--quiet", "cleaning.py", preexec_fn=restore_interrupts, start_new_session=True
    )
    read_until(process, b"ready")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (-signal.SIGINT, b"cleaned up\n")
    assert err.count(b"KeyboardInterrupt") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the Linux kernel for it")
def test_killing_us_ends_the_program(shell: Shell, started: list[int]) -> None:
    """The end of its output shows that the program is gone."""
    shell.write("catching.py", CATCHING)
    process = shell.start(*shell.entry, "run", "catching.py")
    started.append(int(read_until(process, b"ready")[-1].split()[1]))
    process.kill()
    out, _ = process.communicate(timeout=TOO_LONG)
    assert (process.returncode, out) == (-signal.SIGKILL, b"")
