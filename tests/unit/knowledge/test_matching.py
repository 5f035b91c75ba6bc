"""Which record a text is matched to, and why: records made by hand, small enough to see."""

from __future__ import annotations

from typing import Any

import pytest
import re2

from traceonce.knowledge.match import Failures, Index, Match, match, scan
from traceonce.knowledge.record import Record


def record(slug: str, regex: str, **fields: Any) -> Record:
    return Record(id=f"tensorflow/{slug}", signature=fields.pop("signature", slug), regex=regex, **fields)


NUMBER = record(
    "number",
    r"(?P<function>\S+) retraced[ ,].*\ba Python (?:int|float)\b",
    regex_zh=r"重新?[追跟]踪.*Python ?数字",
    signature="train_step retraced 9 times in 10 calls: step, a Python float, a new value each time",
)
LIMIT = record(
    "limit",
    r"The function '(?P<function>[^']+)' has been retraced \d+ times\. The tracing limit has been reached",
    signature="TracingLimitReached: The function 'f' has been retraced 9 times. The tracing limit has been reached.",
)
BOOL = record(
    "bool",
    r"Using a symbolic `?tf\.Tensor`? as a Python `?bool`? is not allowed|truth value of a symbolic tensor",
    signature="OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed",
)
RECURSION = record(
    "recursion",
    r"RecursionError: maximum recursion depth exceeded",
    context=r"tensorflow|tf\.function|autograph",
    signature="RecursionError: maximum recursion depth exceeded",
)
INDEX = Index([NUMBER, LIMIT, BOOL, RECURSION])

BOOL_ERROR = "OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: x"
RETRACED = "train_step retraced, the 1st time: step: now 1.0, before 0.0 (a Python float) · 3 ms"
LIMIT_ERROR = """\
traceonce.errors.TracingLimitReached: The function 'train_step' has been retraced 3 times. The tracing limit has been \
reached. This may be caused by passing Python literals or tensors with changing shapes.
  limit      3 retraces; this call would exceed it
  cause      step: now 4, before 3 (a Python int)"""


def slugs(found: list[Match]) -> list[str]:
    return [item.record.removeprefix("tensorflow/") for item in found if not item.guess]


def test_a_bare_message() -> None:
    [found] = match(BOOL_ERROR, INDEX)
    assert found.record == "tensorflow/bool"
    assert found.matched == "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"
    assert found.matched in found.why
    assert not found.guess
    assert 0.5 < found.score < 1


def test_the_function_that_the_message_names() -> None:
    [found] = match(f"WARNING:traceonce:{RETRACED}", INDEX)
    assert (found.record, found.function) == ("tensorflow/number", "train_step")


def test_the_more_specific_expression_comes_first() -> None:
    found = match(LIMIT_ERROR, Index([record("vague", "has been retraced"), LIMIT]))
    assert slugs(found) == ["limit", "vague"]
    assert found[0].score > found[1].score
    assert found[0].function == "train_step"


def test_of_an_expression_with_branches_the_one_that_matched_counts() -> None:
    """The other branch is far longer."""
    short = record("short", r"tensor is|a very long text that is not in this message at all, whatever it may say")
    longer = record("longer", r"this tensor is wrong")
    assert slugs(match("this tensor is wrong", Index([short, longer]))) == ["longer", "short"]


def test_a_text_that_names_a_record_is_about_it() -> None:
    [found] = match("known   traceonce explain tensorflow/bool", INDEX)
    assert (found.record, found.score, found.guess) == ("tensorflow/bool", 1.0, False)
    assert slugs(match(f"{BOOL_ERROR} (see tensorflow/limit.)", INDEX)) == ["limit", "bool"]
    assert slugs(match("参见tensorflow/bool。", INDEX)) == ["bool"]


@pytest.mark.parametrize("text", ["site-packages/tensorflow/bool", "tensorflow/bool.py", "xtensorflow/bool", "bool"])
def test_what_only_looks_like_the_name_of_a_record(text: str) -> None:
    assert slugs(match(text, INDEX)) == []


def test_a_report_gives_its_records_and_its_function() -> None:
    text = f"""\
Model.train_step  retraced 9 times in 10 calls · train.py:3
  step     a Python int, a new value each time   0 → 1
  known    traceonce explain {NUMBER.id} {BOOL.id}"""
    found = match(text, INDEX)
    assert slugs(found) == ["number", "bool"]
    assert [item.function for item in found] == ["Model.train_step"] * 2


def test_several_errors_at_once() -> None:
    text = f"{BOOL_ERROR}\n\n{LIMIT_ERROR}\n\nValueError: nothing that is known\n{BOOL_ERROR}"
    summary = Failures(scan(text, INDEX))
    assert [(found.record.id, found.function, found.count, found.line) for found in summary.found] == [
        ("tensorflow/bool", None, 2, 1),
        ("tensorflow/limit", "train_step", 1, 3),
    ]
    assert summary.unknown == ["ValueError: nothing that is known"]


def test_a_chinese_message() -> None:
    [found] = match("函数被重新追踪了 9 次，原因是 Python 数字", INDEX)
    assert found.record == "tensorflow/number"
    assert slugs(match("快递单号跟踪了三次", INDEX)) == []


@pytest.mark.parametrize(
    "text",
    [
        "RecursionError: maximum recursion depth exceeded",
        "ValueError: operands could not be broadcast together with shapes (2,3) (4,5)",
        "The rate limit has been reached. Try again in 20 seconds.",
        "Please retrace your steps from the station to the hotel.",
        "",
        " \n\n",
    ],
)
def test_what_other_programs_print_is_no_match(text: str) -> None:
    assert slugs(match(text, INDEX)) == []


def test_the_context_may_be_anywhere_near() -> None:
    error = "RecursionError: maximum recursion depth exceeded"
    assert slugs(match(f'  File "a/tensorflow/b.py", line 3\n{error}', INDEX)) == ["recursion"]
    assert slugs(match(f"{error}\nlater: tf.function was here", INDEX)) == ["recursion"]
    assert slugs(match(f"2026-11-15 12:00:01 INFO tensorflow started\n2026-11-15 12:00:02 ERROR {error}", INDEX)) == [
        "recursion"
    ]
    far = "2026-11-15 12:00:01 INFO nothing to see here\n" * 1_000
    assert slugs(match(f"tensorflow\n\n{far}\n\n{error}\n\n{far}\n\ntensorflow", INDEX)) == []


def test_where_the_framework_is_known_no_context_is_needed() -> None:
    answers = list(scan("RecursionError: maximum recursion depth exceeded", INDEX, in_context=True))
    assert [hit.record.id for answer in answers for hit in answer.hits] == ["tensorflow/recursion"]


def test_nothing_known_is_answered_with_guesses() -> None:
    found = match("OperatorNotAllowedInGraphError: iterating over symbolic tensors is not allowed in graphs", INDEX)
    assert found
    assert all(item.guess and item.score < 0.5 for item in found)
    assert found[0].record == "tensorflow/bool"
    assert "operatornotallowedingrapherror" in found[0].why
    assert match("OperatorNotAllowedInGraphError: iterating over symbolic tensors", INDEX, guesses=0) == []


def test_guesses_are_made_only_where_nothing_matches() -> None:
    assert all(not item.guess for item in match(f"{BOOL_ERROR}\nValueError: the tracing limit", INDEX))


def test_a_guess_for_a_chinese_message() -> None:
    index = Index([NUMBER.replace(signature_zh="函数因为整数参数反复重新追踪"), BOOL])
    [found] = match("为什么我的函数会反复重新追踪呢", index)
    assert (found.record, found.guess) == ("tensorflow/number", True)


def test_the_limit_of_answers() -> None:
    many = Index([record(f"r{number}", "a known failure") for number in range(30)])
    assert len(match("a known failure", many, limit=4)) == 4


@pytest.mark.parametrize("regex", [
    "an (?i:error of this) kind",
    "an error (?i)of this kind",
    "never found|an (?i)error of this kind|nor this",
    "(" * 900 + "an error of this kind" + ")" * 900,
])  # fmt: skip
def test_an_expression_that_is_hard_to_take_apart_finds_what_it_says(regex: str) -> None:
    """The words that a text must have are looked up as they stand: not those whose case is of no account."""
    index = Index([record("hard", regex)])
    assert index.refused == []
    assert slugs(match("an error of this kind", index)) == ["hard"]
    assert bool(slugs(match("an ERROR OF THIS kind", index))) == bool(re2.search(regex, "an ERROR OF THIS kind"))


def test_an_expression_that_re2_refuses_is_left_out_and_named() -> None:
    broken = [
        record("lookahead", r"a(?=b)"),
        record("context", "fine", context="("),
        record("zh", "good", regex_zh="["),
    ]
    index = Index([*broken, BOOL])
    assert [problem.partition(": RE2")[0] for problem in index.refused] == [
        "tensorflow/lookahead: regex",
        "tensorflow/context: context",
        "tensorflow/zh: regex_zh",
    ]
    assert slugs(match(f"ab, fine, good\n\n{BOOL_ERROR}", index)) == ["bool", "zh"]


def test_no_record_at_all() -> None:
    assert match("anything", []) == []


PRINTED = record("printed", r'\bTensor\("[^"]+:\d+", shape=\(\), dtype=\w+\)', outside_errors=True)
TENSOR = 'Tensor("x:0", shape=(), dtype=float32)'


@pytest.mark.parametrize("text", [TENSOR, f"the loss is {TENSOR}", f"2026-11-15 12:13:01 INFO loss {TENSOR}"])
def test_what_is_printed(text: str) -> None:
    assert slugs(match(text, Index([PRINTED]))) == ["printed"]


@pytest.mark.parametrize(
    "text",
    [
        f"ValueError: the shape of {TENSOR} is not known",
        f"ValueError: several lines\nare about\n{TENSOR}",
        f'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    raise Bad({TENSOR!r})',
        f"2026-11-15 12:13:01 ERROR step 3 failed: ValueError: {TENSOR}",
        f"E       TypeError: {TENSOR}",
    ],
)
def test_what_is_printed_is_not_looked_for_in_errors(text: str) -> None:
    assert slugs(match(text, Index([PRINTED]))) == []
    assert slugs(match(text, Index([PRINTED.replace(outside_errors=False)]))) == ["printed"]
    assert slugs(match(f"{text} {PRINTED.id}", Index([PRINTED]))) == ["printed"]


def test_an_error_does_not_hide_what_was_printed_before_it() -> None:
    text = f"{TENSOR}\nTraceback (most recent call last):\n  File 'a.py', line 1, in f\n{BOOL_ERROR}"
    assert slugs(match(text, Index([PRINTED, BOOL]))) == ["bool", "printed"]


def test_a_function_is_not_named_by_the_end_of_the_line_above() -> None:
    """Lines of one length look as if a terminal had cut them."""
    lines = [f"A.anneal retraced, the {number}th time: t: now {number} (a Python int) · a.py:8" for number in (4, 5, 6)]
    text = "\n".join(lines)
    assert [found.function for found in match(text, INDEX)] == ["A.anneal"]
    assert [answer.message.line for answer in scan(text, INDEX)] == [1, 2, 3]
    vague = record("vague", r"(?P<function>\S+) was slow")
    text = f"{'x' * 40} at the end of train.py:8\n{'train_step was slow'.ljust(65, '.')}\nand so on"
    assert [found.function for found in match(text, Index([vague]))] == ["train_step"]


def test_a_name_that_a_terminal_has_cut_begins_no_message() -> None:
    text = (
        "WARNING:traceonce:Trainer.make_predict_function.<locals>.one_step_on_data_distributed retraced, the 2nd time: "
    )
    text += "number: now 2, before 1 (a Python int) · 3 ms"
    cut = "\n".join(text[at : at + 80] for at in range(0, len(text), 80))
    assert "\n" in cut[: text.index(" retraced")]
    [answer] = scan(cut, INDEX)
    assert [hit.record.id for hit in answer.hits] == [NUMBER.id]
    others = f"{'loss ' * 30}0.3\n{'a' * 400}\n{RETRACED}\n{RETRACED}"
    assert [answer.message.line for answer in scan(others, INDEX)] == [1, 3, 4]


def test_the_function_may_be_named_by_another_message_of_the_record() -> None:
    both = record("both", r"(?P<function>\S+) was slow|all of the traces of this program were slow")
    [found] = match("step was slow\n\nall of the traces of this program were slow", Index([both]))
    assert (found.function, found.line) == ("step", 3)


def test_an_error_goes_on_after_many_lines_of_code() -> None:
    code = "\n".join(["  File 'train.py', line 1, in f", "    f(x)"] * 30)
    [answer] = scan(f"KnownError: in user code:\n\n{code}\n\n  Using a symbolic tf.Tensor as a Py\nthon bool", INDEX)
    assert answer.message.text.endswith("thon bool")


@pytest.mark.parametrize("before", ["+", "at\\n\\n", "test Run tests 2026-11-15T13:20:04.1234567Z ", "train.log:5:"])
@pytest.mark.parametrize("name", ["Model.step", "make.<locals>.<lambda> [dataset]"])
def test_nothing_sticks_to_the_name_of_a_function(before: str, name: str) -> None:
    text = f"{before}{name}  retraced 9 times in 10 calls · train.py:3\n  known    traceonce explain {BOOL.id}"
    [found] = match(text, INDEX)
    assert (found.record, found.function) == (BOOL.id, name)


IGNORABLE = f"""\
You can ignore these:
  Model.evaluate  2 traces in 1,000 calls · 9 ms · all traces came early (x) · train.py:4, called from train.py:7
    traceonce explain {BOOL.id}
  make.<locals>.<lambda> [dataset]  6 traces · 14 ms · few traces so far (<lambda>) · train.py:2
    its calls are not counted (it is called inside other functions, or not at all)
    traceonce explain {LIMIT.id}"""


def test_what_our_report_lets_one_ignore_is_said_to_be_so() -> None:
    found = Failures(scan(IGNORABLE, INDEX)).found
    assert [(item.record.id, item.function, item.ignorable) for item in found] == [
        (BOOL.id, "Model.evaluate", True),
        (LIMIT.id, "make.<locals>.<lambda> [dataset]", True),
    ]


def test_what_can_be_ignored_comes_last() -> None:
    found = match(f"{IGNORABLE}\n\n{RETRACED}", INDEX)
    assert slugs(found) == ["number", "bool", "limit"]
    assert found[0].score > found[1].score > 0.5


def test_a_test_that_was_failed_by_its_limit_names_its_function() -> None:
    text = f"encode (test_a.py:2) was traced 6 times, max_traces allows 2\n  known      traceonce explain {NUMBER.id}"
    [found] = match(f"---- traceonce ----\n{text}", INDEX)
    assert (found.record, found.function) == (NUMBER.id, "encode")


def test_a_record_that_is_named_beside_others_does_not_take_their_function() -> None:
    text = f"  step retraced, a Python int\n  other was slow\n  known  traceonce explain {BOOL.id} {NUMBER.id}"
    assert {found.record: found.function for found in match(text, INDEX)} == {BOOL.id: None, NUMBER.id: "step"}


def test_a_heading_of_pytest_begins_a_message() -> None:
    text = f"""\
policy was traced 6 times, max_traces allows 1
  known      traceonce explain {NUMBER.id}
====== traceonce ======
2 of 2 tests traced: 12 traces
  known       traceonce explain {BOOL.id}
_____ test_it _____
------ Captured log call ------
{RETRACED}"""
    assert [(answer.message.line, [hit.function for hit in answer.hits]) for answer in scan(text, INDEX)] == [
        (1, ["policy"]),
        (3, [None]),
        (6, []),
        (7, []),
        (8, ["train_step"]),
    ]


def test_the_line_is_the_one_that_matches_not_the_first_of_its_message() -> None:
    record = Record(id="jax/known", signature="", regex="boolean conversion of")
    lines = ["Traceback (most recent call last):", '  File "a.py", line 7, in <module>', "    clip(x)", ""]
    error = ["jax.errors.TracerBoolConversionError: Attempted boolean", "conversion of it.", "See jax/known for more"]
    [found] = match("\n".join([*lines, *error[:2]]), [record])
    assert found.line == 5
    [named] = match("\n".join([*lines, *error]), [record])
    assert named.line == 7
