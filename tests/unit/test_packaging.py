"""What is published beside the wheel says what pyproject.toml says; hooks and workflows name what there is."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from traceonce.commands.main import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_conda_recipe_is_that_of_the_project() -> None:
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == PROJECT["version"]
    assert recipe["about"]["license"] == PROJECT["license"]
    wanted = {re.sub(r"\s*;.*", "", each).replace(">=", " >=") for each in PROJECT["dependencies"]}
    assert set(recipe["requirements"]["run"]) == wanted | {f"python {PROJECT['requires-python']}"}
    (script,) = recipe["build"]["python"]["entry_points"]
    assert script == f"traceonce = {PROJECT['scripts']['traceonce']}"


@pytest.mark.parametrize(
    "hook", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()), ids=lambda hook: hook["id"]
)
def test_a_hook_runs_a_command_that_exists_on_the_files_it_is_for(hook: dict[str, str], tmp_path: Path) -> None:
    program, *words = shlex.split(hook["entry"])
    assert program == "traceonce"
    assert CliRunner().invoke(cli, [*words, "--help"]).exit_code == 0
    wrong = tmp_path / "traces.json"
    wrong.write_text("{}{")
    assert CliRunner().invoke(cli, [*words, str(wrong)]).exit_code != 0
    meant = {"baseline": "project/traces.json", "knowledge": "base/records/jax/one.json"}[words[0]]
    assert re.search(hook["files"], meant)
    assert not re.search(hook["files"], "package.json")


def test_a_release_is_made_by_a_tag_alone_and_asks_for_no_more_than_it_needs() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML takes `on` for a truth value
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["build"]["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["publish"]["needs"] == "build"
    assert workflow["jobs"]["publish"]["environment"] == "release"
    (check,) = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "GITHUB_REF_NAME" in step.get("run", "")]
    pattern = re.search(r's/\^version = "\\\(\.\*\\\)"\$/\\1/p', check)
    assert pattern
    versions = re.findall(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert versions == [PROJECT["version"]], "the workflow reads the only line of this form"
