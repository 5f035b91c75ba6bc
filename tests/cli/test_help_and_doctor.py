"""What the commands say about themselves, and about the frameworks that are installed."""

from __future__ import annotations

import importlib.metadata

import pytest
from shells import Shell

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
    for name in ("tensorflow", "numpy", "rich", "traceonce.facts", "traceonce.commands.run", "traceonce.explain"):
        assert f"'{name}'" not in modules


def test_the_doctor(shell: Shell) -> None:
    """Real TensorFlow: it names the version and the hook, and has seen both traces."""
    outcome = shell.traceonce("doctor")
    assert outcome.status == 0, outcome.errors
    assert outcome.text.startswith(f"traceonce {importlib.metadata.version('traceonce')}, Python 3.")
    assert "tensorflow: tensorflow" in outcome.text
    assert "hook: cache misses (tracing_compilation._create_concrete_function)" in outcome.text
    assert "seen: 2 → works" in outcome.text
    assert not shell.home.exists()


def test_the_doctor_where_nothing_is_installed(shell: Shell) -> None:
    """Not installed is no failure, and the remedy is named."""
    shell.write(
        "elsewhere.py",
        """\
        import importlib.metadata, sys

        def version(name, real=importlib.metadata.version):
            if "tensorflow" in name or name.startswith("tf-"):
                raise importlib.metadata.PackageNotFoundError(name)
            return real(name)

        importlib.metadata.version = version
        sys.modules["tensorflow"] = None
        sys.argv = ["traceonce", "doctor"]
        from traceonce.commands.main import main
        main()
        """,
    )
    outcome = shell.python("elsewhere.py")
    assert outcome.status == 0, outcome.errors
    assert "tensorflow: not installed" in outcome.text
    assert "pip install 'traceonce[tensorflow]'" in outcome.text


def test_the_doctor_where_the_framework_cannot_be_imported(shell: Shell) -> None:
    code = (
        "import sys; sys.modules['tensorflow'] = None; sys.argv = ['traceonce', 'doctor'];"
        "from traceonce.commands.main import main; main()"
    )
    outcome = shell.python("-c", code)
    assert outcome.status == 1
    assert "cannot be used: " in outcome.text
    assert outcome.err == b""
