"""The numbered rules of `verdicts.py`, each from both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.unit.handmade import cause
from traceonce.diagnosis.verdicts import Retrace, judge, judge_growth
from traceonce.facts import Cause, CauseCode, Growth, Reason, Verdict

SHAPE = (cause(),)
FINITE = (cause(CauseCode.VALUE, "training", finite=True),)
NEW_FUNCTION = (cause(CauseCode.NEW_FUNCTION, "step"),)
NEW_INSTANCE = (cause(CauseCode.NEW_INSTANCE, "step"),)
EARLY = [2, 3, 4]


def judged(
    at: Sequence[int | None] = (), causes: tuple[Cause, ...] = SHAPE, **facts: Any
) -> tuple[Verdict, Growth, str]:
    """The verdict on a function of 1000 calls that was traced once, and again `at` these calls for the same causes."""
    retraces = facts.pop("retraces", [Retrace(call, causes) for call in at])
    filled: dict[str, Any] = {
        "calls": 1000,
        "traces": 1 + len(retraces),
        "failed": 0,
        "recompiles": 0,
        "silent": (),
        **facts,
    }
    return judge(retraces=retraces, **filled)


def verdict(*args: Any, **facts: Any) -> Verdict:
    return judged(*args, **facts)[0]


# Rule 1


def test_1_given_up_on() -> None:
    assert judged(silent=[CauseCode.FELL_BACK])[::2] == (Verdict.FELL_BACK, Reason.FELL_BACK)
    assert verdict(range(2, 9), calls=8, failed=1, silent=[CauseCode.FELL_BACK]) is Verdict.FELL_BACK


# Rule 2


def test_2_one_call_of_five_in_the_second_half() -> None:
    """20 calls: two of the last ten are a fifth, one is not."""
    assert judged([12, 17], calls=20)[:2] == (Verdict.RETRACING, "growing")
    assert judged([2, 3, 17], calls=20)[:2] == (Verdict.BOUNDED, "unclear")


def test_2_a_third_of_at_least_five_retraces() -> None:
    assert judged([2, 3, 4, 5, 600, 900])[:2] == (Verdict.RETRACING, "growing")
    assert judged([2, 3, 4, 5, 6, 900])[:2] == (Verdict.BOUNDED, "unclear")


def test_2_four_retraces_are_too_few_to_be_steady() -> None:
    assert judged([2, 3, 600, 900])[:2] == (Verdict.BOUNDED, "unclear")


def test_2_less_than_a_third_is_not_enough() -> None:
    assert judge_growth([2, 3, 4, 5, 6, 7, 8, 600, 700, 800], 1000) == "unclear"
    assert judge_growth([2, 3, 4, 5, 6, 7, 600, 700, 800], 1000) == "growing"


def test_2_a_retrace_in_every_call() -> None:
    assert judged(range(2, 9), calls=8)[:2] == (Verdict.RETRACING, "growing")


def test_2_all_in_the_first_half_have_levelled_off() -> None:
    assert judged(range(2, 90)) == (Verdict.BOUNDED, "levelled", Reason.CAME_EARLY)


def test_2_a_single_retrace_does_not_keep_coming() -> None:
    assert verdict([2], calls=2) is Verdict.BOUNDED


def test_2_calls_that_nobody_counted_leave_it_open() -> None:
    assert judged([None, None, None])[:2] == (Verdict.BOUNDED, "unclear")
    assert judged([2, 3], calls=None)[:2] == (Verdict.BOUNDED, "unclear")
    assert judged([2, None], calls=10)[:2] == (Verdict.BOUNDED, "unclear")


def test_2_five_of_them_are_an_alarm_without_a_count() -> None:
    assert verdict([None] * 5, calls=None) is Verdict.RETRACING
    assert verdict([None] * 4, calls=None) is Verdict.BOUNDED
    assert verdict([None] * 5, FINITE, calls=None) is Verdict.BOUNDED


def test_2_retraces_inside_one_outer_trace_cannot_grow() -> None:
    """An outer function that unrolls a loop over Python numbers traces the inner one for each, once."""
    inside = [Retrace(None, SHAPE, parent=1) for _ in range(9)]
    assert verdict(retraces=inside, calls=None) is Verdict.BOUNDED
    alone = [Retrace(None, SHAPE) for _ in range(9)]
    assert verdict(retraces=alone, calls=None) is Verdict.RETRACING


def test_2_what_comes_with_each_trace_of_an_outer_function_is_told_by_that_one() -> None:
    spread = [Retrace(None, SHAPE, parent=number) for number in range(9)]
    assert judged(retraces=spread, calls=None) == (Verdict.BOUNDED, "unclear", Reason.PART_OF_ANOTHER)
    kinds = [Retrace(None, (cause(CauseCode.DTYPE, "x.dtype"),), parent=number) for number in range(3)]
    assert judged(retraces=kinds, calls=None) == (Verdict.BOUNDED, "unclear", Reason.PART_OF_ANOTHER)
    some = [Retrace(None, SHAPE, parent=number if number < 5 else None) for number in range(9)]
    assert verdict(retraces=some, calls=None) is Verdict.BOUNDED
    most = [Retrace(None, SHAPE, parent=number if number < 4 else None) for number in range(9)]
    assert verdict(retraces=most, calls=None) is Verdict.RETRACING


def test_2_data_that_grows_under_new_objects_is_no_less_than_in_the_arguments() -> None:
    """Each of six fits calls its own function fifteen times: paid off, were it not for one row more in each."""
    fits = [Retrace(call, NEW_INSTANCE, new_sizes=True) for call in range(16, 91, 15)]
    assert verdict(retraces=fits, calls=90) is Verdict.RETRACING
    folds = [Retrace(call, NEW_INSTANCE, new_sizes=call == 16) for call in range(16, 91, 15)]
    assert verdict(retraces=folds, calls=90) is Verdict.BOUNDED


def test_2_what_another_object_had_before_does_not_count() -> None:
    """A partial last batch in each of many models: the shape is old, the model is new."""
    repeated = [Retrace(call, SHAPE, repeated=True) for call in range(2, 9)]
    assert verdict(retraces=repeated, calls=8) is Verdict.BOUNDED
    assert verdict(range(2, 9), calls=8) is Verdict.RETRACING


def test_2_no_retrace_is_no_growth() -> None:
    assert judge_growth([], 100) == "none"
    assert judge_growth([], None) == "none"


def test_2_a_place_of_few_states_is_bounded_whatever_its_order() -> None:
    late = [600, 700, 800, 900, 950]
    assert judged(late, FINITE)[::2] == (Verdict.BOUNDED, Reason.FEW_STATES)
    assert verdict(late, SHAPE) is Verdict.RETRACING


def test_11_a_size_that_the_last_trace_leaves_open_is_no_place_of_few_states() -> None:
    left_open = (cause(CauseCode.SHAPE, "x.shape[0]", finite=True),)
    assert judged([2], left_open)[::2] == (Verdict.BOUNDED, Reason.LEFT_OPEN)
    assert judged([2], FINITE)[::2] == (Verdict.BOUNDED, Reason.FEW_STATES)


def test_2_one_place_of_many_states_beside_it_is_enough() -> None:
    assert verdict([600, 700, 800, 900, 950], FINITE + SHAPE) is Verdict.RETRACING


# Rule 3


@pytest.mark.parametrize("causes", [NEW_FUNCTION, NEW_INSTANCE])
def test_3_a_function_made_anew_with_few_calls_to_a_trace(causes: tuple[Cause, ...]) -> None:
    assert verdict([11, 21], causes, calls=29) is Verdict.RETRACING
    assert judged([11, 21], causes, calls=30)[::2] == (Verdict.BOUNDED, Reason.PAID_OFF)


def test_3_a_handful_of_objects_each_traced_once_is_no_alarm() -> None:
    """An ensemble of six, four rounds: all traces in the first round."""
    assert judged(range(2, 7), NEW_INSTANCE, calls=24) == (Verdict.BOUNDED, "levelled", Reason.CAME_EARLY)
    assert verdict(range(2, 7), NEW_INSTANCE, calls=8) is Verdict.RETRACING


def test_3_many_small_models_one_after_the_other_are_no_alarm() -> None:
    """Fifty models, ten calls each: they keep coming, and each has paid for itself."""
    models = range(11, 501, 10)
    assert judged(models, NEW_FUNCTION, calls=500)[:2] == (Verdict.BOUNDED, "growing")
    assert judged(models, NEW_FUNCTION, calls=500)[2] == Reason.PAID_OFF
    assert verdict(models, NEW_FUNCTION, calls=499) is Verdict.RETRACING


def test_3_a_dataset_built_again_and_again() -> None:
    assert verdict([None] * 20, NEW_FUNCTION, calls=None, of_dataset=True) is Verdict.RETRACING
    assert verdict([None] * 19, NEW_FUNCTION, calls=None, of_dataset=True) is Verdict.BOUNDED
    assert verdict([None] * 20, NEW_FUNCTION, calls=None) is Verdict.BOUNDED


def test_3_once_is_not_twice() -> None:
    assert verdict([2], NEW_FUNCTION, calls=2) is Verdict.BOUNDED
    assert verdict([2, 3], NEW_FUNCTION, calls=3) is Verdict.RETRACING


def test_3_a_new_function_with_new_arguments_counts_among_the_arguments() -> None:
    both = NEW_FUNCTION + SHAPE
    assert judged(range(2, 9), both, calls=8)[2] == Reason.KEEPS_COMING
    assert verdict([2, 3], both, calls=29) is Verdict.BOUNDED


# Rule 4


def test_4_many_retraces_that_have_not_paid_off() -> None:
    """A growing decode: new lengths in the first prompts, few calls to a trace."""
    assert judged(range(2, 10), calls=89)[1:] == ("levelled", Reason.MANY_CALLS)
    assert verdict(range(2, 10), calls=89) is Verdict.RETRACING
    assert verdict(range(2, 10), calls=90) is Verdict.BOUNDED
    assert verdict(range(2, 9), calls=79) is Verdict.AVOIDABLE
    assert verdict(range(2, 10), FINITE, calls=89) is Verdict.BOUNDED


# Rule 5


def test_5_three_compilations_without_a_trace_in_one_call_of_twenty() -> None:
    assert judged(recompiles=3, calls=60)[::2] == (Verdict.RECOMPILING, Reason.COMPILED_FOR_SHAPES)
    assert verdict(recompiles=3, calls=61) is Verdict.BOUNDED
    assert verdict(recompiles=7, calls=12, at_least=True) is Verdict.BOUNDED
    assert verdict(recompiles=8, calls=12, at_least=True) is Verdict.RECOMPILING
    assert verdict(recompiles=3, calls=12, at_least=True, resharded=True) is Verdict.RECOMPILING
    assert verdict(recompiles=50) is Verdict.RECOMPILING
    assert verdict(recompiles=49) is Verdict.BOUNDED


def test_5_two_are_too_few() -> None:
    assert verdict(recompiles=2, calls=2) is Verdict.BOUNDED
    assert verdict(recompiles=3, calls=3) is Verdict.RECOMPILING


def test_11_a_compilation_without_a_trace_has_a_reason_of_its_own() -> None:
    assert judged(recompiles=1)[::2] == (Verdict.BOUNDED, Reason.COMPILED_FOR_SHAPES)
    assert judged(recompiles=1, resharded=True)[::2] == (Verdict.BOUNDED, Reason.COMPILED_FOR_DEVICES)


# Rule 6


def test_6_a_trace_that_raised() -> None:
    assert judged(failed=1)[::2] == (Verdict.FAILED, Reason.RAISED)
    assert verdict(failed=0) is Verdict.OK


@pytest.mark.parametrize(
    ("code", "expected"), [(CauseCode.STALE, Verdict.STALE), (CauseCode.CONFUSED, Verdict.CONFUSED)]
)
def test_6_a_value_that_the_trace_was_not_made_for(code: CauseCode, expected: Verdict) -> None:
    assert verdict(silent=[code]) is expected
    assert verdict([2], silent=[code]) is expected
    assert verdict(silent=[]) is Verdict.OK


def test_6_what_costs_time_comes_first() -> None:
    assert verdict(range(2, 9), calls=8, failed=1, silent=[CauseCode.STALE]) is Verdict.RETRACING
    assert verdict(failed=1, silent=[CauseCode.STALE]) is Verdict.FAILED
    assert verdict(silent=[CauseCode.CONFUSED, CauseCode.STALE]) is Verdict.STALE


# Rule 7


def test_7_traced_once_is_ok() -> None:
    assert judged() == (Verdict.OK, "none", Reason.TRACED_ONCE)
    assert verdict(calls=None) is Verdict.OK


@pytest.mark.parametrize("facts", [{"at": [2]}, {"failed": 1}, {"recompiles": 1}, {"silent": [CauseCode.STALE]}])
def test_7_anything_else_is_not(facts: dict[str, Any]) -> None:
    assert verdict(**facts) is not Verdict.OK


# Rule 8

DTYPE = (cause(CauseCode.DTYPE, "x.dtype", was="float32", now="int32"),)
WEAK = (cause(CauseCode.WEAK_TYPE, "x.weak_type", was="True", now="False"),)
KIND = (cause(CauseCode.KIND, "x", was="1.0", now="float32[]"),)
KEYS = (cause(CauseCode.STRUCTURE, "batch", was="keys ids", now="keys ids, mask"),)
NESTING = (cause(CauseCode.STRUCTURE, "batch", was="list", now="tuple"),)
LENGTH = (cause(CauseCode.STRUCTURE, "len(batch)", was="2", now="3"),)
OPTIONAL = (cause(CauseCode.KIND, "mask", was="None", now="float32[3]", finite=True),)


@pytest.mark.parametrize("causes", [DTYPE, WEAK, KIND, NESTING, DTYPE + SHAPE])
def test_8_another_type_at_one_line_is_an_accident_however_well_it_paid_off(causes: tuple[Cause, ...]) -> None:
    assert judged([2], causes) == (Verdict.AVOIDABLE, "levelled", Reason.TYPE_CHANGES)
    assert verdict([2], causes, calls=100_000) is Verdict.AVOIDABLE
    assert verdict([None], causes, calls=None) is Verdict.AVOIDABLE


def test_8_so_are_keys_that_come_and_go() -> None:
    assert judged([2], KEYS)[::2] == (Verdict.AVOIDABLE, Reason.KEYS_CHANGE)


@pytest.mark.parametrize("causes", [DTYPE, WEAK, KIND, KEYS, NESTING])
def test_8_at_another_line_it_is_another_use(causes: tuple[Cause, ...]) -> None:
    assert verdict(retraces=[Retrace(2, causes, same_line=False)]) is Verdict.BOUNDED


@pytest.mark.parametrize("causes", [SHAPE, LENGTH, OPTIONAL, FINITE, NEW_FUNCTION])
def test_8_what_is_no_type_is_no_accident(causes: tuple[Cause, ...]) -> None:
    assert verdict([2], causes) is Verdict.BOUNDED


def test_8_not_of_what_another_object_had_before() -> None:
    assert verdict(retraces=[Retrace(2, DTYPE, repeated=True)]) is Verdict.BOUNDED


def test_8_an_alarm_goes_before_an_accident() -> None:
    assert verdict(range(2, 9), DTYPE, calls=8) is Verdict.RETRACING
    assert verdict([2], DTYPE, failed=1) is Verdict.FAILED
    assert verdict([2], DTYPE, silent=[CauseCode.STALE]) is Verdict.STALE


# Rule 9


def flags(*names: str, calls: int | None) -> tuple[Verdict, Growth, str]:
    """Each retrace is for one flag."""
    each = [(cause(CauseCode.VALUE, name, finite=True),) for name in names]
    return judged(retraces=[Retrace(call, causes) for call, causes in enumerate(each, 2)], calls=calls)


def test_9_flags_multiply() -> None:
    """Three flags in eight calls: eight graphs."""
    assert flags(*"abacaba", calls=8)[::2] == (Verdict.AVOIDABLE, Reason.FLAGS_MULTIPLY)
    assert flags(*"abac", calls=49)[0] is Verdict.AVOIDABLE
    assert flags(*"abac", calls=None)[0] is Verdict.AVOIDABLE


def test_9_not_where_they_have_paid_off() -> None:
    assert flags(*"abac", calls=50)[::2] == (Verdict.BOUNDED, Reason.FEW_STATES)


def test_9_two_flags_make_four_graphs_and_no_more() -> None:
    assert flags(*"aba", calls=4)[0] is Verdict.BOUNDED


def test_9_one_place_of_a_handful_of_states_does_not_multiply() -> None:
    assert flags(*"aaaa", calls=5)[0] is Verdict.BOUNDED


# Rule 10

NUMBER = (cause(CauseCode.VALUE, "n", type_name="int"),)
NAME = (cause(CauseCode.VALUE, "mode", type_name="str"),)


@pytest.mark.parametrize("causes", [SHAPE, LENGTH, NUMBER, SHAPE + NUMBER])
def test_10_sizes_that_came_again_only_because_the_data_was_read_twice(causes: tuple[Cause, ...]) -> None:
    assert judged(EARLY, causes, calls=8) == (Verdict.AVOIDABLE, "levelled", Reason.READ_TWICE)


def test_10_two_more_sizes_are_a_warm_up() -> None:
    assert verdict([2, 3], calls=6) is Verdict.BOUNDED


def test_10_a_few_shapes_that_serve_many_calls_are_a_warm_up() -> None:
    assert verdict(EARLY, calls=39) is Verdict.AVOIDABLE
    assert judged(EARLY, calls=40)[::2] == (Verdict.BOUNDED, Reason.CAME_EARLY)


def test_10_sizes_that_came_again_in_the_first_pass_are_a_few_by_design() -> None:
    """Four traces in the first seven calls are more than half, four in eight are not."""
    assert verdict([2, 3, 7], calls=20) is Verdict.AVOIDABLE
    assert verdict([2, 3, 8], calls=20) is Verdict.BOUNDED


def test_10_what_was_not_numbered_is_not_judged() -> None:
    assert verdict([2, 3, 4, None], calls=20) is Verdict.BOUNDED
    assert verdict([None] * 4, calls=None) is Verdict.BOUNDED


def test_10_modes_are_no_sizes() -> None:
    assert verdict(EARLY, NAME, calls=8) is Verdict.BOUNDED


# Rule 11


def test_11_what_is_left_is_bounded() -> None:
    assert judged([2]) == (Verdict.BOUNDED, "levelled", Reason.CAME_EARLY)
    assert judged([900]) == (Verdict.BOUNDED, "unclear", Reason.PAID_OFF)
    assert judged([9], calls=10) == (Verdict.BOUNDED, "unclear", Reason.FEW_SO_FAR)
    assert verdict(recompiles=1) is Verdict.BOUNDED


@pytest.mark.parametrize("at", [[], [2], [900], range(2, 500), range(500, 900)])
@pytest.mark.parametrize("causes", [SHAPE, FINITE, NEW_FUNCTION])
@pytest.mark.parametrize("calls", [None, 1000])
def test_every_verdict_has_its_reason(at: Sequence[int], causes: tuple[Cause, ...], calls: int | None) -> None:
    _, growth, reason = judged(at, causes, calls=calls)
    assert reason
    assert (growth == "none") == (len(at) == 0)


def test_8_a_key_that_something_outside_was_given_is_a_cache_that_was_filled() -> None:
    def keys(was: str, now: str, *, finite: bool = False) -> tuple[Cause, ...]:
        return (cause(CauseCode.STRUCTURE, "held", was=was, now=now, finite=finite),)

    assert judged([2], keys("no key 'a'", "key 'a'"))[::2] == (Verdict.AVOIDABLE, Reason.KEYS_CHANGE)
    assert judged([2], keys("key 'a'", "key 'b'"))[::2] == (Verdict.AVOIDABLE, Reason.KEYS_CHANGE)
    assert verdict([2], keys("no key 'a'", "key 'a'", finite=True)) is Verdict.BOUNDED
    assert judged([2], keys("list", "tuple"))[::2] == (Verdict.AVOIDABLE, Reason.TYPE_CHANGES)
