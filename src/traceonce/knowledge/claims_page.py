"""The page of what people say: each claim, what TensorFlow did, and the program that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import jinja2

from traceonce.knowledge.claims import Claim
from traceonce.knowledge.collection import OURS
from traceonce.knowledge.experiment import Trial

Language: TypeAlias = Literal["en", "zh"]

WORDS = {
    "en": {
        "title": "What people say about retracing, measured",
        "intro": "Articles, answers and error bases repeat these claims. Each is stated here in our words, turned into "
        "a program, and run. *Traces* are those that traceonce's own observer counted.",
        "made": "This page is made from runs by",
        "versions": "TensorFlow",
        "claim": "The claim",
        "verdict": "Is it so?",
        "true": "true",
        "false": "false",
        "sometimes": "sometimes",
        "not run": "not run",
        "found": "Found in",
        "records": "More",
        "situation": "situation",
        "should": "if it were so",
        "did": "what TensorFlow did",
        "traces": "{} traces",
        "trace": "1 trace",
        "right": "right outputs",
        "some": "a name is found",
    },
    "zh": {
        "title": "关于重新追踪的说法，逐条实测",
        "intro": "文章、问答和错误库里反复出现这些说法。这里用我们自己的话陈述每一条，写成程序并实际运行。"
        "“追踪”次数由 traceonce 自己的观察器统计。",
        "made": "本页由实际运行结果生成，命令为",
        "versions": "TensorFlow 版本",
        "claim": "说法",
        "verdict": "是否成立",
        "true": "成立",
        "false": "不成立",
        "sometimes": "有时成立",
        "not run": "未运行",
        "found": "出处：",
        "records": "相关记录",
        "situation": "情形",
        "should": "若说法成立",
        "did": "TensorFlow 的实际表现",
        "traces": "追踪 {} 次",
        "trace": "追踪 1 次",
        "right": "结果正确",
        "some": "能找到这样的名字",
    },
}


class Row(NamedTuple):
    """One situation: what the claim says, and what was seen (by version, where they differ)."""

    case: str
    should: str
    did: str


def render_claims(claims: Sequence[Claim], programs: Mapping[str, Trial], language: Language = "en") -> str:
    words = WORDS[language]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(OURS), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("claims.md.j2").render(
        claims=claims,
        programs=programs,
        words=words,
        versions=list(dict.fromkeys(version for claim in claims for version in claim.measured)),
        rows=lambda claim: _rows(claim, words),
        text=lambda claim, name: getattr(claim, name if language == "en" else f"{name}_zh"),
    )


def _rows(claim: Claim, words: Mapping[str, str]) -> list[Row]:
    return [Row(case, _should(claim, case, words), _did(claim, case)) for case in claim.expects]


def _should(claim: Claim, case: str, words: Mapping[str, str]) -> str:
    expected = claim.expects[case]
    parts = []
    if "traces" in expected:
        parts.append(words["trace"] if expected["traces"] == 1 else words["traces"].format(expected["traces"]))
    if "raises" in expected:
        parts.append(str(expected["raises"]))
    if "outputs" in expected:
        parts.append(words[str(expected["outputs"])])
    return ", ".join(parts)


def _did(claim: Claim, case: str) -> str:
    """What was seen; once, where all versions agree."""
    by_version = {version: str(cases[case]["seen"]) for version, cases in claim.measured.items() if case in cases}
    if len(set(by_version.values())) == 1:
        return next(iter(by_version.values()))
    return "; ".join(f"{version}: {seen}" for version, seen in by_version.items())
