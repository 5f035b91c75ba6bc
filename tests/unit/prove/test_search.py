"""Which repairs a search takes: of one function, of several, in steps; and what is left. The runs are made by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.unit.handmade import diagnosis
from tests.unit.prove.test_judged import value
from traceonce.facts import FunctionId, Recording, Verdict
from traceonce.facts.replay import ReplayResult, ReplaySettings, Returned
from traceonce.fix.candidate import Candidate, Effect
from traceonce.fix.case import Case
from traceonce.fix.proposals import Proposals, first_choice
from traceonce.fix.source.edits import Edits
from traceonce.observe.launch import Target
from traceonce.prove import attempt, failures_in_turn
from traceonce.prove.budget import Budget
from traceonce.prove.program import Program
from traceonce.prove.scratch import Scratch
from traceonce.prove.search import Search
from traceonce.prove.search_result import SearchResult
from traceonce.prove.stage_client import Replays, Run


class Seen(NamedTuple):
    """What a function did in a run: its traces, its verdict, what it returned (None: it raised)."""

    traces: int
    verdict: Verdict = Verdict.RETRACING
    result: float | None = 1.0


# From the changes that are in the source (``eager`` among them in an eager run) to what each function does.
World = Callable[[frozenset[str]], Mapping[str, Seen]]


class HandmadeRuns(Replays):
    def __init__(self, world: World, folder: Path) -> None:
        super().__init__(Target("script", "app.py", ()), Scratch(None, folder), timeout=60.0)
        self._world = world
        self.seen: dict[int, Mapping[str, Seen]] = {}
        self.runs: list[frozenset[str]] = []

    def run(
        self,
        changed: Mapping[str, bytes],
        settings: ReplaySettings,
        *,
        clock: float = 1.0,
        timeout: float | None = None,
    ) -> Run:
        source = changed.get("app.py", b"").decode().split()
        changes = frozenset(source) - {"import", "pass"} | ({"eager"} if settings.eager else set())
        self.runs.append(changes)
        seen = self._world(changes)
        calls = tuple(_call(name, each.result) for name, each in seen.items())
        run = Run(0, Recording(), ReplayResult(returned=calls), "", "", 10.0)
        self.seen[id(run)] = seen
        self.kept = [*getattr(self, "kept", []), run]  # or another run might get its number
        return run

    def understand(self, run: Run) -> list[Case]:
        return [
            Case(diagnosis(function=_id(name), traces=each.traces, retraces=each.traces - 1, verdict=each.verdict), ())
            for name, each in self.seen.get(id(run), {}).items()
        ]


def _id(name: str) -> FunctionId:
    return FunctionId(name, "app.py", 1)


def _call(name: str, result: float | None) -> Returned:
    if result is None:
        return Returned(_id(name), error="ValueError")
    return Returned(_id(name), (value(result),), "*")


def change(name: str, left: int | None = 1) -> Candidate:
    """A candidate that adds ``import NAME``, so that a run can tell that it is there."""

    def write(edits: Edits) -> None:
        for each in name.split():
            edits.add_import(edits.module("app.py"), each)

    return Candidate(name, "safe", (), write, left, name)


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[SearchResult, HandmadeRuns]]:
    def run(
        world: World, offers: Mapping[str, list[Candidate]], budget: float = 600.0, *, has_other_callers: bool = False
    ) -> tuple[SearchResult, HandmadeRuns]:
        for module in (attempt, failures_in_turn):
            monkeypatch.setattr(module, "consider", lambda case: Proposals(offers[case.diagnosis.function.name], {}))
        runs = HandmadeRuns(world, tmp_path)
        program = Program(
            runs,
            {"app.py": b"pass\n"},
            runs.understand,
            lambda _: None,
            budget=Budget(budget),
            has_other_callers=has_other_callers,
        )
        with runs:
            return Search(program).repair(program.first_run()), runs

    return run


def taken(result: SearchResult) -> dict[str, list[str]]:
    return {one.case.diagnosis.function.name: [fix.recipe for fix in one.fixes] for one in result.functions}


def test_functions_that_only_together_become_right(search: Callable[..., tuple[SearchResult, HandmadeRuns]]) -> None:
    """Each returns what the other wrote: with one of them right, the program is not what it is when run eagerly."""

    def world(changes: frozenset[str]) -> dict[str, Seen]:
        right = {"one": "fix_one" in changes, "two": "fix_two" in changes}
        if "eager" in changes or all(right.values()):
            return {name: Seen(1, Verdict.OK, 2.0) for name in right}
        return {name: Seen(1, Verdict.STALE, 2.0 if right[name] else 1.0) for name in right}

    result, runs = search(world, {"one": [change("wrong"), change("fix_one")], "two": [change("fix_two")]})
    assert taken(result) == {"one": ["fix_one"], "two": ["fix_two"]}
    assert all(one.settled for one in result.functions)
    assert all(fix.safety == "review" for one in result.functions for fix in one.fixes)
    assert [fix.proof.verdict for one in result.functions for fix in one.fixes if fix.proof] == ["proved", "proved"]
    assert result.files == {"app.py": b"import fix_one\nimport fix_two\n\npass\n"}
    assert runs.runs[-1] == {"fix_one", "fix_two"}


def test_failures_that_hide_each_other(search: Callable[..., tuple[SearchResult, HandmadeRuns]]) -> None:
    """The program dies of the first; with that one repaired, of the second."""

    def world(changes: frozenset[str]) -> dict[str, Seen]:
        if "eager" in changes:
            return {"one": Seen(1, Verdict.OK, 2.0), "two": Seen(1, Verdict.OK, 3.0)}
        if "mend_one" not in changes:
            return {"one": Seen(0, Verdict.FAILED, None)}
        if "mend_two" not in changes:
            return {"one": Seen(1, Verdict.OK, 2.0), "two": Seen(0, Verdict.FAILED, None)}
        return {"one": Seen(1, Verdict.OK, 2.0), "two": Seen(1, Verdict.OK, 3.0 if "right" in changes else 9.0)}

    right = {"one": [change("useless"), change("mend_one")], "two": [change("no_use"), change("mend_two right")]}
    result, _ = search(world, right)
    assert taken(result) == {"one": ["mend_one"], "two": ["mend_two right"]}
    assert all(one.settled for one in result.functions)
    assert all(fix.proof and fix.proof.verdict == "proved" for one in result.functions for fix in one.fixes)
    wrong = {"one": [change("mend_one")], "two": [change("mend_two")]}
    result, _ = search(world, wrong)
    assert taken(result) == {"one": []}
    assert result.files == {}, "it runs, but is not what it is when run eagerly"


def test_what_is_refuted_together_too_is_not_taken(search: Callable[..., tuple[SearchResult, HandmadeRuns]]) -> None:
    def world(changes: frozenset[str]) -> dict[str, Seen]:
        return {name: Seen(1, Verdict.STALE, 2.0 if "eager" in changes else 1.0) for name in ("one", "two", "three")}

    result, runs = search(world, {"one": [change("a")], "two": [change("b")], "three": [change("c")]})
    assert taken(result) == {"one": [], "two": [], "three": []}
    assert result.files == {}
    assert {"a", "b", "c"} in runs.runs
    assert not any(one.settled for one in result.functions)


def test_what_the_repair_of_another_function_makes_right_is_known(
    search: Callable[..., tuple[SearchResult, HandmadeRuns]],
) -> None:
    def world(changes: frozenset[str]) -> dict[str, Seen]:
        right = bool(changes)
        seen = Seen(1, Verdict.OK if right else Verdict.STALE, 2.0 if right else 1.0)
        return {"one": seen, "two": seen, "three": Seen(1, Verdict.OK)}

    result, _ = search(world, {"one": [change("mend")]})
    assert taken(result) == {"one": ["mend"]}
    assert result.along == {"app.py:two"}


def test_a_function_with_three_traces_is_not_done(search: Callable[..., tuple[SearchResult, HandmadeRuns]]) -> None:
    def world(changes: frozenset[str]) -> dict[str, Seen]:
        if "first" not in changes:
            return {"step": Seen(8)}
        return {"step": Seen(1, Verdict.OK) if "second" in changes else Seen(3, Verdict.BOUNDED)}

    result, _ = search(world, {"step": [change("first", None), change("second", None)]})
    assert taken(result) == {"step": ["first", "second"]}
    assert result.functions[0].settled
    result, _ = search(world, {"step": [change("first", None)]})
    assert taken(result) == {"step": ["first"]}
    assert result.functions[0].settled, "three traces that stay are bounded all the same"
    result, _ = search(world, {"step": [change("first", None), change("second", None)]}, budget=35.0)
    assert taken(result) == {"step": ["first"]}, "there was no time for more"
    assert result.stopped is None


def test_of_two_repairs_the_one_that_leaves_fewer_traces(
    search: Callable[..., tuple[SearchResult, HandmadeRuns]],
) -> None:
    def world(changes: frozenset[str]) -> dict[str, Seen]:
        left = min([8, *(int(name[-1]) for name in changes)])
        return {"step": Seen(left, Verdict.RETRACING if left > 2 else Verdict.BOUNDED)}

    result, runs = search(world, {"step": [change("leaves2", 2), change("also2", 2), change("leaves1", 1)]})
    assert taken(result) == {"step": ["leaves1"]}
    assert {"also2"} not in runs.runs, "no better, by what is predicted"
    unseen = dataclasses.replace(change("leaves1", 1), untraced=True)
    result, _ = search(world, {"step": [change("leaves2", 2), unseen]})
    assert taken(result) == {"step": ["leaves2"]}, "what the function returns is compared with this one alone"


def test_a_library_is_not_fitted_to_the_calls_of_one_program(
    search: Callable[..., tuple[SearchResult, HandmadeRuns]],
) -> None:
    """It has callers that are not seen, whom a signature might refuse."""

    def world(changes: frozenset[str]) -> dict[str, Seen]:
        return {"step": Seen(1, Verdict.OK) if changes else Seen(8)}

    offers = {"step": [change("input_signature"), change("hoist")]}
    assert taken(search(world, offers)[0]) == {"step": ["input_signature"]}
    result, _ = search(world, offers, has_other_callers=True)
    assert taken(result) == {"step": ["hoist"]}
    assert [each.recipe for each in result.functions[0].attempts] == ["input_signature"]


def test_a_failure_is_left_where_nothing_repairs_it(
    search: Callable[..., tuple[SearchResult, HandmadeRuns]],
) -> None:
    """Also where the program catches the error, and goes on; but not where it raises when it is run eagerly, too."""

    def failing(eagerly: float | None) -> World:
        def world(changes: frozenset[str]) -> dict[str, Seen]:
            if "eager" in changes or "mend" in changes:
                return {"step": Seen(1, Verdict.OK if eagerly else Verdict.FAILED, eagerly)}
            return {"step": Seen(1, Verdict.FAILED, None)}

        return world

    result, _ = search(failing(2.0), {"step": []})
    assert [one.settled for one in result.functions] == [False]
    result, _ = search(failing(2.0), {"step": [change("useless"), change("mend")]})
    assert taken(result) == {"step": ["mend"]}
    assert [one.settled for one in result.functions] == [True]
    result, _ = search(failing(None), {"step": [change("mend")]})
    assert result.functions == ()


def test_what_was_refuted_is_not_advised(search: Callable[..., tuple[SearchResult, HandmadeRuns]]) -> None:
    """Nor what comes to the same and is another recipe's; but advice that does something else, or more, is told."""

    def world(changes: frozenset[str]) -> dict[str, Seen]:
        return {"step": Seen(8, result=2.0 if "wrong" in changes else 1.0)}

    zeros, ones = (frozenset({Effect("filled", "mask", kind)}) for kind in ("zeros", "ones"))
    more = zeros | {Effect("cast", "x", "float32")}

    def offer(name: str, effects: frozenset[Effect]) -> Candidate:
        return dataclasses.replace(change(name), effects=effects)

    advice = [Candidate(name, "advice", (), None, 1, name, effects=effects) for name, effects in (
        ("zeros", zeros), ("ones", ones), ("more", more), ("else", frozenset()), ("wrong", frozenset()),
    )]  # fmt: skip
    result, _ = search(world, {"step": [offer("wrong zeros", zeros), *advice]})
    assert [each.recipe for each in result.functions[0].advice] == ["ones", "more", "else", "wrong"]
    result, _ = search(world, {"step": [change("wrong"), *advice]})
    assert [each.recipe for each in result.functions[0].advice] == ["zeros", "ones", "more", "else"]
    result, _ = search(world, {"step": [offer("useless", zeros), *advice]})
    assert "zeros" not in [each.recipe for each in result.functions[0].advice], "it leaves as many traces"


@pytest.mark.parametrize(
    ("left", "named"),
    [
        ([3, 1, 2], 1),
        ([2, 2], 0),
        ([None, 1], 0),  # it may leave one as well, and is tried first
        ([2, None], 0),  # it may be better, but nothing says so
        ([3, None, 2, None, 1], 4),
    ],
)
def test_a_report_names_what_a_search_takes_if_all_is_proved(
    search: Callable[..., tuple[SearchResult, HandmadeRuns]], left: list[int | None], named: int
) -> None:
    """Whether it was counted by a replay, or is only what a framework lets expect."""
    counted = [change(f"leaves{number or 1}x{place}", number) for place, number in enumerate(left)]
    expected = [
        dataclasses.replace(each, predicted_traces=None, expected_traces=each.predicted_traces) for each in counted
    ]

    def world(changes: frozenset[str]) -> dict[str, Seen]:
        traces = min([8, *(int(name[len("leaves") :].partition("x")[0]) for name in changes)])
        return {"step": Seen(traces, Verdict.BOUNDED if traces < 8 else Verdict.RETRACING)}

    for candidates in (counted, expected):
        assert first_choice(candidates) is candidates[named]
        result, _ = search(world, {"step": candidates})
        assert taken(result) == {"step": [candidates[named].recipe]}
