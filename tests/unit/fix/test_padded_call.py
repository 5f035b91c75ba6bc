"""Which call on a user's line is padded, and when nothing is proposed."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for, written
from traceonce.facts import Leaf, Verdict
from traceonce.facts.diagnosis import SiteCount
from traceonce.fix.candidate import Declined
from traceonce.fix.case import Case
from traceonce.frameworks.tensorflow.recipes.padded_call import RECIPE

OWN = "import tensorflow as tf\n\n\n@tf.function\ndef step(w, x, k):\n    return x\n\n\n"


def sized(*sizes: int, axis: int = 0) -> list[list[Leaf]]:
    shapes = [(size, 4) if axis == 0 else (4, size) for size in sizes]
    return [[Leaf("w", "tensor", shape=(4,)), Leaf("x", "tensor", "float32", shape=shape)] for shape in shapes]


def of_library(source: str, line: int, *sizes: int) -> Case:
    case = case_for(OWN + source, "step", ("shape", "x.shape[0]"), leaves=sized(*sizes))
    function = msgspec.structs.replace(case.diagnosis.function, file="kit.py", library=True)
    sites = (SiteCount(FILE, line, len(sizes)),)
    diagnosis = msgspec.structs.replace(case.diagnosis, function=function, call_sites=sites, verdict=Verdict.RETRACING)
    return case._replace(diagnosis=diagnosis, makings=(), sites=())


def padded(line: str) -> str:
    """The line, at which a library is called, with the change."""
    source = f"import kit\nimport numpy as np\nthing = kit.Thing()\ndef load(n): return n\n{line}\n"
    return written(RECIPE, of_library(source, 5, 3, 5, 6, 7), source).splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(thing.score(rows, top=2).sum())", "print(_padded(thing.score, 0)(rows, top=2).sum())"),
        ("out = thing.score(np.array(load(3)))", "out = _padded(thing.score, 0)(np.array(load(3)))"),
        ("kit.score(2, rows=rows)", '_padded(kit.score, "rows")(2, rows=rows)'),
        ("thing.store(thing.score(rows))", "thing.store(_padded(thing.score, 0)(rows))"),
        ("thing(rows)", "_padded(thing, 0)(rows)"),
    ],
)
def test_the_call_that_leads_into_the_library(line: str, expected: str) -> None:
    assert padded(line) == expected


@pytest.mark.parametrize(
    "line",
    ["thing.fit(3)", "thing.score(*rows)", "thing.score(one), thing.score(other)", "print(np.sum(rows))", "load(rows)"],
)
def test_where_it_is_not_clear(line: str) -> None:
    with pytest.raises(Declined, match="call into the library is ambiguous"):
        padded(line)


def test_only_the_arguments_that_vary_are_padded() -> None:
    source = OWN + "for n in range(4):\n    step(w, k=n, x=x)\n"
    case = case_for(source, "step", ("shape", "x.shape[0]"), leaves=sized(3, 5, 6, 7))
    sites = (SiteCount(FILE, 10, 4),)
    diagnosis = msgspec.structs.replace(case.diagnosis, call_sites=sites, verdict=Verdict.RETRACING)
    case = case._replace(diagnosis=diagnosis)
    assert written(RECIPE, case, source).endswith('    _padded(step, "x")(w, k=n, x=x)\n')


def test_what_it_would_leave() -> None:
    found = {each.predicted_traces for each in RECIPE.propose(of_library("", 1, 3, 5, 6, 7, 9))}
    assert found == {3, 1}  # 4, 8 and 16; 9


def test_a_recording_alone_says_nothing_of_a_function_of_the_users_own() -> None:
    case = case_for(OWN, "step", ("shape", "x.shape[0]"), leaves=sized(3, 5, 6, 7))
    assert not list(RECIPE.propose(case._replace(makings=(), sites=())))


def test_other_dimensions_are_left_alone() -> None:
    case = case_for(OWN, "step", ("shape", "x.shape[1]"), leaves=sized(3, 5, 6, 7, axis=1))
    assert not list(RECIPE.propose(case))
