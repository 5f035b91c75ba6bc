"""The page of what people say: each claim, what the framework did, and the program that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import jinja2

from traceonce.frameworks.base.registry import framework_of
from traceonce.knowledge.claims import FRAMEWORK, Claim
from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.language import in_language, words_in
from traceonce.words.translated import Language

WORDS: dict[str, tuple[str, str]] = {
    "title": ("What people say about retracing, measured", "关于重新追踪的说法，逐条实测"),
    "intro": (
        "Articles, answers and error bases repeat these claims. Each is stated here in our words, turned into "
        "a program, and run. *Traces* are those that traceonce's own observer counted.",
        "文章、问答和错误库里反复出现这些说法。这里用我们自己的话陈述每一条，写成程序并实际运行。"
        "“追踪”次数由 traceonce 自己的观察器统计。",
    ),
    "made": ("This page is made from runs by", "本页由实际运行结果生成，命令为"),
    "versions": ("{framework}", "{framework} 版本"),
    "claim": ("The claim", "说法"),
    "verdict": ("Is it so?", "是否成立"),
    "true": ("true", "成立"),
    "false": ("false", "不成立"),
    "sometimes": ("sometimes", "有时成立"),
    "not run": ("not run", "未运行"),
    "found": ("Found in", "出处："),
    "records": ("More", "相关记录"),
    "situation": ("situation", "情形"),
    "should": ("if it were so", "若说法成立"),
    "did": ("what {framework} did", "{framework} 的实际表现"),
    "traces": ("{} traces", "追踪 {} 次"),
    "trace": ("1 trace", "追踪 1 次"),
    "right": ("right outputs", "结果正确"),
    "some": ("a name is found", "能找到这样的名字"),
}


class Row(NamedTuple):
    """One situation: what the claim says, and what was seen (by version, where they differ)."""

    case: str
    should: str
    did: str


def render_claims(claims: Sequence[Claim], programs: Mapping[str, Trial], language: Language = "en") -> str:
    title = framework_of(FRAMEWORK).title
    words = {code: text.replace("{framework}", title) for code, text in words_in(language, WORDS).items()}
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.md.j2").render(
        claims=claims,
        programs=programs,
        words=words,
        versions=list(dict.fromkeys(version for claim in claims for version in claim.measured)),
        rows=lambda claim: _rows(claim, words),
        text=lambda claim, name: in_language(language, getattr(claim, name), getattr(claim, f"{name}_zh")),
    )


def _rows(claim: Claim, words: Mapping[str, str]) -> list[Row]:
    return [Row(case, _should(claim, case, words), _did(claim, case)) for case in claim.expects]


def _should(claim: Claim, case: str, words: Mapping[str, str]) -> str:
    expected = claim.expects[case]
    parts = []
    if expected.traces is not None:
        parts.append(words["trace"] if expected.traces == 1 else words["traces"].format(expected.traces))
    if expected.raises is not None:
        parts.append(expected.raises)
    if expected.outputs is not None:
        parts.append(words[expected.outputs])
    return ", ".join(parts)


def _did(claim: Claim, case: str) -> str:
    """What was seen; once, where all versions agree."""
    by_version = {version: cases[case].seen for version, cases in claim.measured.items() if case in cases}
    if len(set(by_version.values())) == 1:
        return next(iter(by_version.values()))
    return "; ".join(f"{version}: {seen}" for version, seen in by_version.items())
