"""A cause by its code: what it is, what to change, and how each framework makes it happen."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from traceonce.causes import CATALOGUE
from traceonce.facts import CauseCode
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.words.translated import Language


class InFramework(msgspec.Struct, frozen=True):
    """What one framework has to show of it. `example` is a whole program, `record` the id of what is known of it."""

    framework: str
    remedy: str
    path: str
    example: str
    record: str | None


class Description(msgspec.Struct, frozen=True):
    """One cause, in one language."""

    code: str
    name: str
    summary: str
    remedy: str
    frameworks: tuple[InFramework, ...]


def describe(code: CauseCode, language: Language) -> Description:
    definition = CATALOGUE[code]
    return Description(
        code.value,
        definition.name.said_in(language),
        definition.summary.said_in(language),
        definition.remedy.said_in(language),
        tuple(_in_frameworks(code, language)),
    )


def _in_frameworks(code: CauseCode, language: Language) -> Iterator[InFramework]:
    for framework in known_frameworks():
        example = framework.examples.get(code)
        if example is not None:
            remedy = framework.dialect.remedy.get(code.value, CATALOGUE[code].remedy)
            record = f"{framework.name}/{example.record}" if example.record else None
            yield InFramework(framework.title, remedy.said_in(language), example.path, example.program, record)
