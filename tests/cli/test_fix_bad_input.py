"""`traceonce fix` on programs that it can do nothing with, and on those that are awkward to run again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.shells import Shell

RETRACING = """\
import tensorflow as tf

@tf.function
def scale(x, k):
    return x * tf.cast(k, tf.float32)

"""
LOOP = "for k in range(8):\n    print(float(scale(tf.constant(2.0), k)))\n"


def refused(shell: Shell, *arguments: str) -> str:
    before = shell.files()
    outcome = shell.traceonce("fix", *arguments)
    assert outcome.status == 2, outcome.errors
    assert outcome.out == b""
    assert "Traceback" not in outcome.errors
    assert shell.files() == before, "something was written"
    return outcome.errors


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["Nothing to fix"]),
        (["--write"], ["Nothing to fix"]),
        (["missing.py"], ["missing.py", "no such script"]),
        (["notebook.ipynb"], ["notebook", "jupyter nbconvert --to script notebook.ipynb"]),
        (["-"], ["standard input", "name a script"]),
        (["--calls", "0", "ok.py"], ["--calls"]),
        (["--timeout", "soon", "ok.py"], ["--timeout"]),
        (["--no-such-option", "ok.py"], ["--no-such-option"]),
        (["--json", "no/such/folder.json", "ok.py"], ["--json", "folder"]),
        (["--input", "missing.txt", "ok.py"], ["--input missing.txt"]),
        (["latin.py"], ["latin.py", "encoding", "UTF-8"]),
    ],
)
def test_what_cannot_be_asked_for(shell: Shell, arguments: list[str], expected: list[str]) -> None:
    """Said before anything is run."""
    shell.write("ok.py", RETRACING + LOOP)
    shell.write("notebook.ipynb", "{}")
    (shell.cwd / "latin.py").write_bytes("name = 'é'\n".encode("latin-1"))
    message = refused(shell, *arguments)
    for word in expected:
        assert word in message


AS_ANOTHER_USER = """
import os, sys
sys.path[:0] = {path!r}
from traceonce.commands.fix import check_program
from traceonce.errors import UsageError
from traceonce.observe.launch import Target
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    check_program(Target("script", {script!r}, ()), write={write}, stdin=None)
except UsageError as error:
    print(error)
"""


@pytest.mark.parametrize("write", [True, False], ids=["with --write", "for a diff"])
def test_a_script_that_is_not_writable(shell: Shell, write: bool) -> None:
    """Said before anything is run; nothing is unwritable to the administrator, so another user asks."""
    script = shell.write("train.py", RETRACING + LOOP)
    for folder in (shell.cwd, *shell.cwd.parents):
        if "pytest-of-" in str(folder):
            folder.chmod(0o755)
    script.chmod(0o444)
    code = AS_ANOTHER_USER.format(path=sys.path, script=str(script), write=write)
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    assert ("not writable" in asked.stdout) is write


def test_a_script_that_fails_before_the_first_trace(shell: Shell) -> None:
    shell.write("train.py", "import tensorflow as tf\nraise ValueError('no data here')\n")
    message = refused(shell, "train.py")
    assert "failed before any function was traced (exit status 1): ValueError: no data here" in message
    assert "python train.py" in message


def test_a_script_that_reads_standard_input(shell: Shell) -> None:
    """Each run gets the same input, or none."""
    shell.write("train.py", RETRACING + "count = int(input())\n" + LOOP.replace("8", "count"))
    assert "--input FILE" in refused(shell, "train.py")
    shell.write("count.txt", "9\n")
    outcome = shell.traceonce("fix", "--input", "count.txt", "train.py")
    assert outcome.status == 0, outcome.errors
    assert "9 traces → 1" in outcome.errors


def test_a_script_that_never_ends_is_ended_by_its_calls(shell: Shell) -> None:
    shell.write(
        "train.py", RETRACING + "k = 0\nwhile True:\n    print(float(scale(tf.constant(2.0), k)))\n    k += 1\n"
    )
    outcome = shell.traceonce("fix", "--calls", "12", "train.py")
    assert outcome.status == 0, outcome.errors
    assert "12 traces → 1" in outcome.errors
    assert "ended by --calls, after 12 calls" in outcome.errors


def test_a_script_that_never_calls_anything_is_ended_by_its_time(shell: Shell) -> None:
    shell.write("train.py", "import time\nimport tensorflow as tf\nwhile True:\n    time.sleep(0.1)\n")
    message = refused(shell, "--timeout", "2", "train.py")
    assert "timed out after 2 s" in message
    assert "--timeout" in message


def test_a_script_without_retraces_is_left_alone(shell: Shell) -> None:
    shell.write("train.py", RETRACING + "print(float(scale(tf.constant(2.0), 3)))\n")
    outcome = shell.traceonce("fix", "train.py")
    assert outcome.status == 0
    assert outcome.out == b""
    assert "nothing to fix" in outcome.errors


def test_a_script_without_tensorflow_is_left_alone(shell: Shell) -> None:
    shell.write("train.py", "print('hello')\n")
    outcome = shell.traceonce("fix", "train.py")
    assert (outcome.status, outcome.out) == (0, b"")
    assert "no function was traced" in outcome.errors


def test_a_script_that_writes_files_writes_them_elsewhere(shell: Shell) -> None:
    """It resumes from its own checkpoint: each run must find the folder as it is."""
    shell.write("count.txt", "5\n")
    shell.write(
        "train.py",
        RETRACING
        + "import pathlib\nplace = pathlib.Path('count.txt')\nstart = int(place.read_text())\n"
        + "place.write_text(str(start + 100))\n(pathlib.Path(__file__).parent / 'model.txt').write_text('weights')\n"
        + "for k in range(start, start + 8):\n    print(float(scale(tf.constant(2.0), k)))\n",
    )
    before = shell.files()
    outcome = shell.traceonce("fix", "train.py")
    assert outcome.status == 0, outcome.errors
    assert "8 traces → 1" in outcome.errors
    assert shell.files(home=False) == before


def test_a_script_that_spawns_children(shell: Shell) -> None:
    """What it starts ends with it, and the main process is repaired all the same."""
    marker = f"600.{os.getpid()}"
    shell.write(
        "train.py",
        RETRACING
        + f"import os, subprocess\nsubprocess.Popen(['sleep', '{marker}'])\n"
        + f"subprocess.Popen(['sleep', '{marker}'], start_new_session=True)\n"
        + "pid = os.fork()\nif pid == 0:\n    os._exit(0)\nos.waitpid(pid, 0)\n"
        + LOOP,
    )
    outcome = shell.traceonce("fix", "train.py")
    assert outcome.status == 0, outcome.errors
    assert "8 traces → 1" in outcome.errors
    assert not _running(marker)


def _running(marker: str) -> list[str]:
    """The processes that have this word in their command line."""
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return [command.decode() for command in commands if marker.encode() in command.split(b"\0")]


def test_tabs_and_windows_lines_survive(shell: Shell) -> None:
    text = (RETRACING + LOOP).replace("    ", "\t").replace("\n", "\r\n")
    (shell.cwd / "train.py").write_bytes(text.encode())
    outcome = shell.traceonce("fix", "--write", "train.py")
    assert outcome.status == 0, outcome.errors
    written = (shell.cwd / "train.py").read_bytes()
    assert written != text.encode()
    assert written.count(b"\n") == written.count(b"\r\n")
    assert b"\treturn x * tf.cast(k, tf.float32)\r\n" in written
    assert subprocess.run([shell.interpreter, "-m", "py_compile", "train.py"], cwd=shell.cwd).returncode == 0


def test_a_file_that_changes_in_the_meantime_is_not_overwritten(shell: Shell) -> None:
    script = shell.write(
        "train.py", RETRACING + LOOP + f"open({str(shell.cwd / 'train.py')!r}, 'a').write('# mine\\n')\n"
    )
    outcome = shell.traceonce("fix", "--write", "train.py")
    assert outcome.status == 2
    assert "train.py" in outcome.errors
    assert "again" in outcome.errors
    assert "input_signature" not in script.read_text()


def test_the_diff_can_be_applied_and_the_json_says_the_same(shell: Shell) -> None:
    script = shell.write("train.py", RETRACING + LOOP)
    outcome = shell.traceonce("fix", "--json", "fix.json", "train.py")
    assert outcome.status == 0, outcome.errors
    document = json.loads((shell.cwd / "fix.json").read_text())
    assert document["fix"]["diff"] == outcome.text
    (function,) = document["functions"]
    assert function["traces"] == 8
    (fix,) = function["fixes"]
    assert (fix["recipe"], fix["predicted_traces"]) == ("input_signature", 1)
    assert fix["proof"]["verdict"] == "proved"
    assert (fix["proof"]["before"]["traces"], fix["proof"]["after"]["traces"]) == (8, 1)
    assert fix["proof"]["outputs_equal"] is True
    subprocess.run(["git", "apply", "-"], input=outcome.out, cwd=shell.cwd, check=True)
    again = shell.traceonce("run", "--format", "json", "-o", "run.json", "train.py")
    assert again.status == 0
    assert json.loads((shell.cwd / "run.json").read_text())["functions"][0]["traces"] == 1
    assert "input_signature" in script.read_text()


def test_an_interrupted_fix_leaves_nothing_behind(shell: Shell, tmp_path: Path) -> None:
    shell.write("train.py", RETRACING + "import time\ntime.sleep(600)\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = shell.start(*shell.entry, "fix", "train.py", env=shell.environment | {"TMPDIR": str(temporary)})
    assert process.stderr is not None
    assert b"running the unchanged program" in process.stderr.readline()
    deadline = time.monotonic() + 60
    while not any(temporary.glob("*/results/stdout")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert list(temporary.iterdir()) == []


TWO = """\
import functools
import time

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="step")
def first(x, step):
    return x * step


@functools.partial(jax.jit, static_argnames="step")
def second(x, step):
    return x - step


for step in range(9):
    print(first(jnp.ones(3), step).sum())
for step in range(8):
    print(second(jnp.ones(3), step).sum())
time.sleep(2)
"""


def test_an_interrupted_fix_shows_what_was_proved_and_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    """After the first proof, while the next change runs: what is proved stays, and is for the user to apply."""
    shell.write("train.py", TWO)
    before = shell.files(home=False)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [*shell.entry, "fix", "--write", "--json", str(tmp_path / "fix.json"), "train.py"]
    process = shell.start(*command, env=shell.environment | {"TMPDIR": str(temporary)})
    assert process.stderr is not None
    said = b""
    while b"proved" not in said or b"trying" not in said.rpartition(b"proved")[2]:
        line = process.stderr.readline()
        assert line, said.decode()
        said += line
    process.send_signal(signal.SIGINT)
    out, rest = process.communicate(timeout=60)
    errors = (said + rest).decode()
    assert process.returncode == 130, errors
    assert shell.files(home=False) == before, "nothing is written"
    assert list(temporary.iterdir()) == []
    done, waiting = ("first", "second") if "first: proved" in errors else ("second", "first")
    diff = out.decode()
    assert diff.count("+@") == 1, diff
    assert f"def {done}(" in diff
    assert f"{done}  " in errors.partition("traceonce  ")[2]
    assert "(proved)" in errors
    document = json.loads((tmp_path / "fix.json").read_text())
    assert (document["fix"]["stopped"], document["fix"]["written"]) == ("interrupted", [])
    assert document["fix"]["diff"] == diff
    assert ("not_tried", waiting) in {(each["verdict"], each["function"]) for each in document["fix"]["attempts"]}


def test_a_run_that_is_ended_by_its_time_is_repaired_by_what_was_seen(shell: Shell) -> None:
    shell.write(
        "train.py",
        RETRACING
        + "import time\nk = 0\nwhile True:\n    scale(tf.constant(2.0), k)\n    time.sleep(0.25)\n    k += 1\n",
    )
    outcome = shell.traceonce("fix", "--timeout", "12", "train.py")
    assert outcome.status == 0, outcome.errors
    assert "timed out after" in outcome.errors
    assert "→ 1, same outputs" in outcome.errors


def test_an_option_that_goes_to_the_script_by_mistake_is_pointed_out(shell: Shell) -> None:
    shell.write("train.py", RETRACING + "scale(tf.constant(2.0), 1)\n")
    outcome = shell.traceonce("fix", "train.py", "--wdie")
    assert "traceonce: --wdie is passed to the script; did you mean --wide?\n" in outcome.errors


def test_what_follows_the_script_is_the_scripts_own(shell: Shell) -> None:
    """Also an option that `fix` has itself; since it used to take that, it says who gets it now."""
    script = shell.write("train.py", RETRACING + LOOP + "import sys\nassert sys.argv[1:] == ['--write', '--json=x']\n")
    before = script.read_text()
    outcome = shell.traceonce("fix", "--quiet", "train.py", "--write", "--json=x")
    assert outcome.status == 0, outcome.errors
    assert "input_signature" in outcome.text
    assert script.read_text() == before
    assert [path.name for path in shell.cwd.iterdir()] == ["train.py"]
    for name in ("--write", "--json"):
        hint = f"{name} comes after the script and is passed to it; put it before SCRIPT if it is meant for fix"
        assert f"traceonce: {hint}\n" in outcome.errors


def test_a_program_that_fails_after_its_traces_is_said_to(shell: Shell) -> None:
    shell.write("train.py", RETRACING + "scale(tf.constant(2.0), 1)\nraise KeyError('no such column')\n")
    outcome = shell.traceonce("fix", "train.py")
    assert outcome.status == 1
    assert "the program itself fails: KeyError: 'no such column'" in outcome.errors
