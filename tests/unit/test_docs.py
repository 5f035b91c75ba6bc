"""The documentation knows every cause, every verdict and every command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from click.testing import CliRunner

import traceonce
from traceonce.commands.main import COMMANDS, cli
from traceonce.facts import CauseCode, Verdict
from traceonce.report.base import FORMATS

ROOT = Path(__file__).parents[2]


def test_every_cause_has_its_section() -> None:
    sections = set(re.findall(r"^### (\w+)$", (ROOT / "docs" / "causes.md").read_text(), re.MULTILINE))
    assert sections == {code.value for code in CauseCode}, "docs/causes.md has a section `### code` for each cause"


def test_the_documentation_knows_every_verdict_form_and_command() -> None:
    def first_column(page: str) -> set[str]:
        return set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / page).read_text(), re.MULTILINE))

    assert first_column("explanation/verdicts.md") == {verdict.value for verdict in Verdict}
    assert set(FORMATS) <= first_column("reports.md")
    commands = (ROOT / "docs" / "reference" / "commands.md").read_text()
    for command in COMMANDS:
        assert f"\n## traceonce {command}\n" in commands


def test_the_readme_can_be_read_in_three_minutes() -> None:
    """Whatever is longer belongs on a page of the site."""
    assert len((ROOT / "README.md").read_text().split()) <= 700


def test_the_reference_knows_every_setting_and_variable() -> None:
    from traceonce.config import Config

    page = (ROOT / "docs" / "reference" / "configuration.md").read_text()
    sources = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    variables = set(re.findall(r"(?<!_)TRACEONCE_[A-Z_]+", sources)) - {"TRACEONCE_RUN"}  # orders for our own processes
    for name in (*Config.__struct_fields__, *variables):
        assert f"| `{name}` |" in page, name


def test_the_reference_knows_every_field_of_the_report() -> None:

    from traceonce.analysis.diagnoses import diagnose_linked
    from traceonce.facts import Recording
    from traceonce.report.json import describe_function

    page = (ROOT / "docs" / "reference" / "json.md").read_text()
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.*?)\|", page, re.MULTILINE))))
    recording = Recording.load(ROOT / "tests" / "recorded" / "translate.jsonl")
    fields = {name for diagnosis in diagnose_linked(recording) for name in describe_function(diagnosis)}
    assert fields - listed == set()


def test_the_documentation_knows_every_option_of_the_plugin_and_every_setting() -> None:
    from traceonce.config import Config
    from traceonce.integrations import pytest_plugin

    page = (ROOT / "docs" / "keeping-it-fixed.md").read_text()
    options = re.findall(r'"(--traceonce[a-z-]*)"', Path(pytest_plugin.__file__).read_text())
    assert len(options) == 4
    for word in (*options, *Config.__struct_fields__):
        assert f"`{word}" in page or f"\n{word} = " in page or f".{word}]" in page, word


def test_the_page_of_the_api_lists_what_is_public_and_nothing_else() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    listed = re.findall(r"^\| `traceonce\.(\w+)", page, re.MULTILINE)
    assert sorted(listed) == sorted(traceonce.__all__)


def test_the_page_of_the_api_names_what_there_is() -> None:
    """Attributes of `seen` there are those of a `Watch`, and the fields named of a fact are its own."""
    page = (ROOT / "docs" / "python.md").read_text()
    for name in set(re.findall(r"\bseen\.(\w+)", page)):
        assert hasattr(traceonce.Watch, name), name
    rows = dict(re.findall(r"^\| `traceonce\.([A-Z]\w+)` \| [^:|]*: (`.*) \|$", page, re.MULTILINE))
    assert {"Diagnosis", "Cause", "Fix", "Explanation"} <= rows.keys()
    for fact, fields in rows.items():
        for field in re.findall(r"`(\w+)(?:\(\w+\))?`", fields):
            assert hasattr(getattr(traceonce, fact), field) or hasattr(traceonce, field), (fact, field)


@pytest.mark.parametrize("name", ["translate_fixed", "silently_wrong", "limited", "healthy"])
def test_a_report_is_valid_by_the_schema_that_the_reference_has(name: str) -> None:
    schema = json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    recording = str(ROOT / "tests" / "recorded" / f"{name}.jsonl")
    report = json.loads(CliRunner().invoke(cli, ["report", recording, "--format", "json"]).output)
    jsonschema.validate(report, schema)
    if report["functions"] and report["functions"][0]["causes"]:
        report["functions"][0]["causes"][0]["count"] = "many"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(report, schema)


def test_the_guide_knows_every_command_of_the_knowledge_base() -> None:
    from traceonce.commands.knowledge import TABLE

    guide = (ROOT / "docs" / "knowledge.md").read_text()
    for command in TABLE:
        assert f"traceonce knowledge {command}" in guide, command


def test_the_guide_to_fixing_knows_every_option_and_label() -> None:
    from traceonce.commands.fix import command
    from traceonce.facts.fix import Safety

    guide = (ROOT / "docs" / "fixing.md").read_text()
    options = [name for parameter in command.params for name in parameter.opts]
    assert "--write" in options
    for word in (*options, *get_args(Safety)):
        assert re.search(rf"^\| `{word}\b", guide, re.MULTILINE), word


def test_every_recipe_has_a_page_that_says_when_it_is_for() -> None:
    from traceonce.fix.kit import kit_of
    from traceonce.frameworks.base.registry import known_frameworks

    recipes, advice = {}, set()
    for framework in known_frameworks():
        kit = kit_of(framework.name)
        for recipe in (*kit.written, *kit.advice):
            shared = recipe.name in ("leave_it", "library_report")
            name = recipe.name if shared else f"{framework.name}/{recipe.name}"
            recipes[name] = recipe
            if recipe in kit.advice:
                advice.add(name)
    folder = ROOT / "docs" / "recipes"
    pages = {
        "/".join(path.relative_to(folder).with_suffix("").parts): path.read_text() for path in folder.rglob("*.md")
    }
    index = pages.pop("README")
    assert pages.keys() == recipes.keys()
    causes = (ROOT / "docs" / "causes.md").read_text()
    assert {*re.findall(r"\(recipes/([\w/]+)\.md\)", causes)} - {"README"} == recipes.keys()
    for name, page in pages.items():
        recipe = recipes[name]
        assert f"]({name}.md)" in index
        for text in (recipe.what, recipe.why, recipe.beware, *(example.program for example in recipe.examples)):
            assert text.strip() in page
        assert ("never written" in page) == (name in advice)


def test_links_between_the_pages_lead_somewhere() -> None:
    by_hand = [
        page
        for folder in ("", "tutorial", "guides", "explanation", "reference")
        for page in (ROOT / "docs" / folder).glob("*.md")
    ]
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *by_hand, *(ROOT / "docs" / "recipes").rglob("*.md")):
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([\w-]+))?\)", page.read_text()):
            there = (page.parent / target).resolve() if target else page
            assert there.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in anchors(there.read_text()), f"{page.name}: {target}#{anchor}"


def anchors(page: str) -> set[str]:
    """The places of a page that can be linked to: as GitHub names its headings, and those named in the text."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    named = re.findall(r'<a (?:id|name)="([^"]+)"', page)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings} | set(named)


def test_the_pages_are_what_the_code_gives() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_number_of_records() -> None:
    from traceonce.knowledge.collection import Collection

    assert f"a base of {len(Collection())} records" in (ROOT / "README.md").read_text()
    of = Counter(name.partition("/")[0] for name in Collection().paths)
    guide = " ".join((ROOT / "docs" / "knowledge.md").read_text().split())
    assert f"There are {of['tensorflow']} for TensorFlow, {of['jax']} for JAX and {of['torch']} for PyTorch" in guide


def test_what_the_guide_says_of_the_claims() -> None:
    from traceonce.knowledge.claims import load_claims

    verdicts = Counter(claim.verdict for claim in load_claims())
    guide = " ".join((ROOT / "docs" / "knowledge.md").read_text().split())
    words = "of {} claims, {true} are true, {false} false, and {sometimes} only sometimes so"
    assert words.format(verdicts.total(), **verdicts) in guide
