"""``@pytest.mark.max_traces``: what a test says about its traces, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from traceonce.facts import FunctionId, Limit

NAME = "max_traces"
REMEDY = f'Write @pytest.mark.{NAME}(1), or {NAME}(1, function="train_step", warmup=2).'


def read_marks(item: pytest.Item) -> Sequence[Limit]:
    """The limits of a test, one per name of a function (None: any function); the closest mark of a name wins.

    A mark that cannot be understood is an error of its test, before anything of it is run.
    """
    parameters = getattr(getattr(item, "callspec", None), "marks", ())  # pytest itself puts them after the function's
    marks = [*(mark for mark in parameters if mark.name == NAME), *item.iter_markers(NAME)]  # the closest first
    wrong = next(filter(None, map(find_mistake, marks)), None)
    if wrong is not None:
        pytest.fail(f"@pytest.mark.{NAME}: {wrong}. {REMEDY}", pytrace=False)
    limits: dict[str | None, Limit] = {}
    for limit in map(_read, marks):
        limits.setdefault(limit.function, limit)
    return list(limits.values())


def _read(mark: pytest.Mark) -> Limit:
    given = mark.kwargs
    return Limit(mark.args[0] if mark.args else given["n"], "traces", given.get("warmup", 0), given.get("function"))


def find_mistake(mark: pytest.Mark) -> str | None:
    """What is wrong with the arguments of a mark, in a few words."""
    given = mark.kwargs
    unknown = [word for word in given if word not in ("n", "function", "warmup")]
    if unknown:
        return f"there is no argument {unknown[0]!r}"
    if len(mark.args) > 1:
        return f"one number goes without a name, not {len(mark.args)}: {', '.join(map(repr, mark.args))}"
    if not mark.args and "n" not in given:
        return "the number of traces is missing"
    if mark.args and "n" in given:
        return "the number of traces is given twice"
    function = given.get("function")
    if function is not None and (not isinstance(function, str) or not function):
        return f"function must be the name of a function, not {function!r}"
    numbers = {"n": mark.args[0] if mark.args else given["n"], "warmup": given.get("warmup", 0)}
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int):
            return f"{name} must be a whole number, not {number!r}"
        if number < 0:
            return f"{name} must be 0 or more, not {number}"
    return None


def find_limit(limits: Iterable[Limit], function: FunctionId) -> Limit | None:
    """The limit that holds for a function: that of its qualified name, of its last part, of any function."""
    holding = [limit for limit in limits if limit.covers(function)]
    names = (function.name, function.short_name, None)
    return min(holding, key=lambda limit: names.index(limit.function), default=None)
