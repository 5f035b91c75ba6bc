"""The rules of the SARIF report: every cause, and two findings that are no cause: a trace that raised, and a limit."""

from __future__ import annotations

from typing import Any, NamedTuple

from traceonce.causes import CATALOGUE
from traceonce.causes.definition import Level

FAILED = "failed"
LIMIT = "limit"


class Rule(NamedTuple):
    """What it is called, what happens, what to change, and how grave it is where nothing else is known."""

    name: str
    what: str
    remedy: str
    level: Level = "warning"


RULES: dict[str, Rule] = {
    **{
        code.value: Rule(cause.rule, cause.summary.en, cause.remedy.en, cause.level)
        for code, cause in CATALOGUE.items()
    },
    FAILED: Rule("FailedTrace", "Tracing raised an error.", "look up the error with traceonce explain", "error"),
    LIMIT: Rule(
        "TracingLimitReached",
        "A call would exceed its tracing limit.",
        "fix the cause, or raise the limit if the traces are intended",
        "error",
    ),
}
INDEX = {id_: number for number, id_ in enumerate(RULES)}


def describe_rules() -> list[dict[str, Any]]:
    """All of them, found or not: so a reader knows what was looked for."""
    return [
        {
            "id": id_,
            "name": rule.name,
            "shortDescription": {"text": rule.what},
            "fullDescription": {"text": f"{rule.what} Change: {rule.remedy}."},
            "help": {
                "text": f"{rule.what}\nChange: {rule.remedy}.",
                "markdown": f"{rule.what}\n\n**Change:** {_escape(rule.remedy)}.",
            },
            "defaultConfiguration": {"level": rule.level},
            "properties": {"tags": ["correctness" if rule.level == "error" else "performance"]},
        }
        for id_, rule in RULES.items()
    ]


def _escape(words: str) -> str:
    return words.replace("_", r"\_")
