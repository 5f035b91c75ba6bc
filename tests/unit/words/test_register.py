"""The register of what a user reads: the field's terms, one for each thing, as docs/glossary.md has them.

Vale would need a binary that is fetched while testing, and proselint knows nothing of our terms; neither reads
sentences in Python. So the rules are here: what is not written, what is, and an example of each, which the tests hold
them to. `LEFT` counts what may stay, by file, to the number: a file that is not named has none.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import traceonce

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
    Rule(r"\banew\b", "rebuilt, recreated, restarts", "It is made anew for each call.", "It is rebuilt for each call."),
    Rule(
        r"\b(traced|traces?|tracing) (\w+ ){0,2}again\b",
        "retrace",
        "Every model traces its steps again.",
        "Every model retraces its steps.",
    ),
    Rule(
        r"\bcompile[ds] (\w+ )?again\b",
        "recompile",
        "XLA compiles again for every new shape.",
        "XLA recompiles for every new shape.",
    ),
    Rule(
        r"\b(is|are|be|been|was|were) told\b(?! apart)",
        "says, reports, distinguished",
        "An agent is told that they are data.",
        "The instructions say that they are data.",
    ),
    Rule(
        r"\bas far as\b",
        "where, if",
        "An earlier trace fits, as far as can be seen.",
        "An earlier trace seems to fit.",
    ),
    Rule(
        r"\b(base|code|form|option|report|change)s? of (ours|yours)\b|\b[Nn]othing of yours\b",
        "your …, the … of traceonce",
        "Nothing of yours is touched.",
        "Your files change only with --write.",
    ),
    Rule(
        r"(^|[.;] )What (was|were|comes?|came|has been) (?!\w+ ?\?)",
        "the subject as a noun",
        "What was found is stored.",
        "The findings are stored.",
    ),
    Rule(r"\ball the same\b", "anyway, still", "It retraced all the same.", "It retraced anyway."),
    Rule(
        r"\bwithout a word\b",
        "silently, without closing …",
        "It ended without a word.",
        "It ended without closing its recording.",
    ),
    Rule(r"\bnumber of turns\b", "iterations", "The number of turns varies.", "The number of iterations varies."),
    Rule(
        r"(?<![`:]) repair(s|ed|ing)?\b|\bRepair(s|ed|ing)? ",
        "fix (docs/glossary.md)",
        "No repair is known.",
        "No fix is known.",
    ),
    Rule(r"\b[Tt]here (is|are) no such\b", "no such …", "There is no such file.", "train.log: no such file."),
    Rule(r"\bshall\b", "nothing to …: give …", "What shall be explained?", "Nothing to explain: give a message."),
    Rule(
        r"\b(came|comes?) of (it|this)\b",
        "the result, the outcome",
        "The label says what came of it.",
        "The label gives the outcome.",
    ),
    Rule(r"\btime is up\b", "timed out", "Its time is up.", "It timed out."),
    Rule(
        r"\bhad a problem\b|\bproblem of its own\b",
        "failed",
        "traceonce had a problem of its own.",
        "traceonce failed.",
    ),
    Rule(
        r"\bhand(s|ed|ing)? over\b",
        "pass",
        "It is handed over as a tensor.",
        "It is passed as a tensor.",
    ),
    Rule(
        r"\b(was|were|is|are) left alone\b(?! unless)",
        "was not changed",
        "The file was left alone.",
        "The file was not changed.",
    ),
    Rule(
        r"\bput (his|her|its|their|your) trust\b|\b[Rr]ight is what\b|\b[Ww]hat is right is\b",
        "results are checked against …",
        "Right is what the program returns.",
        "Results are checked against an eager run.",
    ),
    Rule(r"一再被?追踪|又被(追踪|编译)|再次编译|重编译", "重新追踪, 重新编译", "它又被追踪。", "它被重新追踪。"),
    Rule(r"重跟踪|再次追踪|重追踪", "重新追踪", "该函数被再次追踪。", "该函数被重新追踪。"),
]

# What may stay: other code is frozen for a time, or a word that a message must carry. Nothing else may break a rule.
LEFT: dict[str, int] = {
    "docs/reference/api.md": 2,
    "src/traceonce/frameworks/tensorflow/dropin/trials.py": 2,
    "src/traceonce/frameworks/tensorflow/dropin/widening.py": 1,
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
    for page in (*SOURCE.rglob("pages/*.html"), ROOT / "action.yml", *(ROOT / "action").iterdir()):
        found[str(page.relative_to(ROOT))] = page.read_text(encoding="utf-8").splitlines()
    found["docs/reference/api.md"] = list(_public_docstrings())
    found["docs/recipes/README.md"] = _paragraphs((ROOT / "docs/recipes/README.md").read_text(encoding="utf-8"))
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


def _public_docstrings() -> Iterator[str]:
    """What the page about the API shows: public names, and their public methods."""
    for name in traceonce.__all__:
        thing = getattr(traceonce, name)
        members = vars(thing).items() if inspect.isclass(thing) else ()
        for each in (thing, *(value for key, value in members if not key.startswith("_"))):
            text = inspect.getdoc(each) if callable(each) or isinstance(each, property) else None
            yield " ".join((text or "").split())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _ours(record: dict[str, object]) -> Iterator[str]:
    """The sentences of a record that we wrote: messages of frameworks are quoted as they are, and code is code."""
    quoted = {
        "regex_zh",
        "signature",
        "signature_zh",
        "aliases",
        "examples",
        "how",
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
    other = {place for place in counts | LEFT if counts[place] != LEFT.get(place, 0)}
    shown = "\n".join(f"{place}: write {rule.instead!r}: {text[:160]}" for place, rule, text in found if place in other)
    assert not other, f"{sorted(other)}\n{shown}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.instead)
def test_a_rule_tells_before_from_after(rule: Rule) -> None:
    assert re.search(rule.not_written, rule.before)
    assert not any(re.search(each.not_written, rule.after) for each in RULES)


def test_texts_of_every_kind_are_looked_at() -> None:
    looked = texts()
    for place in ("README.md", "docs/causes.md", "docs/guides/ci.zh.md", "src/traceonce/words/verdicts.py",
                  "src/traceonce/commands/run.py", "src/traceonce/knowledge/records", "docs/reference/api.md",
                  "action.yml"):  # fmt: skip
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
