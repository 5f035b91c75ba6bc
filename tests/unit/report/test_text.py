"""The report for people, to the letter."""

from __future__ import annotations

import io
import re
from typing import Any

import msgspec
import pytest
from rich.console import Console

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.facts import (
    CallSite,
    CauseCode,
    Diagnosis,
    Finding,
    Fix,
    FunctionId,
    Measurement,
    Notice,
    Proof,
    Recording,
    Safety,
    TraceEvent,
)
from traceonce.frameworks.tensorflow.words import LENGTH_IS_A_TENSOR
from traceonce.report.base import Material, find_renderer
from traceonce.report.text import print_text, render_text
from traceonce.words.notes.proofs import BEYOND_RAISES

KERAS = "/venv/lib/python3.11/site-packages/keras/"
MODEL = FunctionId("Model.call", f"{KERAS}model.py", 80, library=True)
EVALUATE = FunctionId("evaluate", "train.py", 70)
ESCAPE = re.compile("\x1b")


def told(recording: Recording) -> str:
    return render_text(Material(recording, diagnose(recording)))


def told_with(*fixes: Fix, command: tuple[str, ...] = ("train.py",)) -> list[str]:
    """The lines after the causes of a function that has these fixes."""
    recording = record(*train_step(), calls=8, command=command)
    diagnoses = [msgspec.structs.replace(diagnosis, fixes=fixes) for diagnosis in diagnose(recording)]
    return render_text(Material(recording, diagnoses)).splitlines()[5:]


def train_step() -> list[TraceEvent]:
    """Eight calls, eight traces: a Python number that counts, and a width that varies."""
    event = Events(
        call_site=CallSite("train.py", 47),
        seconds=0.3,
        exclusive_seconds=0.25,
        first_run_seconds=0.125,
        preparing_seconds=0.125,
        bytes=2**19,
    )
    widths = [12, 9, 12, 15, 20, 9, 9, 9]
    return [
        event(tensor("x", 2, width, dtype="int32"), python("step", number), call=number + 1)
        for number, width in enumerate(widths)
    ]


def small_recording() -> Recording:
    """One function to look at, one to ignore, one that is fine, and a notice of each kind."""
    site = CallSite("train.py", 60, f"{KERAS}trainer.py:120")
    event = Events(MODEL, call_site=site, exclusive_seconds=0.02)
    switch = [event(python("training", True), call=1), event(python("training", False), call=4)]
    fine = Events(EVALUATE)(tensor("x", 2), call=1)
    return Recording(
        events=(*train_step(), *switch, fine),
        calls={"1": {STEP.key: 8, MODEL.key: 1200, EVALUATE.key: 3}},
        seconds=5.0,
        command=("train.py", "--epochs", "2"),
        notices=(
            Notice("tensorflow is watched through its tracing hook", hook=True),
            Notice("run.jsonl, line 9: cut short; everything before it was read", error=True),
        ),
    )


WHOLE = """\
traceonce  3 functions, 11 traces · 2.6 s (53 % of the run) lost · 1 function to look at

train_step  retraced 7 times in 8 calls · 2.6 s lost (52 % of the run) · 4.0 MiB kept · train.py:22, called from train.py:47
  step         a Python int, a new value each time   0 → 1 → 2 → 3 → 4 → 5 → 6 → 7
  x.shape[1]   varies                                12, 9, 15, 20
  fix          @tf.function(input_signature=[tf.TensorSpec([2, None], tf.int32), tf.TensorSpec([], tf.int32)])
               8 traces → 1 (predicted, not run: traceonce fix train.py --epochs 2 tries and proves it)
               please review: step becomes a tensor

You can ignore these:
  Model.call  2 traces in 1,200 calls · 20 ms · the argument has only a few possible states (training) · keras/model.py:80, called from train.py:60 through keras/trainer.py:120

note  run.jsonl, line 9: cut short; everything before it was read
"""  # noqa: E501  # a report does not wrap its lines


SIGNATURE = Fix(
    "input_signature",
    "review",
    predicted_traces=1,
    snippet="@tf.function(input_signature=[tf.TensorSpec([2, None], tf.int32), tf.TensorSpec([], tf.int32)])",
    causes=(CauseCode.SHAPE,),
    note="step becomes a tensor",
)


def diagnosed(recording: Recording) -> list[Diagnosis]:
    """With a fix for the worst function."""
    worst, *others = diagnose(recording)
    return [msgspec.structs.replace(worst, fixes=(SIGNATURE,)), *others]


def test_the_whole_report() -> None:
    assert render_text(Material(small_recording(), diagnosed(small_recording()))) == WHOLE


BOTH = (CauseCode.SHAPE, CauseCode.VALUE)
RELAXED = Fix("reduce_retracing", "safe", 2, "@tf.function(reduce_retracing=True)", causes=BOTH)
TRIES = "not run: traceonce fix train.py tries and proves it"


@pytest.mark.parametrize(
    ("safety", "note", "words"),
    [
        ("safe", None, []),
        ("safe", "nothing to fear", ["nothing to fear"]),
        ("review", None, ["please review"]),
        ("review", "step becomes a tensor", ["please review: step becomes a tensor"]),
        ("narrow", None, ["narrow: unseen inputs now raise instead of retracing"]),
        ("narrow", "another rank", ["narrow: unseen inputs now raise instead of retracing: another rank"]),
    ],
)
def test_a_fix_that_was_not_run_says_so_and_how_safe_it_is(safety: Safety, note: str | None, words: list[str]) -> None:
    fix = msgspec.structs.replace(RELAXED, safety=safety, note=note)
    assert told_with(fix) == [
        "  fix          @tf.function(reduce_retracing=True)",
        f"               8 traces → 2 (predicted, {TRIES})",
        *(f"               {line}" for line in words),
    ]


def test_notes_are_sentences_without_markdown() -> None:
    notes = (LENGTH_IS_A_TENSOR(path="images"), BEYOND_RAISES(errors=["x.shape[0]: 2 → 3 (`ValueError`)"]))
    fix = msgspec.structs.replace(RELAXED, safety="review", note="only for older programs", coded_notes=notes)
    *_, line = told_with(fix)
    assert line.strip() == (
        "please review: The function gets a tensor instead of a list: a loop still works, but len(images) becomes "
        "tf.shape(images)[0]. Calls beyond the run now raise: x.shape[0]: 2 → 3 (`ValueError`)."
    )


def test_advice_is_not_for_traceonce_to_try() -> None:
    fix = Fix("pad_or_bucket", "advice", 3, "x = padded(x)\n\nf(x)", causes=BOTH, note="zeros are data")
    assert told_with(fix) == [
        "  advice       x = padded(x)",
        "               f(x)",
        "               8 traces → 3 (predicted, not run)",
        "               advice, for you to decide: zeros are data",
    ]


@pytest.mark.parametrize("traces", [None, 8], ids=["not known", "no fewer, as for a stale value"])
def test_traces_are_promised_only_where_there_will_be_fewer(traces: int | None) -> None:
    _, words = told_with(msgspec.structs.replace(RELAXED, predicted_traces=traces))
    assert words == f"               {TRIES}"


@pytest.mark.parametrize(
    ("command", "suggested"),
    [
        (("-m", "pkg.train"), "traceonce fix -m pkg.train"),
        (("my train.py", "--epochs", "$(id)"), "traceonce fix 'my train.py' --epochs '$(id)'"),
        (("--", "-odd.py"), "traceonce fix -- -odd.py"),
        (("/usr/bin/pytest", "tests"), "traceonce fix SCRIPT"),
        (("train.py", "x" * 3_000), "traceonce fix SCRIPT"),
        ((), "traceonce fix SCRIPT"),
    ],
)
def test_the_program_is_named_as_it_was_started(command: tuple[str, ...], suggested: str) -> None:
    """A program that we cannot name, or not in a line that people would copy, is not named."""
    _, words = told_with(RELAXED, command=command)
    assert f"not run: {suggested} tries and proves it" in words


def proof(**fields: Any) -> Proof:
    runs = {"before": Measurement(21, 21, 8.0, 0.284), "after": Measurement(1, 21, 2.0, 0.02)}
    return Proof(**{**runs, "outputs_equal": True, "verdict": "proved", "compared": 21, **fields})


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (proof(), "21 traces → 1, same outputs on 21 calls, 14.2× faster (proved)"),
        (proof(compared=1), "21 traces → 1, same outputs on 1 call, 14.2× faster (proved)"),
        (proof(outputs_equal=None), "21 traces → 1, 14.2× faster (proved)"),
        (proof(after=Measurement(1, 21, 8.0, 0.29)), "21 traces → 1, same outputs on 21 calls (proved)"),
        (proof(before=Measurement(21, 21, 8.0)), "21 traces → 1, same outputs on 21 calls, 4.0× faster (proved)"),
        (proof(verdict="refuted", reason="call 3 returns 2.0, not 1.5"), "refuted: call 3 returns 2.0, not 1.5"),
        (proof(verdict="not_proved", reason="it takes too long"), "not proved: it takes too long"),
    ],
    ids=["proved", "one call", "values not claimed", "not faster", "calls not timed", "refuted", "not proved"],
)
def test_a_proof_takes_the_place_of_the_prediction(proof: Proof, words: str) -> None:
    fix = msgspec.structs.replace(RELAXED, proof=proof)
    assert told_with(fix)[:2] == ["  fix          @tf.function(reduce_retracing=True)", f"{'':15}{words}"]


def test_the_wider_signature_is_offered() -> None:
    fix = msgspec.structs.replace(RELAXED, safety="narrow", proof=proof(), wider="tf.TensorSpec(None)", note="x is 2-d")
    assert told_with(fix)[2:] == [
        "               narrow: unseen inputs now raise instead of retracing: x is 2-d",
        "               wider, also proved (--wide uses it): tf.TensorSpec(None)",
    ]


def test_what_a_fix_leaves_is_still_to_be_changed() -> None:
    fix = msgspec.structs.replace(RELAXED, causes=(CauseCode.SHAPE,), predicted_traces=8)
    assert [line.split()[0] for line in told_with(fix)] == ["fix", "not", "change"]
    assert told_with(fix)[2] == "  change       step: pass a tensor, unless the function needs the Python value"


def test_what_was_refuted_treats_nothing() -> None:
    fix = msgspec.structs.replace(RELAXED, proof=proof(verdict="refuted", reason="another value"))
    assert [line.split()[0] for line in told_with(fix)] == ["fix", "refuted:", "change", "change"]


def test_the_last_resort_comes_after_what_would_treat_the_causes() -> None:
    fix = Fix("remove_function", "advice", predicted_traces=0, snippet="def train_step(x, step):")
    assert [line.split()[0] for line in told_with(fix)] == ["change", "change", "advice", "8", "advice,"]


REPORT = Fix("library_report", "advice", causes=(CauseCode.SHAPE,), snippet="## keras: `call` is traced\n\nCause:")


def test_a_report_for_the_maintainers_is_named_and_comes_last() -> None:
    """Nobody can read Markdown in a terminal, and what the user can change is still told."""
    lines = told_with(REPORT)
    assert [line.split()[0] for line in lines[:3]] == ["change", "change", "advice"]
    assert "--format markdown" in lines[2]
    assert not any("##" in line for line in lines)


def test_advice_without_code_is_told_in_words() -> None:
    lines = told_with(Fix("hoist", "advice", causes=(CauseCode.SHAPE, CauseCode.VALUE), note="Make it once."))
    assert [line.split(maxsplit=1) for line in lines] == [["advice", "Make it once."]]


def test_what_was_run_in_vain_is_not_advised_again() -> None:
    recording = record(*train_step(), calls=8)
    diagnoses = [msgspec.structs.replace(each, dealt_with=(CauseCode.VALUE,)) for each in diagnose(recording)]
    (told,) = render_text(Material(recording, diagnoses)).splitlines()[5:]
    assert told.startswith("  change       x.shape[1]: ")


def test_several_fixes_are_shown_one_after_the_other() -> None:
    assert sum(line.startswith("  fix ") for line in told_with(RELAXED, SIGNATURE)) == 2


def test_a_long_snippet_is_cut_and_says_where_the_rest_is() -> None:
    lines = told_with(msgspec.structs.replace(RELAXED, snippet="\n".join(f"line {n}" for n in range(40))))
    assert "               … (all of it: --format json)" in lines
    assert len(lines) < 20


def test_a_fix_that_has_nothing_to_show_leaves_the_remedies() -> None:
    lines = told_with(Fix("leave_it", "advice", predicted_traces=8, note="you can ignore this"))
    assert [line.split()[0] for line in lines] == ["change", "change"]


def test_one_line_when_all_is_well() -> None:
    assert told(record(Events(EVALUATE)(tensor("x", 2), call=1), calls=3)) == (
        "traceonce  1 function, 1 trace: nothing to fix\n"
    )


def test_one_line_when_nothing_was_traced() -> None:
    assert told(Recording(seconds=1.0)) == "traceonce  no function was traced\n"


def test_a_framework_that_is_watched_is_no_news() -> None:
    recording = Recording(notices=(Notice("tensorflow is watched through its tracing hook", hook=True),))
    assert told(recording) == "traceonce  no function was traced\n"


def test_what_was_not_watched_is_news() -> None:
    recording = Recording(notices=(Notice("tensorflow is not watched: no hook works here", error=True),))
    assert told(recording) == (
        "traceonce  no function was traced\n\nnote  tensorflow is not watched: no hook works here\n"
    )


def test_retraces_that_can_be_ignored_are_said_with_their_cost() -> None:
    event = Events(EVALUATE, exclusive_seconds=0.5)
    recording = record(event(tensor("x", 2), call=1), event(tensor("x", 3), call=2), calls=1000, seconds=10.0)
    assert told(recording) == (
        "traceonce  1 function, 2 traces: nothing to fix; 500 ms (5 % of the run) went into retraces\n"
        "\n"
        "You can ignore these:\n"
        "  evaluate  2 traces in 1,000 calls · 500 ms · all traces came early (x.shape[0]) · train.py:70\n"
    )


def test_a_function_that_is_silently_wrong() -> None:
    stale = cause(CauseCode.STALE, "RATE", was="0.1", now="0.2")
    event = Events(call_site=CallSite("train.py", 47))(tensor("x"), call=1)
    recording = record(event, calls=5, findings=(Finding("tensorflow", STEP, stale),))
    assert told(recording) == (
        "traceonce  1 function, 1 trace · 1 function to look at\n"
        "\n"
        "train_step  silently wrong: a call was served by a trace made for a different value"
        " · train.py:22, called from train.py:47\n"
        "  RATE     read during tracing, and changed since: the trace uses the old value   0.1 → 0.2\n"
        "  change   pass it as an argument, or keep it in a tf.Variable\n"
    )


def test_more_causes_than_fit_are_counted() -> None:
    event = Events()
    events = [event(*(tensor(f"x{n}", width) for n in range(11)), call=width) for width in range(1, 7)]
    lines = told(record(*events, calls=6)).splitlines()
    assert sum(line.startswith("  x") for line in lines) == 8
    assert "  … and 3 more places (see --format json)" in lines


def test_a_function_without_a_source_file_has_a_place_to_say_so() -> None:
    event = Events(FunctionId("<lambda>"))
    assert " · no source\n" in told(record(*(event(tensor("x", n), call=n) for n in range(1, 7)), calls=6))


@pytest.mark.parametrize("code", CauseCode)
def test_every_cause_can_be_told(code: CauseCode) -> None:
    finding = Finding("tensorflow", STEP, cause(code, "argument", type_name="int", note="Label.__eq__"))
    recording = record(*train_step(), calls=8, findings=(finding,))
    (line,) = [line for line in told(recording).splitlines() if line.startswith("  argument")]
    assert "{" not in line
    assert len(line.split()) > 2


def printed(**console: object) -> str:
    stream = io.StringIO()
    recording = small_recording()
    print_text(recording, diagnosed(recording), Console(file=stream, **console))  # type: ignore[arg-type]  # keywords
    return stream.getvalue()


@pytest.fixture
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing in the environment decides about colours."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return monkeypatch


def test_no_colours_where_there_is_no_terminal(plain_environment: pytest.MonkeyPatch) -> None:
    assert printed() == WHOLE
    assert not ESCAPE.search(told(small_recording()))


def test_long_lines_are_not_broken(plain_environment: pytest.MonkeyPatch) -> None:
    assert printed(width=20) == WHOLE


def test_colours_on_a_terminal_and_the_same_words(plain_environment: pytest.MonkeyPatch) -> None:
    coloured = printed(force_terminal=True)
    assert ESCAPE.search(coloured)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == WHOLE


def test_no_colours_on_a_terminal_that_wants_none(plain_environment: pytest.MonkeyPatch) -> None:
    """NO_COLOR takes the colours away; bold and dim may stay."""
    plain_environment.setenv("NO_COLOR", "1")
    codes = re.findall(r"\x1b\[([0-9;]*)m", printed(force_terminal=True))
    assert {part for code in codes for part in code.split(";")} <= {"0", "1", "2", "22"}


def test_the_renderer_is_found_by_its_name() -> None:
    assert find_renderer("text") is render_text


def test_a_value_that_has_changed_is_in_the_headline() -> None:
    """It decides no verdict, but a report that says "nothing to fix" would hide it."""
    late = Finding("tensorflow", STEP, cause(CauseCode.STALE, "RATE", note="it has changed since"))
    text = told(record(Events()(tensor("x", 1)), calls=9, findings=(late,)))
    assert text.splitlines()[0] == "traceonce  1 function, 1 trace: nothing is traced too often, 1 value worth a look"
    assert "  train_step  RATE was 1 when traced and is 2 now; it has changed since · train.py:22\n" in text


def test_no_list_ends_before_what_costs() -> None:
    """Sixty functions that lost the same: beyond the fifty that are told in full, each costly one has a line."""
    watched = [Events(FunctionId(f"warm_{n}", "train.py", n), start=1000.0 + n) for n in range(60)]
    events = [event(tensor("x", k), call=k, exclusive_seconds=1.0) for event in watched for k in (1, 2)]
    recording = record(*events, calls=1000, seconds=100.0)
    lines = render_text(Material(recording, diagnose(recording))).splitlines()
    named = [line for line in lines if line.strip().startswith("warm_")]
    assert len(named) == 60
    assert named[54].startswith("    warm_")
    assert "retraced 1 time in 1,000 calls (x.shape[0]) · 1.0 s lost · train.py:" in named[54]
    assert "You can ignore these:" in lines  # five, which together lost a twentieth of the run


def test_seconds_that_are_unclear_are_said_where_they_count() -> None:
    event = Events()
    events = [event(tensor("x", n), call=n, first_run_seconds=10.0) for n in (1, 2)]
    text = told(record(*events, calls=2, seconds=40.0))
    assert "Bounded, but costly:" in text
    assert "retraced 1 time in 2 calls · 10.0 s unclear · train.py:22" in text


def test_every_list_has_an_end() -> None:
    """And says what it left out: a run of a thousand functions is not told in ten thousand lines."""
    acute = [Events(FunctionId(f"retraced_{n}", "train.py", n), start=1000.0 + n) for n in range(60)]
    quiet = [Events(FunctionId(f"bounded_{n}", "train.py", n), start=1000.0 + n) for n in range(40)]
    events = [event(python("k", k), call=k + 1, phase="retrace" if k else "first") for event in acute for k in range(6)]
    flags = [e(python("k", k), call=k + 1, phase="retrace" if k else "first") for e in quiet for k in (False, True)]
    recording = record(*events, *flags)
    lines = render_text(Material(recording, diagnose(recording))).splitlines()
    assert len([line for line in lines if line.startswith("retraced_")]) == 50
    assert "  … and 10 more functions to look at (--format html or json has all)" in lines
    assert len([line for line in lines if line.startswith("  bounded_")]) == 30
    assert "  … and 10 more functions (--format html or json has all)" in lines
