"""The GitHub Action: its steps are executed as written in action.yml, with the program `gh` played by a script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GH = """\
#!/usr/bin/env python3
import json, pathlib, sys
calls = pathlib.Path(__file__).with_name("calls.jsonl")
comments = pathlib.Path(__file__).with_name("comments.json")
there = json.loads(comments.read_text()) if comments.exists() else []
words = sys.argv[1:]
body = next((pathlib.Path(word[6:]).read_text() for word in words if word.startswith("body=@")), None)
calls.open("a").write(json.dumps(words) + "\\n")
if "--jq" in words:
    asked = words[words.index("--jq") + 1]
    mark = asked.partition('startswith("')[2].partition('"')[0]
    assert '.user.type == "Bot"' in asked
    print("\\n".join(str(number) for number, text in enumerate(there, 1) if text.startswith(mark)))
elif "PATCH" in words:
    there[int(words[words.index("PATCH") + 1].rpartition("/")[2]) - 1] = body
else:
    there.append(body)
comments.write_text(json.dumps(there))
"""


class Job:
    """A job on a pull request: its folders, its files, and what the steps before have put out."""

    def __init__(self, folder: Path, inputs: Mapping[str, str]) -> None:
        self.folder = folder
        self.inputs = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()} | dict(inputs)
        self.outputs: dict[str, str] = {}
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / "gh").write_text(GH)
        (folder / "bin" / "gh").chmod(0o755)

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        assert step["shell"] == "bash"
        output = self.folder / "output"
        output.write_text("")
        environment = os.environ | {
            "PATH": f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TRACEONCE_HOME": str(self.folder / "home"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REPOSITORY": "somebody/something",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_WORKSPACE": str(self.folder),
            "RUNNER_TEMP": str(self.folder),
        }
        environment |= {key: self._fill(value) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=240,
        )  # fmt: skip
        self.outputs |= dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done

    def _fill(self, text: str) -> str:
        """An expression of a workflow, as far as action.yml has them."""

        def value(found: re.Match[str]) -> str:
            expression = found[1].strip()
            if expression.startswith("inputs."):
                return self.inputs[expression.removeprefix("inputs.")]
            if expression.startswith("steps.run.outputs."):
                return self.outputs.get(expression.removeprefix("steps.run.outputs."), "")
            return {"github.token": "secret", "github.event.pull_request.number": "7"}[expression]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def comments(self) -> list[str]:
        found: list[str] = json.loads((self.folder / "bin" / "comments.json").read_text())
        return found


RETRACES = """
import sys, jax, jax.numpy as jnp

@jax.jit
def step(x):
    return x * 2

for length in range(1, 8):
    step(jnp.ones(length))
print(sys.argv[1:])
"""


def test_a_program_that_retraces(tmp_path: Path) -> None:
    """Annotations, a summary, SARIF, one comment that is replaced, and a job that fails with the status of the run."""
    (tmp_path / "train.py").write_text(RETRACES)
    job = Job(tmp_path, {"program": "train.py --name 'two words' '$(touch x)'", "fail-on": "retracing bounded"})
    ran = job.run("Run the program")
    assert ran.returncode == 0, ran.stderr
    assert "['--name', 'two words', '$(touch x)']" in ran.stdout
    assert not (tmp_path / "x").exists()
    assert re.search(r"^::\w+ .*file=train\.py", ran.stdout + ran.stderr, re.MULTILINE)
    assert job.outputs["status"] == "3"
    assert (tmp_path / "summary.md").read_text().startswith("## traceonce")
    assert json.loads(Path(job.outputs["sarif"]).read_text())["version"] == "2.1.0"
    for _ in range(2):
        assert job.run("Comment on the pull request").stdout == ""
    (comment,) = job.comments()
    assert re.match(r"<!-- traceonce [\d-]+ -->\n## traceonce", comment)
    assert job.run("Pass or fail").returncode == 3
    job.inputs["program"] = "other.py"
    job.run("Comment on the pull request")
    assert len(job.comments()) == 2


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    """The message is that of traceonce, and nothing is reported."""
    job = Job(tmp_path, {"program": "absent.py"})
    ran = job.run("Run the program")
    assert (ran.returncode, job.outputs) == (2, {})
    assert "absent.py: no such script" in ran.stderr


def test_a_comment_that_may_not_be_written_fails_nothing(tmp_path: Path) -> None:
    """As on pull requests from forks."""
    job = Job(tmp_path, {"program": "train.py"})
    (tmp_path / "bin" / "gh").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "report.md").write_text("## traceonce\n")
    job.outputs["report"] = str(tmp_path / "report.md")
    done = job.run("Comment on the pull request")
    assert done.returncode == 0
    assert done.stdout.startswith("::warning::traceonce could not comment")


def test_the_page_knows_every_input() -> None:
    for page in ("ci.md", "ci.zh.md"):
        table = (ROOT / "docs" / "guides" / page).read_text(encoding="utf-8")
        for name in ACTION["inputs"]:
            assert f"| `{name}` |" in table, (page, name)


@pytest.mark.parametrize("script", sorted((ROOT / "action").glob("*.sh")), ids=lambda path: path.name)
def test_scripts_have_no_lint(script: Path) -> None:
    linter = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run([linter, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
