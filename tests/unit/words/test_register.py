"""The register of what a user reads: the field's terms, one for each thing, as docs/glossary.md has them.

Vale would need a binary that is fetched while testing, and proselint knows nothing of our terms; neither reads
sentences in Python. So the rules are here: what is not written, what is, and an example of each, which the tests hold
them to. What is older than a rule is counted in `LEFT`. A count may fall, and never rises; a file that is not named has
none.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "traceonce"


class Rule(NamedTuple):
    not_written: str  # an expression
    instead: str
    before: str
    after: str


RULES = [
    Rule(
        r"\b(is|are|was|were) (silently )?(traced|re-traced) (again|anew)\b|\bre-trac",
        "retrace",
        "The function is traced again.",
        "The function retraces.",
    ),
    Rule(
        r"\bthey do it again\b|\bkeeping all of it\b",
        "retrace, and keep every graph",
        "When a call looks different they do it again, keeping all of it.",
        "When a call's signature changes they retrace, and keep every graph.",
    ),
    Rule(
        r"\b(is|are) told (through|of|as|under)\b",
        "is reported via, is reported as",
        "Traces are told through `jax.monitoring`.",
        "Traces are reported via `jax.monitoring`.",
    ),
    Rule(
        r"\btells what works\b",
        "checks what your environment supports",
        "doctor tells what works where you are.",
        "doctor checks what your environment supports.",
    ),
    Rule(
        r"\bfrom the least (one )?up\b|\bthe least (change )?first\b",
        "smallest change first",
        "Changes are tried from the least one up.",
        "Changes are tried, smallest change first.",
    ),
    Rule(
        r"\bcompared with the program run eagerly\b|\bvalue that a trace has kept\b",
        "stale values are checked against an eager run",
        "A wrong value that a trace has kept is compared with the program run eagerly.",
        "Stale values are checked against an eager run.",
    ),
    Rule(
        r"\btakes all arguments of\b|\bmakes a `?tf\.function`? object\b",
        "accepts every argument and returns an object",
        "It takes all arguments of `tf.function`, and makes a `tf.function` object.",
        "Accepts every `tf.function` argument and returns a `tf.function` object.",
    ),
    Rule(
        r"\bneeds one trace more gets\b|\bone trace more than that gets\b",
        "would exceed the limit raises",
        "The call that needs one trace more gets `TracingLimitReached`.",
        "The call that would exceed the limit raises `TracingLimitReached`.",
    ),
    Rule(
        r"\bexact, (also )?with many threads\b",
        "exact, even across threads",
        "It is exact, with many threads, too.",
        "The limit is exact, even across threads.",
    ),
    Rule(r"\bin vain\b", "that don't work", "What people try in vain.", "Fixes that don't work."),
    Rule(r"\b[Ww]hat it does not tell\b", "known limitations", "What it does not tell:", "Known limitations:"),
    Rule(
        r"(^|[.] )(Not c|C)ounted( is|: )",
        "only … are counted",
        "Counted is what your code caused.",
        "Only traces that your code causes are counted.",
    ),
    Rule(r"\byours is the word\b", "your setting wins", "Then yours is the word.", "Your setting wins."),
    Rule(
        r"\bdoes the same twice\b",
        "to check determinism",
        "Running it again, to see whether it does the same twice.",
        "Running again to check determinism.",
    ),
    Rule(
        r"\bwhat the compiled code was made for\b",
        "failed a guard",
        "self.step is not what the compiled code was made for.",
        "self.step failed a guard: the value differs from the compiled one.",
    ),
    Rule(
        r"\bin memory in another order\b|\border in memory\b",
        "strides",
        "x lies in memory in another order.",
        "x has different strides.",
    ),
    Rule(
        r"\bthere is no such (setting|option)\b",
        "unknown setting; valid settings",
        "limt: there is no such setting; there are: limit.",
        "unknown setting `limt`; valid settings: limit.",
    ),
    Rule(r"重跟踪|再次追踪|重追踪", "重新追踪", "该函数被再次追踪。", "该函数被重新追踪。"),
]

# What was written before the rules were. `python -m tests.unit.words.test_register` prints the present counts.
LEFT: dict[str, int] = {
    "src/traceonce/causes/surroundings.py": 3,
    "src/traceonce/commands/fix.py": 2,
    "src/traceonce/config.py": 1,
    "src/traceonce/fix/recipes/library_report.py": 1,
    "src/traceonce/frameworks/jax/recipes/static_equality.py": 1,
    "src/traceonce/frameworks/torch/dialect.py": 1,
    "src/traceonce/knowledge/records": 4,
    "src/traceonce/knowledge/validation/identity.py": 1,
    "src/traceonce/report/page/words/zh.json": 1,
    "src/traceonce/serve/mcp/instructions.py": 2,
    "src/traceonce/serve/mcp/server.py": 1,
    "src/traceonce/serve/mcp/tools.py": 1,
    "src/traceonce/words/verdicts.py": 2,
}


@cache
def texts() -> dict[str, list[str]]:
    """What users read, by where it is written: pages by hand, sentences in the source, records."""
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if _is_by_hand(page))]
    found = {str(page.relative_to(ROOT)): _paragraphs(page.read_text(encoding="utf-8")) for page in pages}
    for file in SOURCE.rglob("*.py"):
        if "experiments" not in file.parts:
            found[str(file.relative_to(ROOT))] = list(_sentences(file))
    for file in SOURCE.rglob("page/words/*.json"):
        found[str(file.relative_to(ROOT))] = list(_strings(json.loads(file.read_text(encoding="utf-8"))))
    records = [
        json.loads(file.read_text(encoding="utf-8")) for file in (SOURCE / "knowledge" / "records").rglob("*.json")
    ]
    found["src/traceonce/knowledge/records"] = [text for record in records for text in _ours(record)]
    return found


def _is_by_hand(page: Path) -> bool:
    """Not from the texts that are looked at themselves, nor what others say."""
    folder = page.relative_to(ROOT / "docs").parts[0]
    return folder not in ("records", "recipes") and not page.name.startswith(
        ("what-people-say", "peers", "commands", "api")
    )


def _paragraphs(page: str) -> list[str]:
    """Prose, without blocks of code and what stands between backticks: those are others' words."""
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=[-|\d])", prose) if part.strip()]


def _sentences(file: Path) -> Iterator[str]:
    """Strings with more than one word; a docstring only where it is the help of a command."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    hidden = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
        and not (isinstance(node, ast.FunctionDef) and node.name == "command")
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield " ".join(node.value.split())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _ours(record: dict[str, object]) -> Iterator[str]:
    """The sentences of a record that we wrote: messages of frameworks are quoted as they are, and code is code."""
    quoted = {
        "signature",
        "signature_zh",
        "aliases",
        "examples",
        "regex",
        "context",
        "code",
        "evidence",
        "sources",
        "id",
    }
    for key, value in record.items():
        if key in quoted or key.endswith("_url"):
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for each in value:
                yield from _ours(each)
        else:
            yield from _strings(value)


def breaks() -> Iterator[tuple[str, Rule, str]]:
    compiled = [(rule, re.compile(rule.not_written)) for rule in RULES]
    for place, sentences in texts().items():
        for text in sentences:
            for rule, expression in compiled:
                if expression.search(text):
                    yield place, rule, text


def test_no_sentence_leaves_the_register() -> None:
    found = list(breaks())
    counts = Counter(place for place, _, _ in found)
    more = {place for place, count in counts.items() if count > LEFT.get(place, 0)}
    shown = "\n".join(f"{place}: write {rule.instead!r}: {text[:160]}" for place, rule, text in found if place in more)
    assert not more, f"\n{shown}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.instead)
def test_a_rule_tells_before_from_after(rule: Rule) -> None:
    assert re.search(rule.not_written, rule.before)
    assert not any(re.search(each.not_written, rule.after) for each in RULES)


def test_texts_of_every_kind_are_looked_at() -> None:
    looked = texts()
    for place in ("README.md", "docs/causes.md", "docs/guides/ci.zh.md", "src/traceonce/words/verdicts.py",
                  "src/traceonce/commands/run.py", "src/traceonce/knowledge/records"):  # fmt: skip
        assert len(looked[place]) > 10, place
    assert any("explain every trace it makes" in text for text in looked["src/traceonce/commands/run.py"])


def test_the_glossary_has_each_term_once_in_both_languages() -> None:
    rows = re.findall(
        r"^\| ([a-z][\w -]*) \| (\S+) \| (.+) \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE
    )
    english, chinese, meanings = zip(*rows, strict=True)
    assert len(rows) > 25
    for column in (english, chinese, meanings):
        assert [text for text, count in Counter(column).items() if count > 1] == []
    assert dict(zip(english, chinese, strict=True))["retrace"] == "重新追踪"


if __name__ == "__main__":
    for place, count in sorted(Counter(place for place, _, _ in breaks()).items()):
        print(f'    "{place}": {count},')
