"""A search that is stopped: what is proved by then counts, and what was not tried is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.handmade import Events, record, tensor
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import Recording
from traceonce.facts.replay import ReplaySettings
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.proposals import Proposals
from traceonce.fix.source.edits import Edits
from traceonce.fix.suggestions import make_case
from traceonce.observe.launch import Target
from traceonce.prove import attempt
from traceonce.prove.attempt import Trying
from traceonce.prove.budget import LEAST, RUNS, Budget, Interruption, Stopped
from traceonce.prove.judgement import judge
from traceonce.prove.program import Program
from traceonce.prove.run_differences import Variation
from traceonce.prove.scratch import Scratch
from traceonce.prove.stage_client import Replays, Run
from traceonce.words.notes import say_reasons


def test_a_budget_follows_from_the_program_where_none_is_named() -> None:
    budget = Budget()
    budget.note_run(10.0)
    assert budget.seconds == LEAST <= 120 - 10  # ten seconds of a last run, and two minutes are not over
    budget.note_run(60.0)
    assert budget.seconds == 60 * RUNS
    assert budget.fits(int(RUNS) - 1)
    assert not budget.fits(int(RUNS) + 1)


def test_a_run_that_would_not_end_in_time_is_not_begun() -> None:
    budget = Budget(5.0)
    budget.note_run(10.0)
    with pytest.raises(Stopped, match="budget"):
        budget.check()
    assert budget.most(300.0) <= 5.0


def test_an_interrupt_ends_what_is_waited_for_and_nothing_else() -> None:
    interruption = Interruption()
    interruption.ask()  # while something is computed: nothing is raised
    with pytest.raises(Stopped, match="interrupted"), interruption.waiting():
        raise AssertionError("nothing more is begun")
    again = Interruption()
    with pytest.raises(Stopped), again.waiting():
        again.ask()


def case() -> Case:
    event = Events()
    ((diagnosis, events),) = diagnose_with_events(record(*(event(tensor("x", n)) for n in range(8)), calls=8))
    return make_case(diagnosis, events, {})


class NoRuns(Replays):
    """Every run takes its time, or is interrupted."""

    def __init__(self, ending: Callable[[], None], folder: Path) -> None:
        super().__init__(Target("script", "train.py", ()), Scratch(None, folder), timeout=60.0)
        self._ending = ending

    def run(
        self, changed: object, settings: ReplaySettings, *, clock: float = 1.0, timeout: float | None = None
    ) -> Run:
        self._ending()
        return Run(0, Recording(), None, "", "", 1.0)


def candidate(recipe: str, text: bytes) -> Candidate:
    def change(edits: Edits) -> None:
        module = edits.module("train.py")
        assert module is not None
        edits.add_import(module, text.decode())

    return Candidate(recipe, "safe", (), change, 1, recipe)


def interrupted() -> None:
    raise Stopped("interrupted")


@pytest.mark.parametrize(
    ("budget", "ending", "why"),
    [
        (Budget(0.0), lambda: None, "the budget of 0.00 s is used up"),
        (Budget(86_400.0), interrupted, "interrupted"),
    ],
    ids=["budget", "interrupt"],
)
def test_what_was_not_tried_is_named(
    budget: Budget, ending: Callable[[], None], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget.note_run(1.0)
    offers = [candidate("hoist", b"one"), candidate("cast", b"two")]
    monkeypatch.setattr(attempt, "consider", lambda _: Proposals(offers, {}))
    with NoRuns(ending, tmp_path) as runs:
        program = Program(runs, {"train.py": b"x = 1\n"}, lambda _: [], lambda _: None, budget=budget)
        repaired, taken = Trying(program, case(), program.original, {}, lambda *_: True, wide=False).run()
    assert taken is None
    assert [(each.recipe, each.outcome, say_reasons(each.reasons, "en")) for each in repaired.attempts] == [
        ("hoist", "not_tried", why),
        ("cast", "not_tried", why),
    ]
    assert [each.recipe for each in repaired.advice] == ["hoist"]
    assert not repaired.settled


def test_where_time_is_short_every_recipe_has_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offers = [candidate("hoist", b"one"), candidate("hoist", b"two"), candidate("cast", b"three")]
    monkeypatch.setattr(attempt, "consider", lambda _: Proposals(offers, {}))

    def order(seconds: float) -> list[str]:
        budget = Budget(seconds)
        budget.note_run(10.0)
        with NoRuns(interrupted, tmp_path) as runs:
            program = Program(runs, {}, lambda _: [], lambda _: None, budget=budget)
            left = Trying(program, case(), program.original, {}, lambda *_: True, wide=False).left("budget")
        return [each.recipe for each in left.attempts]

    assert order(100.0) == ["hoist", "hoist", "cast"]
    assert order(15.0) == ["hoist", "cast", "hoist"]


def test_a_run_that_had_to_be_ended_refutes_nothing(tmp_path: Path) -> None:
    """What came later is missing, not different."""
    seen = Run(0, Recording(), None, "1\n2\n", "", 1.0)
    cut = Run(None, Recording(), None, "1\n", "", 13.0)
    with NoRuns(lambda: None, tmp_path) as runs:
        program = Program(runs, {}, lambda _: [], lambda _: None)
        proof = judge("f", program.observed(seen), program.observed(seen), program.observed(cut), Variation())
    assert (proof.verdict, proof.reason) == ("not_proved", "the program takes much longer: 1.00 s → more than 13.00 s")


def test_a_temporary_folder_inside_of_the_project_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "train.py").write_text("")
    with Scratch(tmp_path / "train.py", tmp_path) as scratch:
        scratch.renew({})
        assert not list((scratch.cwd / "tmp").iterdir())
        assert (scratch.cwd / "train.py").exists()
