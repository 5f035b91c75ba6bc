"""Write what is made from the code: causes, records, recipes, commands, pictures, figures. ``--check``: only compare.

python docs/generate.py [--check]
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Container
from pathlib import Path

from generators import (
    api_page,
    benchmarks,
    commands_page,
    console_blocks,
    report_schema,
    terminal_picture,
    tracing_pictures,
)

from traceonce.causes.description import describe
from traceonce.facts import CauseCode
from traceonce.fix.candidate import Example, Recipe
from traceonce.fix.kit import Kit, kit_of
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.knowledge.claims import load_claims, load_programs
from traceonce.knowledge.claims.page import render_claims
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.record import Record
from traceonce.knowledge.render import Language, render_markdown
from traceonce.knowledge.validation.rules import describe_rules
from traceonce.prove import judgement

DOCS = Path(__file__).parent
GUIDE = DOCS / "knowledge.md"
FIXING = DOCS / "fixing.md"
CAUSES = DOCS / "causes.md"
RULES = re.compile(r"(?<=<!-- rules: made by docs/generate.py -->\n).*?(?=<!-- end of rules -->)", re.S)
SECTION = re.compile(r"(?<=^### )(\w+)(\n.*?)(?=^##|\Z)", re.M | re.S)
EXAMPLES = re.compile(r"\n<!-- examples: made by docs/generate.py -->\n.*?<!-- end of examples -->\n", re.S)
MADE_FOLDERS = ("records", "recipes")
SUFFIXES: dict[Language, str] = {"en": ".md", "zh": ".zh.md"}  # as the site tells languages apart
TITLES = {"en": "Records of tracing failures", "zh": "追踪失败记录"}
NOTES = {
    "en": "Every claim on these pages was run. Made by `python docs/generate.py`; the records themselves are in "
    "`src/traceonce/knowledge/records`. [中文](README.zh.md)",
    "zh": "这些页面上的每一条说法都实际运行过。由 `python docs/generate.py` 生成；记录本身位于 "
    "`src/traceonce/knowledge/records`。[English](README.md)",
}
RECIPE_INDEX = """\
# Recipes

Every kind of fix that `traceonce fix` knows. The tests run the examples, and each fixed program is exactly what the
recipe writes. [How fixing works](../fixing.md). Made by `python docs/generate.py` from
`src/traceonce/frameworks/*/recipes`.

## Changes of the source

In the order in which they are tried. `dynamic_shape` accompanies a signature or relaxed shapes. A function may need
several: `hoist+input_signature`.

{written}

## Advice

Never written: these change what the program means, or concern files that are not yours.

{advice}
"""
FRAMEWORKS = {framework.name: framework.title for framework in known_frameworks()}
KITS = {framework.name: kit_of(framework.name) for framework in known_frameworks()}


def pages() -> dict[Path, str]:
    """Every page and picture, and what it should say."""
    whole = {
        **_knowledge_pages(),
        **_recipe_pages(),
        FIXING: _with_proof_rules(FIXING.read_text(encoding="utf-8")),
        CAUSES: _with_examples(CAUSES.read_text(encoding="utf-8")),
        DOCS / "reference" / "commands.md": commands_page.page(),
        DOCS / "reference" / "api.md": api_page.page(),
        DOCS / "reference" / "report.schema.json": report_schema.schema(),
    }
    return {**_filled_pages(whole.keys()), **whole, **_pictures()}


def _filled_pages(made: Container[Path]) -> dict[Path, str]:
    """Pages written by hand, in which a comment asks for what a command says or what a benchmark measured."""
    texts = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md") if path not in made}
    asking = {path: text for path, text in texts.items() if "<!-- shown: " in text or "<!-- figures: " in text}
    return {path: benchmarks.fill(console_blocks.fill(text)) for path, text in asking.items()}


def _pictures() -> dict[Path, str]:
    drawn = {f"tracing-{name}": tracing_pictures.draw(name) for name in tracing_pictures.ROADS}
    drawn |= {name: draw() for name, draw in benchmarks.PICTURES.items()}
    return {DOCS / "images" / f"{name}.svg": text for name, text in drawn.items()}


def _knowledge_pages() -> dict[Path, str]:
    records = list(Collection())
    claims, programs = load_claims(), load_programs()
    made = {
        GUIDE: _with_rules(GUIDE.read_text(encoding="utf-8")),
        DOCS / "what-people-say.md": render_claims(claims, programs, "en"),
        DOCS / "what-people-say.zh.md": render_claims(claims, programs, "zh"),
    }
    for language, suffix in SUFFIXES.items():
        made[DOCS / "records" / f"README{suffix}"] = _index(records, language)
        for record in records:
            made[DOCS / "records" / (_record_page(record) + suffix)] = (
                render_markdown(record, language).rstrip("\n") + "\n"
            )
    return made


def _index(records: list[Record], language: Language) -> str:
    lines = [f"# {TITLES[language]}", "", NOTES[language]]
    for framework, name in FRAMEWORKS.items():
        own = [record for record in records if record.domain == framework]
        lines += ["", f"## {name}"] if own else []
        for category in dict.fromkeys(record.category for record in own):
            lines += ["", f"### {category.replace('_', ' ')}", ""]
            for record in own:
                if record.category == category:
                    signature = record.signature if language == "en" else record.signature_zh
                    lines.append(
                        f"- [{_slug(record)}]({_record_page(record)}{SUFFIXES[language]}): {_first(signature)}"
                    )
    return "\n".join(lines) + "\n"


def _record_page(record: Record) -> str:
    """The page of a record, without its suffix, below the folder of all of them; TensorFlow's lie in it."""
    return record.id.removeprefix("tensorflow/")


def _with_rules(guide: str) -> str:
    """The guide, with the rules of validation as they are."""
    rules = "".join(f"- `{name}`: {text}\n" for name, text in describe_rules())
    return RULES.sub(lambda _: f"\n{rules}\n", guide)


def _with_proof_rules(guide: str) -> str:
    """The guide, with the rules of a proof as the module that decides has them."""
    _, _, rules = (judgement.__doc__ or "").partition("\n\n")
    return RULES.sub(lambda _: f"\n{rules}\n", guide)


def _with_examples(guide: str) -> str:
    """The guide, with the examples that the homes of the frameworks have for each cause at the end of its section."""
    return SECTION.sub(lambda section: section[1] + _with_example(CauseCode(section[1]), section[2]), guide)


def _with_example(code: CauseCode, text: str) -> str:
    shown = describe(code, "en").frameworks
    text = EXAMPLES.sub("", text)
    if not shown:
        return text
    names = ", ".join(each.framework for each in shown)
    lines = ["<!-- examples: made by docs/generate.py -->", f"<details><summary>Examples: {names}</summary>", ""]
    for each in shown:
        known = f" Known: [{each.record}](records/{each.record.removeprefix('tensorflow/')}.md)." if each.record else ""
        lines += [f"*{each.framework}*, at `{each.path}`.{known}", "", "```python", each.example.rstrip(), "```", ""]
    lines += ["</details>", "<!-- end of examples -->"]
    return text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n\n" * (text != text.rstrip("\n"))


def _recipe_pages() -> dict[Path, str]:
    causes = _causes_by_recipe()
    folder = DOCS / "recipes"
    made = {}
    for framework, kit in KITS.items():
        for recipe in (*kit.written, *kit.advice):
            path = _path(framework, recipe)
            page = _recipe_page(path, recipe, causes.get(path, []), recipe in kit.advice)
            made.setdefault(folder / f"{path}.md", page)  # what they share: from the one that has an example
    return {folder / "README.md": _recipe_index(causes), **made}


def _path(framework: str, recipe: Recipe) -> str:
    """The page of a recipe, below the folder of all of them: ``jax/hoist``; what all frameworks share lies in it."""
    shared = all(recipe.name in [each.name for each in kit.advice] for kit in KITS.values())
    return recipe.name if shared else f"{framework}/{recipe.name}"


def _causes_by_recipe() -> dict[str, list[str]]:
    """The causes whose section names a recipe."""
    found: dict[str, list[str]] = {}
    for code, text in re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", CAUSES.read_text(encoding="utf-8"), re.M | re.S):
        for name in re.findall(r"\(recipes/([\w/]+)\.md\)", text):
            found.setdefault(name, []).append(code)
    return found


def _recipe_index(causes: dict[str, list[str]]) -> str:
    def rows(framework: str, recipes: tuple[Recipe, ...]) -> str:
        return "\n".join(
            ["| recipe | what it does | causes |", "|---|---|---|"]
            + [
                f"| [`{recipe.name}`]({path}.md) | {recipe.title} | {_links(causes.get(path, []))} |"
                for recipe, path in ((each, _path(framework, each)) for each in recipes)
            ]
        )

    def by_framework(choose: Callable[[Kit], tuple[Recipe, ...]]) -> str:
        return "\n\n".join(f"### {FRAMEWORKS[name]}\n\n{rows(name, choose(kit))}" for name, kit in KITS.items())

    return RECIPE_INDEX.format(
        written=by_framework(lambda kit: kit.written), advice=by_framework(lambda kit: kit.advice)
    )


def _recipe_page(path: str, recipe: Recipe, causes: list[str], is_advice: bool) -> str:
    up = "../" * path.count("/")  # to the folder of all recipes
    parts = [
        f"# {recipe.name}: {_lower(recipe.title)}",
        f"**Causes:** {_links(causes, up)}" if causes else "",
        f"## What it {'suggests' if is_advice else 'does'}\n\n{recipe.what}",
        f"## Why it helps\n\n{recipe.why}",
        *(_example(example) for example in recipe.examples),
        f"## Safety\n\n{_safety(recipe, is_advice)} [What the words mean]({up}../fixing.md#how-far-it-can-be-trusted).",
        f"## Beware\n\n{recipe.beware}",
        f"[All recipes]({up}README.md)",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _example(example: Example) -> str:
    traces = f"{example.traces_before} trace{'s' * (example.traces_before != 1)} → {example.traces_after}"
    if example.repaired is not None and example.traces_after == example.traces_before:
        traces += "; its results become correct"
    lines = [f"## Example: {_lower(example.title)}", "", f"`{example.function}`: {traces}.", ""]
    lines += ["```python", example.program.rstrip("\n"), "```"]
    if example.repaired is not None:
        before, after = (text.splitlines() for text in (example.program, example.repaired))
        diff = difflib.unified_diff(before, after, "train.py", "train.py", lineterm="")
        lines += ["", "Use instead:", "", "```diff", *diff, "```"]
    elif example.advice is not None:
        lines += ["", "Advice:", "", "```python", example.advice, "```"]
    return "\n".join(lines)


def _safety(recipe: Recipe, is_advice: bool) -> str:
    """What `prove.judgement.label` makes of it."""
    if is_advice:
        return "*advice*: never written."
    beyond = "*narrow* if a call beyond the run raises; *review* if one differs"
    if recipe.only_moves:
        return f"*safe* if proved and code is only moved, *review* if more changes; {beyond}."
    if recipe.shown_by_probes:
        return f"*safe* if proved and calls beyond the run have the same results; {beyond}, or none could be tried."
    return "*review*, even if proved: calls beyond the run cannot show that it is correct for all others."


def _links(causes: list[str], up: str = "") -> str:
    return ", ".join(f"[{code}]({up}../causes.md#{code})" for code in causes) or "any"


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def _slug(record: Record) -> str:
    return record.id.rpartition("/")[2]


def _first(text: str, length: int = 120) -> str:
    shown = text if len(text) <= length else text[:length] + " …"
    return "`" + shown.replace("`", "'") + "`"


def main() -> None:
    made = pages()
    there = {path for folder in MADE_FOLDERS for path in (DOCS / folder).rglob("*.md")}
    if "--check" not in sys.argv:  # how it is drawn is up to the version of rich
        made[DOCS / "images" / "terminal.svg"] = terminal_picture.draw("tensorflow_before")
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    left = sorted(there - made.keys())
    if "--check" in sys.argv:
        for path in (*stale, *left):
            print(f"{path.relative_to(DOCS)}: is out of date; run: python docs/generate.py")
        raise SystemExit(1 if stale or left else 0)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    for path in left:
        path.unlink()
    print(f"{len(stale)} of {len(made)} pages written, {len(left)} removed")


if __name__ == "__main__":
    main()
