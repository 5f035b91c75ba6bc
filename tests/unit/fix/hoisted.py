"""Programs in which a function is made again and again, with the place moved at which it is made."""

from __future__ import annotations

from tests.unit.fix.written_case import case_for, text, written
from traceonce.frameworks.tensorflow.recipes.hoist import RECIPE

MADE_AGAIN = ("new_function", "step")


def hoisted(source: str, name: str = "step", *, skip: int = 0, qualified: str | None = None) -> str:
    source = text(source)
    return written(RECIPE, case_for(source, name, MADE_AGAIN, leaves=((), ()), qualified=qualified), source, skip=skip)
