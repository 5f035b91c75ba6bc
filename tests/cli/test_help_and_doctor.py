"""What the commands say about themselves, and about the frameworks that are installed."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Sequence

import pytest

from tests.cli.shells import Outcome, Shell

COMMANDS = ("run", "report", "doctor")


def test_the_version(either_shell: Shell) -> None:
    outcome = either_shell.traceonce("--version")
    assert outcome == (0, f"traceonce, version {importlib.metadata.version('traceonce')}\n".encode(), b"")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help(either_shell: Shell, option: str) -> None:
    outcome = either_shell.traceonce(option)
    assert (outcome.status, outcome.err) == (0, b"")
    assert outcome.text.startswith("Usage: traceonce [OPTIONS] COMMAND")
    assert "traceonce run train.py" in outcome.text
    for command in COMMANDS:
        assert f"\n  {command} " in outcome.text


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command(either_shell: Shell, command: str) -> None:
    outcome = either_shell.traceonce(command, "--help")
    assert (outcome.status, outcome.err) == (0, b"")
    assert outcome.text.startswith(f"Usage: traceonce {command} ")
    assert not either_shell.home.exists()


def test_the_help_of_run_names_every_option_and_its_choices(shell: Shell) -> None:
    text = shell.traceonce("run", "--help").text
    for words in ("(SCRIPT | -m MODULE | -c CODE) [ARGS]", "--recording", "--format", "--output", "--fail-on", "--xla",
                  "--quiet", "text, json", "retracing", "bounded", "stale", "confused", "failed"):  # fmt: skip
        assert words in text


def test_help_loads_no_other_command(shell: Shell) -> None:
    """The parts of a command are imported when it is called."""
    code = (
        "import atexit, sys; sys.argv = ['traceonce', '--help'];"
        "atexit.register(lambda: print(sorted(sys.modules), file=sys.stderr));"
        "from traceonce.commands.main import main; main()"
    )
    modules = shell.python("-c", code).errors
    assert "'traceonce.commands.main'" in modules
    for name in ("tensorflow", "numpy", "rich", "traceonce.facts", "traceonce.commands.run", "traceonce.diagnosis"):
        assert f"'{name}'" not in modules


def test_the_doctor(shell: Shell) -> None:
    """The real frameworks: it names their versions and the hooks, and has seen both traces of each."""
    outcome = shell.traceonce("doctor")
    assert outcome.status == 0, outcome.text + outcome.errors
    assert outcome.text.startswith(f"traceonce {importlib.metadata.version('traceonce')}, Python 3.")
    assert "oneDNN" not in outcome.errors, "TensorFlow's start-up log stands between the answers"
    assert "cpu_feature_guard" not in outcome.errors
    parts = dict(re.findall(r"^(\w+): (\S+ \S+ is installed.*?)(?=^\w|\Z)", outcome.text, re.MULTILINE | re.DOTALL))
    assert list(parts) == ["tensorflow", "jax", "torch"]
    for name, text in parts.items():
        distribution, version, _ = text.split(" ", 2)
        assert version == importlib.metadata.version(distribution)
        assert distribution.startswith(name)
        assert re.search(r"^  hook: (?!none)", text, re.MULTILINE), text
        assert "seen: 2 → works" in text
        assert "note:" not in text
    assert outcome.text.splitlines()[-1] == "Ready for tensorflow, jax and torch. Next: traceonce run train.py"
    assert "hook: cache misses (tracing_compilation._create_concrete_function)" in parts["tensorflow"]
    assert not shell.home.exists()


HIDING = """\
import importlib.metadata, sys

HIDDEN, BROKEN = {hidden!r}, {broken!r}

def version(name, real=importlib.metadata.version):
    if name.partition("-")[0] in HIDDEN or (name.startswith("tf-") and "tensorflow" in HIDDEN):
        raise importlib.metadata.PackageNotFoundError(name)
    return real(name)

importlib.metadata.version = version
sys.modules |= dict.fromkeys([*HIDDEN, *BROKEN])
sys.argv = ["traceonce", "doctor"]
from traceonce.commands.main import main
main()
"""


def doctor(shell: Shell, hidden: Sequence[str], broken: Sequence[str] = ()) -> Outcome:
    """The doctor where some frameworks are not installed, and others cannot be imported."""
    shell.write("elsewhere.py", HIDING.format(hidden=list(hidden), broken=list(broken)))
    return shell.python("elsewhere.py")


def test_the_doctor_where_nothing_is_installed(shell: Shell) -> None:
    """Not installed is no failure, and the remedy is named for each."""
    outcome = doctor(shell, ["tensorflow", "jax", "torch"])
    assert outcome.status == 0, outcome.errors
    for name in ("tensorflow", "jax", "torch"):
        assert f"{name}: not installed; to watch it: pip install 'traceonce[{name}]'" in outcome.text
    assert outcome.text.splitlines()[-1].startswith("Not ready: no framework is installed in this environment.")


def test_the_doctor_where_a_framework_cannot_be_imported(shell: Shell) -> None:
    """It is said, with status 1, and the others are tried all the same."""
    outcome = doctor(shell, ["torch"], ["tensorflow"])
    assert outcome.status == 1
    broken, _, others = outcome.text.partition("\njax: ")
    assert "unusable: ModuleNotFoundError: " in broken
    assert "seen: 2 → works" in others
    assert "torch: not installed" in others
    last = outcome.text.splitlines()[-1]
    assert last.startswith("Not ready for tensorflow: see above;")
    assert last.endswith("jax can be watched: traceonce run train.py")
    assert outcome.err == b""
