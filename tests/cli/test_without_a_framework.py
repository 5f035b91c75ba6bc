"""A program that imports no framework pays next to nothing; where one is not installed, it is said how to get it."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import traceonce
from tests.cli.shells import Outcome, Shell

MODULES = "import sys; print(sorted(sys.modules))"
INSTALL = {name: f"pip install 'traceonce[{name}]'" for name in ("tensorflow", "jax", "torch")}


def without(shell: Shell, missing: Sequence[str], *arguments: str) -> Outcome:
    """Run a command where these frameworks are not installed."""
    hidden = "".join(f"sys.modules[{name!r}] = None; " for name in missing)
    code = (
        "import importlib.metadata, sys\n"
        "def version(name, real=importlib.metadata.version):\n"
        f"    if name.partition('-')[0] in {(*missing, 'tf' if 'tensorflow' in missing else '')!r}:\n"
        "        raise importlib.metadata.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "importlib.metadata.version = version\n"
        f"{hidden}sys.argv = ['traceonce', *sys.argv[1:]]\n"
        "from traceonce.commands.main import main; main()"
    )
    return shell.python("-c", code, *arguments)


@pytest.fixture
def loaded(shell: Shell) -> set[str]:
    """The modules that are in a watched process and not in a plain one."""
    plain, watched = (set(ast.literal_eval(run("-c", MODULES).text)) for run in (shell.python, shell.run))
    return watched - plain


def test_no_framework_and_no_report_is_loaded(loaded: set[str]) -> None:
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & {"tensorflow", "keras", "numpy", "jax", "torch", "click", "rich", "multiprocessing", "subprocess"}
    rooms = {name for name in loaded if name.startswith("traceonce.")}
    frameworks = ("frameworks.tensorflow", "frameworks.jax", "frameworks.torch")
    later = ("commands", "diagnosis", "report", "api", "observe.launch", *frameworks)
    assert not {name for name in rooms if name.startswith(tuple(f"traceonce.{room}" for room in later))}


def test_next_to_nothing_is_loaded(loaded: set[str]) -> None:
    """Waiting for an import takes a finder on `sys.meta_path`, and neither facts nor a JSON library."""
    ours = sorted(name for name in loaded if name.partition(".")[0] == "traceonce")
    assert len(ours) <= 8, ours
    heavy = {"msgspec", "typing_extensions", "importlib.metadata", "email", "inspect", "uuid"}
    assert not loaded & heavy


def test_the_report_says_that_nothing_was_traced(either_shell: Shell) -> None:
    either_shell.write("plain.py", "print('hello')")
    outcome = either_shell.traceonce("run", "plain.py")
    assert (outcome.status, outcome.out) == (0, b"hello\n")
    assert outcome.errors.startswith("traceonce  no function was traced\n")
    assert "never imported a framework" in outcome.errors
    assert "(traceonce doctor lists them)" in outcome.errors
    assert "\x1b" not in outcome.errors


def test_the_report_on_standard_output_where_asked(shell: Shell) -> None:
    outcome = shell.traceonce("run", "--format", "json", "-o", "-", "-c", "print('hello', flush=True); exit(6)", "a")
    first, _, rest = outcome.text.partition("\n")
    report = json.loads(rest)
    assert (outcome.status, first, outcome.err) == (6, "hello", b"")
    assert report["schema"] == "traceonce.recording/1"
    assert report["command"] == ["-c", "print('hello', flush=True); exit(6)", "a"]
    assert (report["exit_code"], report["functions"], report["events"]) == (6, [], [])
    assert report["seconds"] > 0


@pytest.mark.parametrize("verdict", ["retracing", "bounded", "failed", "stale", "confused", "recompiling"])
def test_nothing_to_fail_on(shell: Shell, verdict: str) -> None:
    assert shell.traceonce("run", "--fail-on", verdict, "-c", "pass").status == 0


def test_a_limit_for_no_function_is_said_also_with_quiet(shell: Shell) -> None:
    outcome = shell.traceonce("run", "--quiet", "--max-traces", "nosuch=2", "-c", "pass")
    said = "traceonce: max_traces nosuch: no function of this name was traced; traced: none\n"
    assert (outcome.status, outcome.errors) == (0, said)


def test_the_last_run_is_remembered(shell: Shell) -> None:
    for number in (4, 5):
        assert shell.run("-c", f"raise SystemExit({number})").status == number
    outcome = shell.traceonce("report", "--latest", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["exit_code"]) == (0, 5)
    assert len(list((shell.home / "recordings").iterdir())) == 2


def test_a_recording_cut_short_by_its_writer(shell: Shell) -> None:
    """A process that dies in the middle of a line (a full disk) does not take the run's ending with it."""
    shell.write(
        "dies.py",
        """\
        import os
        line = '{"entry":"header","schema":"traceonce.recording/1","run":"r","process":"1","clock":1.0}'
        open("run.jsonl", "w").write(line + '\\n{"entry":"notice","te')
        os._exit(5)
        """,
    )
    assert shell.run("--recording", "run.jsonl", "dies.py").status == 5
    outcome = shell.traceonce("report", "run.jsonl", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["exit_code"]) == (0, 5)
    assert "line 2" in outcome.text


@pytest.mark.parametrize("name", INSTALL)
def test_a_program_that_wants_a_framework_is_told_how_to_get_it(shell: Shell, name: str) -> None:
    """`run` and `fix` say it beside the program's own error; what is installed is not spoken of."""
    shell.write("train.py", f"raise ModuleNotFoundError(\"No module named '{name}'\")")
    ran = without(shell, [name], "run", "train.py")
    assert ran.status == 1
    assert f"{name}: {INSTALL[name]}" in ran.errors.replace("\n", " ")
    assert not any(command in ran.errors for other, command in INSTALL.items() if other != name)


@pytest.mark.parametrize("name", INSTALL)
def test_fix_says_what_to_install(shell: Shell, name: str) -> None:
    shell.write("train.py", f"raise ModuleNotFoundError(\"No module named '{name}'\")")
    fixed = without(shell, INSTALL, "fix", "train.py")
    assert fixed.status != 0
    assert f"{name} is not installed here: {INSTALL[name]}" in fixed.errors


def test_where_no_framework_is_installed_each_is_named_once(shell: Shell) -> None:
    outcome = without(shell, list(INSTALL), "run", "-c", "print('hello')")
    assert (outcome.status, outcome.text) == (0, "hello\n")
    assert [outcome.errors.count(f"'traceonce[{name}]'") for name in INSTALL] == [1, 1, 1]


@pytest.mark.parametrize("name", INSTALL)
def test_records_of_a_framework_that_is_not_installed(shell: Shell, name: str) -> None:
    records = Path(traceonce.__file__).parent / "knowledge" / "records" / name
    slug = min(path.stem for path in records.glob("*.json"))
    outcome = without(shell, [name], "knowledge", "verify", "--check", f"{name}/{slug}")
    assert outcome.status == 2
    assert INSTALL[name] in outcome.errors


def test_what_needs_no_framework_works_without_one(shell: Shell) -> None:
    for arguments in (("knowledge", "list"), ("--version",)):
        outcome = without(shell, list(INSTALL), *arguments)
        assert (outcome.status, outcome.err) == (0, b""), arguments
