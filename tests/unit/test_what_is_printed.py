"""Whatever a program, a recording or a log is called or says: nothing that we print does anything to who reads it."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import re
import shlex
from pathlib import Path

import click
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

import traceonce
from tests.unit.handmade import Events, cause, python, record, tensor
from tests.unit.hostile_texts import HOSTILE, TITLE, assert_safe, hostile, unhurried
from traceonce.commands.explain import print_explanations
from traceonce.commands.main import cli
from traceonce.console.message_line import say, say_lines
from traceonce.console.output import put_report
from traceonce.diagnosis import diagnose
from traceonce.diagnosis.history import Explained
from traceonce.facts import (
    Breach,
    CallSite,
    CauseCode,
    Diagnosis,
    FellBack,
    Finding,
    Fix,
    FunctionId,
    Limit,
    Notice,
    Recording,
    Verdict,
)
from traceonce.integrations.pytest_plugin.allowance import CheckedTest
from traceonce.integrations.pytest_plugin.call_phase import describe_problems
from traceonce.integrations.pytest_plugin.failure_message import Offence, describe_offences
from traceonce.integrations.pytest_plugin.session_summary import improvements, summary
from traceonce.integrations.pytest_plugin.traced_tests import TracedFunction, TracedTest
from traceonce.integrations.retrace_log import LOGGER, log
from traceonce.knowledge.advice import Advice, Explanation, Related
from traceonce.knowledge.match import Match
from traceonce.knowledge.text_explanations import Ignorable, TextExplanation
from traceonce.limits.baseline import Accepted, Change
from traceonce.limits.message import describe_breach, place_to_warn_at
from traceonce.report.base import Material
from traceonce.report.csv import render_csv
from traceonce.report.github import render_github
from traceonce.report.markdown import render_markdown
from traceonce.report.sentences import fix_command
from traceonce.report.text import print_text, render_text

OWN_COMMAND = r"::(notice|warning|error) (file=|title=)"


def hostile_run(text: str, other: str, arguments: tuple[str, ...] = ()) -> tuple[Recording, list[Diagnosis]]:
    """A run in which everything that a user can name has one of these names, with something of each kind to tell."""
    functions = [FunctionId(f"{text}{n}", f"{other}{n}.py", n + 1) for n in range(4)]
    site = CallSite(other, 3, text)
    events = []
    for function in functions:
        event = Events(function, call_site=site, seconds=0.2, exclusive_seconds=0.2)
        events += [event(tensor("x", 1), python(text, f"{other}{n}"), call=n + 1) for n in range(8)]
        events.append(event(tensor("x", 1), phase="failed", error=f"ValueError: {text}\n{other}"))
    finding = Finding("tensorflow", functions[1], cause(CauseCode.STALE, text, was=other, now=text, note=other))
    breach = Breach("tensorflow", functions[0], Limit(3), 3, 4, (cause(path=text, now=other),), call_site=site)
    recording = record(
        *[msgspec.structs.replace(event, id=number) for number, event in enumerate(events, 1)],
        calls=9,
        findings=(finding,),
        breaches=(breach,),
        notices=(Notice(text), Notice(other, error=True)),
        command=("train.py", *arguments),
        error=f"{text}: {other}",
    )
    fix = Fix("input_signature", "review", 1, f"{text}\n{other}", causes=(CauseCode.VALUE,), note=other, wider=text)
    verdicts = [Verdict.RETRACING, Verdict.STALE, Verdict.BOUNDED, Verdict.FELL_BACK]
    diagnoses = [
        msgspec.structs.replace(
            found,
            verdict=verdict,
            fixes=(fix,),
            notes=(text, other),
            records=(f"tensorflow/{text}",),
            graph_breaks=(text, other),
            fell_back=FellBack(8, site),
            jit_compile=True,
        )
        for found, verdict in zip(diagnose(recording), verdicts, strict=False)
    ]
    return recording, diagnoses


@unhurried
@given(hostile, hostile)
@example(TITLE, "\n::add-mask::x")
def test_the_report_as_text(text: str, other: str) -> None:
    recording, diagnoses = hostile_run(text, other)
    printed = render_text(Material(recording, diagnoses))
    assert_safe(printed)
    stream = io.StringIO()
    print_text(recording, diagnoses, Console(file=stream, force_terminal=True, color_system="truecolor"))
    coloured = stream.getvalue()
    assert_safe(re.sub(r"\x1b\[[0-9;]*m", "", coloured))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed


@unhurried
@given(hostile)
@example("\r\b\x07\x0b\x0c")
def test_what_is_written_out_is_there_to_be_seen(text: str) -> None:
    """Also what the library that colours the report would drop."""
    recording, diagnoses = hostile_run(f"<{text}>", "other")
    shown = render_text(Material(recording, diagnoses))
    for char in {char for char in text if ord(char) < 0x20}:
        assert ascii(char)[1:-1] in shown


@unhurried
@given(hostile, hostile)
@example("x\n::add-mask::y", "a:b,c%.py")
def test_annotations_for_github(text: str, other: str) -> None:
    recording, diagnoses = hostile_run(text, other)
    printed = render_github(Material(recording, diagnoses))
    assert_safe(printed, OWN_COMMAND)
    assert all(re.match(OWN_COMMAND, line) for line in printed.splitlines())


@unhurried
@given(hostile, hostile)
def test_the_table_and_markdown(text: str, other: str) -> None:
    recording, diagnoses = hostile_run(text, other)
    material = Material(recording, diagnoses, causes=[()] * len(recording.events))
    assert_safe(render_csv(material).replace("\r\n", "\n"))
    assert_safe(render_markdown(material).replace("\t", " "))  # code keeps its tabs


@unhurried
@given(st.lists(hostile, max_size=3))
@example(["--epochs", "$(id)", "it's"])
def test_the_command_that_proves_a_fix(arguments: list[str]) -> None:
    recording, diagnoses = hostile_run("step", "train", tuple(arguments))
    printed = render_text(Material(recording, diagnoses))
    command = fix_command(recording.command)
    assert command is not None
    assert f"not run: {command} tries and proves it" in printed
    if "$'" not in command:
        assert shlex.split(command) == ["traceonce", "fix", "train.py", *arguments]


@pytest.mark.parametrize("text", HOSTILE[:4])
def test_what_a_program_died_of(text: str) -> None:
    known = f"ValueError: tf.function-decorated function tried to create variables on non-first call. {text}"
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        put_report(Recording(error=known), [], "text", None, to_stdout=True)
    assert "The program ended with ValueError: tf.function-decorated" in stream.getvalue()
    assert_safe(stream.getvalue())


def explained_as(text: str, other: str) -> str:
    """What `traceonce explain` says of a text with such names in it."""
    advice = Advice(text, f"{text}\n{other}", other, text)
    explanation = Explanation(
        text,
        "en",
        other,
        text,
        other,
        2,
        text,
        "verified",
        functions=[text, other] * 4,
        try_first=advice,
        do_not=[advice],
        comes_next=[Related(text, other)],
        also=[text],
        line=3,
        url=other,
    )
    ignorable = [Ignorable(text, [other])]
    guess = Match(text, 0.4, other, guess=True)
    known = TextExplanation([explanation], ignorable, [text, other], [])
    unknown = TextExplanation([], [], [text, other], [guess])
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        print_explanations(known, "en")
        print_explanations(unknown, "zh")
    return stream.getvalue()


@unhurried
@given(hostile, hostile)
@example("[/red] broken markup", "ok")
def test_an_explanation(text: str, other: str) -> None:
    assert_safe(explained_as(text, other))


@unhurried
@given(hostile, hostile)
def test_the_message_of_a_limit(text: str, other: str) -> None:
    """It is an error's text, or a warning's, with the place that the warning names."""
    recording, _ = hostile_run(text, other)
    (breach,) = recording.breaches
    message = describe_breach(breach)
    assert_safe(message)
    assert [line[:8] for line in message.split("\n")][:4] == ["The func", "  limit ", "  functi", "  called"]
    file, _ = place_to_warn_at(breach)
    assert_safe(file)
    assert "\n" not in file


@unhurried
@given(hostile, hostile)
def test_a_line_of_the_log(text: str, other: str) -> None:
    recording, _ = hostile_run(text, other)
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, line: logging.LogRecord) -> None:
            lines.append(self.format(line))

    handler = Kept()
    handler.setFormatter(logging.Formatter("%(pathname)s %(filename)s %(levelname)s:%(name)s:%(message)s"))
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        log(Explained(recording.events[3], (cause(CauseCode.VALUE, text, was=other, now=text),)), 3)
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
    (line,) = lines
    assert_safe(line)
    assert "\n" not in line


@unhurried
@given(hostile, hostile)
def test_what_pytest_is_told(text: str, other: str) -> None:
    _, diagnoses = hostile_run(text, other)
    function = TracedFunction(text, Verdict.RETRACING, 3, 2, 0.1, causes=other, records=(f"tensorflow/{text}",))
    better = Change(text, Accepted(3), Accepted(1)).describe()
    outcome = TracedTest(f"test_a.py::test[{other}]", (function,), better=(better,), problems=(text,))
    lines = [*summary([outcome]), *improvements([outcome])]
    assert not [line for line in lines if "\n" in line]
    offences = [Offence(found, f"{text} was traced 3 times", other) for found in diagnoses]
    section = describe_offences(offences, diagnoses)
    assert_safe("\n".join([*lines, section, describe_problems(CheckedTest(problems=[text, other]))]))


@unhurried
@given(hostile)
def test_what_a_command_says(text: str) -> None:
    for to_stderr, redirect in ((True, contextlib.redirect_stderr), (False, contextlib.redirect_stdout)):
        stream = io.StringIO()
        with redirect(stream):
            say(text, err=to_stderr)
            say_lines(f"{text}\n{text}", err=to_stderr)
        assert_safe(stream.getvalue())


@pytest.mark.parametrize("text", [*HOSTILE, "-" + TITLE, TITLE + ".py", "--x" + TITLE])
def test_what_click_complains_of(text: str) -> None:
    """A file name that a shell puts in for `*` may be any."""
    for arguments in ([text], ["report", "--lang", text], ["knowledge", text], ["report", f"--{text}"]):
        with pytest.raises(click.ClickException) as caught:
            cli.main(list(arguments), prog_name="traceonce", standalone_mode=False)
        assert_safe(caught.value.format_message())


def test_long_texts_are_cut_with_their_length() -> None:
    long = "x" * 12_345
    recording, found = hostile_run(long, "train")
    diagnoses = [msgspec.structs.replace(diagnosis, records=()) for diagnosis in found]
    printed = render_text(Material(recording, diagnoses))
    assert "…[12,346 characters]…" in printed  # the name: a digit more
    assert "retraced 7 times" in printed
    assert max(map(len, printed.splitlines())) < 3_000


# Who may write to a stream: each says itself how it makes safe what is foreign.
WRITERS = {
    "atomic_files.py": "files",
    "computation.py": "a sentence of our own",
    "commands/completion.py": "click's own script; nothing in it is foreign",
    "commands/explain.py": "JSON",
    "commands/fix.py": "a blank line; the patch, where it is not for a terminal",
    "commands/knowledge/match.py": "JSON",
    "console/message_line.py": "say",
    "console/output.py": "documents; reports, and what a program died of, through in_line",
    "console/progress_line.py": "through in_line",
    "integrations/jupyter/__init__.py": "our own help",
    "integrations/jupyter/display.py": "reports; through in_line",
    "observe/recorder.py": "through in_line",
    "observe/process_start.py": "say",
    "report/terminal.py": "print_line",
}


def writes_in(source: str) -> list[str]:
    """The calls in a module that write to a stream, or make a log of one's own."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if re.fullmatch(
                r"print|.*\b(stdout|stderr|stream)(\.buffer)?\.(write|writelines)|click\.s?echo|.*console\.print"
                r"|logging\.basicConfig",
                name,
            ):
                found.append(name)
    return found


def test_nobody_else_writes_to_a_stream() -> None:
    """A new place to print at goes through one of these, or says here how it does without."""
    root = Path(traceonce.__file__).parent
    own: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith("knowledge/experiments/") and (found := writes_in(path.read_text(encoding="utf-8"))):
            own[name] = found
    assert sorted(own) == sorted(WRITERS)


@pytest.mark.parametrize("line", ["print(x)", "sys.stderr.write(x)", "click.echo(x)", "self._console.print(x)"])
def test_this_test_finds_who_writes(line: str) -> None:
    assert writes_in(f"def f(x: Any) -> None:\n    {line}\n")
