"""What a newcomer types first: nothing, --help, completion, doctor; and the checks of a pre-commit hook."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from traceonce.commands.main import FIRST, cli


def said(*arguments: str, **extra: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, list(arguments), prog_name="traceonce", env=extra)
    return result.exit_code, result.output


@pytest.mark.parametrize("arguments", [(), ("--help",)], ids=["alone", "help"])
def test_three_commands_come_first_with_examples(arguments: tuple[str, ...]) -> None:
    _, text = said(*arguments)
    rows = [line.split()[0] for line in text.partition("Start here:")[2].splitlines() if line.startswith("  ")]
    assert rows[:3] == list(FIRST) == ["run", "fix", "explain"]
    examples = text.partition("Examples:")[2]
    assert all(f"\n  {example}" in examples for example in FIRST.values())


COMPLETED = {
    "traceonce ": "run",
    "traceonce kn": "knowledge",
    "traceonce knowledge sh": "show",
    "traceonce run --fo": "--format",
    "traceonce run --on-limit w": "warn",
    "traceonce completion z": "zsh",
}


@pytest.mark.parametrize("words", COMPLETED)
def test_words_are_completed(words: str) -> None:
    """As bash asks for them."""
    asked = words.split(" ")
    _, text = said(_TRACEONCE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(asked) - 1))
    assert f"plain,{COMPLETED[words]}" in text.splitlines()


@pytest.mark.parametrize(
    "words", ["traceonce run tr", "traceonce run -m ", "traceonce run train.py --le", "traceonce fix "]
)
def test_files_are_completed_where_a_program_is_named(words: str) -> None:
    asked = words.split(" ")
    _, text = said(_TRACEONCE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(asked) - 1))
    assert [line.partition(",")[0] for line in text.splitlines()] == ["file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_can_be_read_by_its_shell(shell: str, tmp_path: Path) -> None:
    status, script = said("completion", shell)
    assert status == 0
    assert "_TRACEONCE_COMPLETE" in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def write(folder: Path, functions: dict[str, dict[str, int]]) -> Path:
    file = folder / "traces.json"
    file.write_text(json.dumps({"schema": "traceonce.baseline/1", "functions": functions}))
    return file


def test_a_baseline_whose_files_exist_is_fine(tmp_path: Path) -> None:
    """Functions of libraries are named from their package on, and lie elsewhere."""
    (tmp_path / "train.py").touch()
    accepted = {"train_step (train.py)": {"retraces": 3}, "one_step (keras/src/trainer.py)": {"retraces": 1}, "f": {}}
    assert said("baseline", str(write(tmp_path, accepted))) == (0, "")


def test_a_baseline_for_a_file_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    file = write(tmp_path, {"step (train.py)": {"retraces": 3}, "Gpt.loss (models/gpt.py)": {"retraces": 1}})
    status, text = said("baseline", str(file))
    assert status == 1
    assert f"{file}: step (train.py): the file is gone" in text
    assert f"{file}: Gpt.loss (models/gpt.py): the file is gone" in text
