"""When is a repair proved, and how far is it to be trusted?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from traceonce.facts import Cause, CauseCode, FunctionId, Note, Recording, TraceEvent
from traceonce.facts.entries import Finding
from traceonce.facts.replay import Probed, ReplayResult, Returned, Value
from traceonce.fix.candidate import Candidate
from traceonce.frameworks.tensorflow.recipes.kit import KIT
from traceonce.prove.judgement import Label, Observed, clearly_slower, judge, label, new_breaks
from traceonce.prove.repair_result import with_what_was_shown
from traceonce.prove.run_differences import (
    Beyond,
    Variation,
    compare_probes,
    find_difference,
    find_variation,
    results_difference,
)
from traceonce.prove.stage_client import Run
from traceonce.words.notes import english_reason
from traceonce.words.notes.proofs import READS_OPEN_SIZE
from traceonce.words.notes.reasons import LEFT_NO_RESULTS

STEP = FunctionId("step", "train.py", 3)
NAME = "train.py:step"


def value(number: float) -> Value:
    return Value("array", "EagerTensor", "float32", (), np.float32(number).tobytes())


def returned(number: float, seconds: float = 0.01) -> Returned:
    return Returned(STEP, (value(number),), "*", seconds=seconds)


def run(
    *numbers: float,
    traces: int = 1,
    printed: str = "5",
    status: int = 0,
    seconds: float = 0.01,
    variables: tuple[float, ...] = (3.0,),
) -> Observed:
    replay = ReplayResult(
        returned=tuple(returned(number, seconds) for number in numbers), variables=tuple(map(value, variables))
    )
    return Observed(Run(status, Recording(), replay, printed, "ValueError: no\n", 1.0), {NAME: traces})


def with_events(observed: Observed, *events: TraceEvent) -> Observed:
    return observed._replace(run=msgspec.structs.replace(observed.run, recording=Recording(events=events)))


def verdict(before: Observed, after: Observed) -> tuple[str, str | None]:
    proof = judge(NAME, before, before, after, Variation())
    return proof.verdict, proof.reason


def test_fewer_traces_and_the_same_results_are_a_proof() -> None:
    proof = judge(NAME, run(1, 2, traces=2), run(1, 2, traces=2), run(1, 2, traces=1), Variation())
    assert (proof.verdict, proof.reason, proof.outputs_equal, proof.compared) == ("proved", None, True, 2)
    assert (proof.before.traces, proof.after.traces, proof.tolerance) == (2, 1, 1e-5)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (run(1, 3), "step, call 2: 2 → 3"),
        (run(1), "step, 2 calls → 1 calls"),
        (run(), "step, 2 calls → 0 calls"),
        (run(1, 2, status=1), "exit status 0 → 1 (ValueError: no)"),
        (run(1, 2, printed="7"), "printed line 1: '5' → '7'"),
        (run(1, 2, variables=(4.0,)), "variable 1 at the end: 3 → 4"),
        (run(1, 2, variables=()), "variable 1 at the end: missing"),
    ],
)
def test_whatever_differs_refutes(after: Observed, reason: str) -> None:
    assert verdict(run(1, 2, traces=2), after) == ("refuted", reason)


def test_a_repair_may_add_variables() -> None:
    assert verdict(run(1, traces=2, variables=(3.0, 5.0)), run(1, variables=(3.0, 4.0, 5.0)))[0] == "proved"


def test_as_many_traces_are_no_proof() -> None:
    assert verdict(run(1, traces=2), run(1, traces=2)) == ("not_proved", "2 traces → 2")


def test_traces_that_move_elsewhere_are_no_proof() -> None:
    after = run(1, traces=1)._replace(traces={NAME: 1, "train.py:other": 1})
    assert verdict(run(1, traces=2), after) == (
        "not_proved",
        "2 traces → 1 (the saved traces now happen in other functions)",
    )


def test_what_varies_by_itself_is_not_claimed() -> None:
    variation = find_variation(run(1).run, run(2).run)
    assert variation.functions == {NAME}
    proof = judge(NAME, run(1, traces=2), run(1, traces=2), run(9), variation)
    assert (proof.verdict, proof.outputs_equal, proof.deterministic) == ("not_proved", None, False)
    assert "non-deterministic" in str(proof.reason)


def test_a_silently_wrong_value_is_compared_with_what_is_right() -> None:
    wrong, right, eager = run(1, 1, traces=1), run(1, 2, traces=1), run(1, 2, traces=0)
    assert judge(NAME, wrong, wrong, right, Variation(), eager.run).verdict == "proved"
    assert judge(NAME, wrong, wrong, wrong, Variation(), eager.run).verdict == "refuted"


def test_a_program_that_left_no_results_proves_nothing() -> None:
    lost = run(1)._replace(run=Run(0, Recording(), None, "", "", 1.0))
    assert find_difference(run(1).run, lost.run, Variation()) == LEFT_NO_RESULTS()


def test_a_function_that_is_a_part_of_another_graph_need_not_be_seen() -> None:
    before = run(1, 2, traces=2)
    proof = judge(NAME, before, before, run(traces=0), Variation(), untraced=True)
    assert (proof.verdict, proof.outputs_equal, proof.compared) == ("proved", True, 0)
    assert judge(NAME, before, before, run(traces=0), Variation()).verdict == "refuted"


@pytest.mark.parametrize(("printed", "proved"), [("5", "proved"), ("", "not_proved")])
@pytest.mark.parametrize("how", ["untraced", "unseen"])
def test_without_results_of_its_own_something_must_be_printed(how: str, printed: str, proved: str) -> None:
    before, after = (run(traces=traces, printed=printed) for traces in (2, 1))
    assert judge(NAME, before, before, after, Variation(), **{how: True}).verdict == proved


def test_slower_is_said_only_where_it_is_clear_and_stays_so() -> None:
    fast, slow = run(1, 1, seconds=0.1), run(1, 1, seconds=0.5)
    slower = clearly_slower(NAME, [fast], [slow])
    assert slower is not None
    assert english_reason(slower) == "fewer traces, but its calls take longer: 0.20 s → 1.00 s"
    assert clearly_slower(NAME, [fast, fast], [slow, fast]) is None
    assert clearly_slower(NAME, [run(1, seconds=0.01)], [run(1, seconds=0.1)]) is None


def probed(change: str, number: float | None) -> Probed:
    result = Returned(STEP, error="TypeError") if number is None else returned(number)
    return Probed(STEP, "k", change, result)


def test_calls_beyond_the_run() -> None:
    before = [probed("k = 0", 1), probed("k = 1", 2), probed("k = 2", None), probed("k = 3", 4)]
    after = [probed("k = 0", 1), probed("k = 1", 3), probed("k = 2", 1), probed("k = 3", None)]
    found = compare_probes(before, after, NAME)
    assert found == Beyond(4, ("k = 1: 2 → 3", "k = 2: TypeError → a result"), ("k = 3 (TypeError)",))


@pytest.mark.parametrize(
    ("recipe", "beyond", "safety"),
    [
        ("input_signature", Beyond(4), "safe"),
        ("input_signature+dynamic_shape", Beyond(4), "safe"),
        ("input_signature", Beyond(4, raising=("x.shape[0]: 2 → 3 (TypeError)",)), "narrow"),
        ("input_signature", Beyond(4, differing=("k = 0: 1 → 2",), raising=("k = 1",)), "review"),
        ("input_signature", Beyond(0), "review"),  # nothing could be tried
        ("input_signature", None, "review"),
        ("cast", Beyond(4), "review"),  # another number shows nothing about a cast
        ("cast+input_signature", Beyond(4), "review"),
        ("state", Beyond(4), "review"),
    ],
)
def test_how_far_a_proved_repair_can_be_trusted(recipe: str, beyond: Beyond | None, safety: str) -> None:
    assert labelled(Candidate(recipe, "review", ()), beyond).safety == safety


def labelled(candidate: Candidate, beyond: Beyond | None, doubts: Sequence[Note] = ()) -> Label:
    return label(candidate, KIT.named(candidate.recipe), beyond, doubts)


def test_what_is_only_moved_needs_no_calls_beyond_the_run() -> None:
    assert labelled(Candidate("hoist", "safe", ()), None).safety == "safe"
    assert labelled(Candidate("hoist", "review", ()), Beyond(0)).safety == "review"  # a cache, say


def test_a_doubt_is_a_reason_to_review() -> None:
    found = labelled(Candidate("input_signature", "safe", ()), Beyond(4), [READS_OPEN_SIZE()])
    assert (found.safety, found.notes) == ("review", (READS_OPEN_SIZE(),))


def test_a_number_taken_for_the_count_of_traces_is_said_to_be() -> None:
    proof = judge(NAME, run(1, 2, traces=2, printed="7 2"), run(1, 2, traces=2), run(1, 2, printed="7 1"), Variation())
    assert (proof.verdict, proof.prints_counts) == ("proved", True)
    assert not judge(NAME, run(1, traces=2), run(1, traces=2), run(1), Variation()).prints_counts


def test_a_count_of_traces_is_a_count_of_calls_where_the_program_is_run_eagerly() -> None:
    wrong, eager = run(1, 1, 1, printed="counted 1"), run(1, 2, 3, traces=0, printed="counted 3")
    proof = judge(NAME, wrong, wrong, run(1, 2, 3, printed="counted 1"), Variation(), eager.run)
    assert (proof.verdict, proof.prints_counts) == ("proved", True)
    other = judge(NAME, wrong, wrong, run(1, 2, 3, printed="counted 2"), Variation(), eager.run)
    assert other.reason == "printed line 1: 'counted 3' → 'counted 2'"


def test_which_function_returned_something_else() -> None:
    assert results_difference(run(1, 2).run, run(1, 1).run, NAME) is not None
    assert results_difference(run(1, 2).run, run(1, 2).run, NAME) is None
    assert results_difference(run(1, 2).run, run(1, 1).run, "train.py:other") is None


def test_a_wrong_result_shows_that_the_only_stale_value_reached_the_graph() -> None:
    def findings(*paths: str) -> Recording:
        causes = [Cause(CauseCode.STALE, path, "1", "2", evidence="inferred", note="later") for path in paths]
        return Recording(findings=tuple(Finding("jax", STEP, cause) for cause in causes))

    def evidence(recording: Recording) -> list[str]:
        return [finding.cause.evidence for finding in recording.findings]

    assert evidence(with_what_was_shown(findings("rate"), {NAME})) == ["measured"]
    assert evidence(with_what_was_shown(findings("rate"), set())) == ["inferred"]
    assert evidence(with_what_was_shown(findings("rate", "size"), {NAME})) == ["inferred", "inferred"]


BROKEN = TraceEvent(
    1, "torch", STEP, "trace", start=0.0, phase="failed", error="Unsupported: range of a tensor\n  Hint: none"
)


def test_what_runs_as_plain_python_now_is_not_proved() -> None:
    now = with_events(run(1.0, traces=1), BROKEN)
    assert verdict(run(1.0, traces=8), now) == (
        "not_proved",
        "fewer traces, but only because tracing fails and the function runs as plain Python: "
        "Unsupported: range of a tensor",
    )
    assert verdict(with_events(run(1.0, traces=8), BROKEN), now)[0] == "proved"  # as it did before


def test_a_graph_break_that_is_new_is_told_wherever_its_line_is_now() -> None:
    before = with_events(run(1.0), msgspec.structs.replace(BROKEN, graph_breaks=("print (train.py:4)",)))
    after = with_events(
        run(1.0), msgspec.structs.replace(BROKEN, graph_breaks=("print (train.py:5)", "if (train.py:9)"))
    )
    assert new_breaks(NAME, before.run, after.run) == ["if (train.py:9)"]
