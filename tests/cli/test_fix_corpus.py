"""`traceonce fix` on every program of the corpus, and what it claims checked by runs of another kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

import pytest

from tests.cli import corpus
from tests.cli.corpus import Fixed, Function, Program, Runs
from traceonce.prove.printed_output import Printed, printed_difference

# A share of each framework's, to keep the suite short: with TRACEONCE_ALL=1 all of them, as in bench/fix.py.
PROGRAMS = corpus.load() if os.environ.get("TRACEONCE_ALL") else corpus.fair_share(corpus.load())
Fixing: TypeAlias = dict[str, Future[Fixed]]
AT_ONCE = max(2, os.cpu_count() or 2)


def those_that_are(settled: bool | str) -> pytest.MarkDecorator:
    """The programs of which this is expected; those around a library that is not installed are skipped."""
    chosen = [program for program in PROGRAMS if program.settled == settled]
    marks = [pytest.mark.skipif(bool(p.missing), reason=f"not installed: {', '.join(p.missing)}") for p in chosen]
    programs = [pytest.param(program, marks=mark) for program, mark in zip(chosen, marks, strict=True)]
    return pytest.mark.parametrize("program", programs, ids=lambda program: program.file)


settled = those_that_are(True)
advised = those_that_are("advice")
left = those_that_are("leave")
unfinished = those_that_are("partly")
helpless = those_that_are("nothing")


@pytest.fixture(scope="module")
def fixing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fixing]:
    """All programs that this session asks for, two at a time."""
    asked_for = [
        item.callspec.params.get("program")
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module and hasattr(item, "callspec")
    ]
    wanted = {
        program.file for program in asked_for if isinstance(program, Program)
    }  # none where nothing is expected so
    folder = tmp_path_factory.mktemp("corpus")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {
            p.file: pool.submit(corpus.fix, p, folder / p.file) for p in PROGRAMS if p.file in wanted and not p.missing
        }
        yield futures
        for future in futures.values():
            future.cancel()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    running = Runs(tmp_path_factory.mktemp("runs"))
    yield running
    running.close()


def repairs_of(function: Function, fixed: Fixed) -> list[tuple[set[str], int]]:
    """The recipes that were proved for a function, and the traces left; none where it was settled by another's."""
    fixes = [fix for fix in fixed.functions[function.short]["fixes"] if fix["proof"] is not None]
    assert all(fix["proof"]["verdict"] == "proved" for fix in fixes), fixes
    return [(set(fix["recipe"].split("+")), fix["proof"]["after"]["traces"]) for fix in fixes]


@settled
def test_it_is_repaired_and_proved(program: Program, fixing: Fixing, runs: Runs) -> None:
    fixed = fixing[program.file].result()
    assert fixed.status == 0, fixed.said
    for function in program.functions:
        seen = fixed.functions[function.short]
        assert seen["traces"] == function.before
        assert {(c["code"], c["path"]) for c in seen["causes"]} >= {(c.code, c.path) for c in function.causes}
        proved = repairs_of(function, fixed)
        recipes = {recipe for names, _ in proved for recipe in names}
        acceptable = [(set(repair.recipes), repair.after) for repair in function.repairs]
        assert (recipes, proved[-1][1] if proved else function.after) in acceptable, fixed.said
        for fix in seen["fixes"]:
            if fix["safety"] == "advice":
                continue  # the repair of another function may settle it, and what is left be advised to leave
            predicted = fix["predicted_traces"]  # None: it cannot be told
            assert predicted in (None, fix["proof"]["after"]["traces"]), "predicted is not what was measured"
            assert fix["proof"]["outputs_equal"] is True
    _check_by_running(program, fixed, runs)


def _check_by_running(program: Program, fixed: Fixed, runs: Runs) -> None:
    """The repaired program, run by somebody else: the traces, what is printed, how it ends."""
    original = runs.run(fixed.original, program, eagerly=program.oracle == "eager")
    repaired = runs.run(fixed.repaired, program)
    assert original.status == repaired.status == 0
    after = {function.short: repaired.traces.get(function.short) for function in program.functions}
    measured = {function.short: fixed.document["fix"]["after"].get(function.short) for function in program.functions}
    assert after == measured
    if not program.random:  # random ops restart at each trace: only with one counted stream do both draw the same
        was, now = ("\n".join(program.lines(ran.printed)) for ran in (original, repaired))
        assert was
        assert printed_difference(Printed(was), Printed(now), set()) is None


@advised
def test_what_is_for_the_author_to_say_is_advice(program: Program, fixing: Fixing) -> None:
    fixed = fixing[program.file].result()
    assert fixed.status == 1, fixed.said
    assert fixed.document["fix"]["diff"] == ""
    for name in (program.file, *program.extra):
        assert (fixed.repaired / name).read_bytes() == (fixed.original / name).read_bytes()
    for function in program.functions:
        given = {fix["recipe"]: fix for fix in fixed.functions[function.short]["fixes"]}
        wanted = {recipe for repair in function.repairs for recipe in repair.recipes}
        assert given.keys() & wanted, fixed.said
        assert not given.keys() & {recipe for recipes in function.refused for recipe in recipes}, "refuted when it ran"
        assert all(fix["safety"] == "advice" and fix["snippet"] for fix in given.values() if fix["proof"] is None)


@left
def test_nothing_is_changed_where_nothing_is_wrong(program: Program, fixing: Fixing) -> None:
    fixed = fixing[program.file].result()
    assert fixed.status == 0, fixed.said
    assert fixed.document["fix"]["diff"] == ""
    assert any(each in fixed.said for each in ("nothing to fix", "no function was traced", "1 function costly"))
    for function in program.functions:
        seen = fixed.functions[function.short]
        assert seen["verdict"] == function.verdict
        assert seen["traces"] == function.before
        assert all(fix["recipe"] == "leave_it" for fix in seen["fixes"])


@unfinished
def test_what_is_repaired_in_part_is_proved_and_not_done(program: Program, fixing: Fixing, runs: Runs) -> None:
    fixed = fixing[program.file].result()
    assert fixed.status == 1, fixed.said
    for function in program.functions:
        proved = [(sorted(recipes), after) for recipes, after in repairs_of(function, fixed)]
        assert proved[-1] in [(sorted(repair.recipes), repair.after) for repair in function.repairs], fixed.said
    _check_by_running(program, fixed, runs)


@helpless
def test_nothing_is_changed_where_nothing_is_found(program: Program, fixing: Fixing) -> None:
    """Nor is there advice for the user: at most a report for the maintainers of a library."""
    fixed = fixing[program.file].result()
    assert fixed.status == 1, fixed.said
    assert fixed.document["fix"]["diff"] == ""
    for function in program.functions:
        seen = fixed.functions[function.short]
        assert (seen["verdict"], seen["traces"]) == (function.verdict, function.before)
        assert all((fix["snippet"] or "").startswith("## ") for fix in seen["fixes"]), fixed.said


@pytest.mark.parametrize("program", [p for p in PROGRAMS if not p.missing], ids=lambda p: p.file)
def test_what_was_refused_is_never_kept(program: Program, fixing: Fixing) -> None:
    fixed = fixing[program.file].result()
    for function in program.functions:
        kept = [names for names, _ in repairs_of(function, fixed)]
        assert not [names for names in function.refused if set(names) in kept]
