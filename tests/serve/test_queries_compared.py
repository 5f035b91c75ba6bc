"""Two runs compared: which functions belong together, and what became of each."""

from __future__ import annotations

from typing import Any

import pytest

from traceonce.facts import Cause, CauseCode, Diagnosis, FunctionId, Recording, Verdict
from traceonce.report.base import Material
from traceonce.serve.comparison import ComparedRun, compare
from traceonce.serve.models import ComparedFunction, Summary
from traceonce.serve.summaries import describe_recording


def diagnosis(name: str = "step", file: str | None = "train.py", *paths: str, **fields: Any) -> Diagnosis:
    """A function; `paths` are those of its causes."""
    given: dict[str, Any] = {
        "backend": "tensorflow",
        "function": FunctionId(name, file, 3),
        "traces": 8,
        "retraces": 7,
        "internal": 0,
        "failed": 0,
        "calls": 8,
        "compiles": 0,
        "backwards": 0,
        "seconds": 1.0,
        "exclusive_seconds": 1.0,
        "first_run_seconds": 0.0,
        "lost_seconds": 0.5,
        "share": 0.1,
        "bytes": None,
        "verdict": Verdict.RETRACING,
        "growth": "growing",
        "reason": "",
        "causes": tuple(Cause(CauseCode.SHAPE, path, "1", "2") for path in paths),
    }
    return Diagnosis(**given | fields)


def run(*diagnoses: Diagnosis, cwd: str = "/home/me") -> ComparedRun:
    recording = Recording(cwd=cwd)
    described = describe_recording(recording, diagnoses, "run").model_dump()
    summary = Summary(id="0" * 32, uploaded="", size=1, sha256="", **described)
    return ComparedRun(summary, Material(recording, diagnoses))


def only(before: ComparedRun, after: ComparedRun) -> ComparedFunction:
    functions = compare(before, after).functions
    assert len(functions) == 1
    return functions[0]


def test_files_are_seen_from_where_each_run_was_started() -> None:
    """The same program in another folder is the same program."""
    here, there = diagnosis(file="/home/me/src/train.py"), diagnosis(file="/srv/job/src/train.py")
    found = only(run(here), run(there, cwd="/srv/job"))
    assert (found.file, found.change) == ("src/train.py", "same")


def test_functions_of_one_name_are_told_apart_by_their_files() -> None:
    """Rule 1 comes before rule 3."""
    before = run(diagnosis(file="a.py", retraces=1), diagnosis(file="b.py", retraces=2))
    after = run(diagnosis(file="b.py", retraces=2), diagnosis(file="a.py", retraces=9))
    assert {(f.file, f.change) for f in compare(before, after).functions} == {("a.py", "worse"), ("b.py", "same")}


def lambdas(*lines_and_retraces: tuple[int, int]) -> ComparedRun:
    return run(
        *(diagnosis(function=FunctionId("<lambda>", "a.py", line), retraces=n) for line, n in lines_and_retraces)
    )


def test_functions_of_one_name_in_one_file() -> None:
    """Rule 1: in the order of their lines, which an edit above them has moved; none is lost."""
    found = compare(lambdas((10, 1), (20, 2)), lambdas((25, 2), (20, 9)))
    assert {(f.change, f.before and f.before.retraces) for f in found.functions} == {("worse", 1), ("same", 2)}


def test_more_functions_of_one_name_than_before() -> None:
    """Rule 2: those whose line is the same are the same; the rest are told apart by nothing."""
    found = compare(lambdas((10, 1), (20, 2)), lambdas((20, 2), (30, 3), (40, 4)))
    assert [f.change for f in found.functions] == ["new", "new", "gone", "same"]


def test_a_function_that_was_moved_is_known_by_its_name() -> None:
    """Rule 3: where there is only one that is called so."""
    found = only(run(diagnosis(file="old.py")), run(diagnosis(file="new.py", retraces=0)))
    assert (found.file, found.change) == ("new.py", "better")


def test_functions_that_cannot_be_told_apart_are_not_paired() -> None:
    """Two of one name, elsewhere: nobody knows which is which."""
    before = run(diagnosis(file="a.py"))
    after = run(diagnosis(file="b.py"), diagnosis(file="c.py"))
    assert [f.change for f in compare(before, after).functions] == ["new", "new", "gone"]


def test_functions_of_other_backends_are_others() -> None:
    """Even with the same name and file."""
    before, after = run(diagnosis(backend="tensorflow")), run(diagnosis(backend="jax"))
    assert {f.change for f in compare(before, after).functions} == {"new", "gone"}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({}, {}, "same"),
        ({}, {"lost_seconds": 99.0, "seconds": 99.0}, "same"),
        ({}, {"retraces": 6}, "better"),
        ({}, {"retraces": 8}, "worse"),
        ({}, {"verdict": Verdict.BOUNDED, "retraces": 9}, "better"),
        ({"verdict": Verdict.FAILED, "failed": 1, "retraces": 0}, {"retraces": 7}, "better"),
        ({"compiles": 5}, {"compiles": 2}, "better"),
        ({"compiles": 2}, {"compiles": 5}, "worse"),
        ({"compiles": 0}, {"compiles": 5}, "same"),
        ({"verdict": Verdict.OK, "retraces": 9}, {"verdict": Verdict.STALE, "retraces": 0}, "worse"),
        ({"verdict": Verdict.BOUNDED, "retraces": 2}, {"verdict": Verdict.OK, "retraces": 0}, "better"),
    ],
)
def test_what_became_of_a_function(before: dict[str, Any], after: dict[str, Any], change: str) -> None:
    """The verdict counts for more than the number of retraces, and times do not count."""
    assert only(run(diagnosis(**before)), run(diagnosis(**after))).change == change


def test_causes_that_are_gone_and_new() -> None:
    """By what changed and where; those that stayed are left out."""
    found = only(run(diagnosis("f", "a.py", "x.shape[0]", "step")), run(diagnosis("f", "a.py", "step", "y.dtype")))
    assert [cause.path for cause in found.causes_gone] == ["x.shape[0]"]
    assert [cause.path for cause in found.causes_new] == ["y.dtype"]


def test_a_function_on_one_side_only() -> None:
    """Its causes are all new, or all gone."""
    found = only(run(), run(diagnosis("f", None, "step")))
    assert (found.change, found.before, found.file) == ("new", None, None)
    assert [cause.path for cause in found.causes_new] == ["step"]
    assert found.after is not None
    assert found.after.verdict == "retracing"


def test_the_worst_change_comes_first() -> None:
    """And of several such, the one that costs most."""
    names = ("worse", "costly", "better", "same", "gone")
    before = run(*(diagnosis(name) for name in names))
    after = run(
        diagnosis("same"),
        diagnosis("better", retraces=1),
        diagnosis("worse", retraces=9),
        diagnosis("costly", retraces=9, lost_seconds=9.0),
        diagnosis("new"),
    )
    found = compare(before, after)
    assert [function.name for function in found.functions] == ["costly", "worse", "new", "better", "gone", "same"]
    assert (found.lost_seconds.before, found.lost_seconds.after) == (2.5, 11.0)
    assert (found.traces.before, found.traces.after) == (40, 40)
