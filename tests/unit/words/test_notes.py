"""Every note has words in both languages, and somebody who says it; nobody says it in English sentences of his own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import traceonce
from tests.unit.handmade import STEP, Events, python, record
from traceonce.diagnosis import diagnose
from traceonce.facts import Exit, Fix, Header, Measurement, Note, Notice, Proof, Recording
from traceonce.facts.recording import SCHEMA, _bounded
from traceonce.fix.candidate import Declined
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR, INT32_LIMITS
from traceonce.words.notes import (
    definitions,
    diagnosis_notes,
    english_note,
    fix_notes,
    join_notes,
    notice_text,
    proof_reason,
    say,
    say_reasons,
    with_notes,
)
from traceonce.words.notes.declined import AT_THE_TOP_ALREADY, FACTORY_DOES_MORE
from traceonce.words.notes.diagnoses import CALLS_NOT_COUNTED, TOO_MUCH_VARIES
from traceonce.words.notes.notices import NOT_WATCHED
from traceonce.words.notes.reasons import CALLS_TAKE_LONGER, EXIT_STATUS_DIFFERS_BY_ERROR
from traceonce.words.sentence import Phrase, Sentence, noticed
from traceonce.words.translated import Language

SOURCE = Path(traceonce.__file__).parent
HAN = re.compile("[\u4e00-\u9fff]")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
SENTENCES = [pytest.param(sentence, id=code) for code, sentence in definitions().items()]
NOTES = [pytest.param(it, id=code) for code, it in definitions().items() if not isinstance(it, Phrase)]
PHRASES = [pytest.param(it, id=code) for code, it in definitions().items() if isinstance(it, Phrase)]


def calls_outside_of_words() -> Iterator[tuple[Path, ast.Call, str]]:
    """Every call of something by its plain name."""
    for path in SOURCE.rglob("*.py"):
        if not path.is_relative_to(SOURCE / "words"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield path, node, node.func.id


CALLS = list(calls_outside_of_words())
# Facts know no words: what a recording says of its own file has its code and its English written out there.
NOTICED_BY_FACTS = {
    given.value.value: (path, node)
    for path, node, name in CALLS
    if name == "Notice" and path.is_relative_to(SOURCE / "facts")
    for given in node.keywords
    if given.arg == "code" and isinstance(given.value, ast.Constant)
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_in_both_languages(sentence: Sentence) -> None:
    assert HAN.search(sentence.zh)
    assert not HAN.search(sentence.en)


@pytest.mark.parametrize("sentence", NOTES)
def test_a_note_is_a_whole_sentence(sentence: Sentence) -> None:
    assert re.match(r"[A-Z]|\{\w+(:code)?\}|float64 ", sentence.en)
    assert sentence.en.endswith((".", "{error}"))  # the words of an error, by which it is looked up, stay as they are
    assert sentence.zh.endswith(("。", "{error}"))


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_stands_after_something_else(phrase: Sentence) -> None:
    assert not re.match(r"(?!PyTorch )[A-Z][a-z]", phrase.en)
    assert not phrase.en.endswith(".")
    assert not phrase.zh.endswith("。")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_both_languages_have_the_same_arguments(sentence: Sentence) -> None:
    assert sentence.places("en") == sentence.places("zh")


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_code_in_a_sentence_has_its_end(sentence: Sentence, language: Language) -> None:
    assert sentence.template(language).count("`") % 2 == 0


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_code_is_the_name_of_its_definition_and_somebody_says_it(sentence: Sentence) -> None:
    """With the arguments that it has: nobody finds out by running what is seldom said."""
    said = [node for _, node, name in CALLS if name == sentence.code.upper()]
    assert said or sentence.code in NOTICED_BY_FACTS
    for node in said:
        assert not node.args
        assert {keyword.arg for keyword in node.keywords} == sentence.places("en")


def test_nobody_makes_a_note_by_hand() -> None:
    assert [(path.name, node.lineno) for path, node, name in CALLS if name == "Note"] == []


def test_nobody_notices_anything_in_a_sentence_of_his_own() -> None:
    """But the facts, with the code; and the fake framework, which is for tests."""
    by_hand = {(path.name, node.lineno) for path, node, name in CALLS if name == "Notice"}
    coded = {(path.name, node.lineno) for path, node in NOTICED_BY_FACTS.values()}
    assert {name for name, _ in by_hand - coded} == {"fake.py"}


@pytest.mark.parametrize("killed", [2, 30])
def test_what_facts_notice_is_said_in_the_same_words(tmp_path: Path, killed: int) -> None:
    """Of a file with more damage than is listed, of processes that were killed, and of a child's file that is none."""
    file = tmp_path / "run.jsonl"
    log = [Header(SCHEMA, "run", str(number), 1.0) for number in range(killed)]
    whole = b"".join(msgspec.json.encode(entry) + b"\n" for entry in log) + msgspec.json.encode(Exit(0, 1.0, 1.0))
    file.write_bytes(whole + b"\n" + b"{}\n" * 12)
    (tmp_path / "run.jsonl.part-7").write_bytes(b"nothing")
    found = list(Recording.load(file).notices)
    file.write_bytes(whole + b"\n{")
    found += [*Recording.load(file).notices, *_bounded(Notice(f"{number}") for number in range(60))[-1:]]
    assert {notice.code for notice in found} == set(NOTICED_BY_FACTS) - {
        "process_ended" if killed > 20 else "many_processes_ended"
    }
    for notice in found:
        assert notice_text(notice, "en") == notice.text
        assert HAN.search(notice_text(notice, "zh"))


def test_the_notice_of_an_older_recording_is_shown_as_it_is() -> None:
    assert notice_text(Notice("as it was said"), "zh") == "as it was said"
    assert notice_text(Notice("as it was said", code="of_a_later_version"), "zh") == "as it was said"
    made = noticed(NOT_WATCHED(name="toyframe", error="ValueError: no `hook`"), error=True)
    assert made.text == "toyframe is not watched: ValueError: no `hook`"
    assert notice_text(msgspec.json.decode(msgspec.json.encode(made), type=Notice), "zh").startswith(
        "没有观察 toyframe："
    )


def test_no_recipe_declines_in_a_sentence_of_its_own() -> None:
    """Every reason is a note: a call of a definition, or what somebody else has called."""
    raised = [(path, node) for path, node, name in CALLS if name in ("Declined", "NoSignature")]
    assert len(raised) > 80
    for path, node in raised:
        assert node.args, path
        assert not any(isinstance(given, ast.Constant | ast.JoinedStr) for given in node.args), (path, node.lineno)


def test_reasons_that_say_more_and_more() -> None:
    why = Declined(FACTORY_DOES_MORE(name="make"), AT_THE_TOP_ALREADY())
    assert str(why) == (
        "make() does more than create it: it is at the top level of the file, outside loops and functions"
    )
    assert say_reasons(why.reasons, "zh") == "make() 不只是创建它：它在文件的最外层，不在循环或函数中"


def test_no_recipe_says_a_sentence_of_its_own() -> None:
    """The notes of a candidate are notes, by keyword or in their place, and there is nothing else to say it with."""
    made = [(path, node) for path, node, name in CALLS if name == "Candidate"]
    assert len(made) > 30
    for path, node in made:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        assert "note" not in given, path
        notes = given.get("notes") or (node.args[6] if len(node.args) > 6 else None)
        texts = [part for part in ast.walk(notes) if isinstance(part, ast.JoinedStr)] if notes is not None else []
        assert not isinstance(notes, ast.Constant), path
        assert not texts, path


def test_words_for_one_and_for_several() -> None:
    assert say(BECOMES_TENSOR(names=["step"]), "en") == (
        "`step` becomes a tensor: during tracing, Python cannot index with, format or branch on it."
    )
    assert (say(BECOMES_TENSOR(names=["a", "b", "c"]), "en") or "").startswith("`a`, `b` and `c` become tensors:")
    assert say(INT32_LIMITS(names=["a", "b", "c"]), "zh") == (
        "作为 int32，`a`、`b` 和 `c` 不能与 Python 浮点数一起运算，超过 2**31 会溢出。"
    )


def test_the_same_is_said_once() -> None:
    first, second = BECOMES_TENSOR(names=["a"]), BECOMES_TENSOR(names=["b"])
    assert join_notes([first], [second, first]) == (first, second)


def test_notes_go_through_json() -> None:
    notes = (BECOMES_TENSOR(names=["step"]), TOO_MUCH_VARIES(causes=2000, traces=4))
    fix = Fix("input_signature", "review", note=english_note(notes), coded_notes=notes)
    assert msgspec.json.decode(msgspec.json.encode(fix), type=Fix) == fix
    assert fix.note == (
        "step becomes a tensor: during tracing, Python cannot index with, format or branch on it. "
        "No fix was searched for: 2,000 things vary in 4 traces."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_note_of_an_older_recording_is_shown_as_it_is(language: Language) -> None:
    old = b'{"recipe": "dynamic_shape", "safety": "review", "note": "sizes are read, also in `steps`; as before"}'
    fix = msgspec.json.decode(old, type=Fix)
    assert fix_notes(fix, language) == ["sizes are read, also in `steps`; as before"]


@pytest.mark.parametrize(
    "unknown",
    [
        Note("said_by_a_later_version", {"names": ("x",)}),
        Note("becomes_tensor", {"other": "x"}),
        Note("becomes_tensor", {"names": 1.5}),
    ],
    ids=["code", "arguments", "kind"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_later_version_notes_is_told_in_its_own_english(unknown: Note, language: Language) -> None:
    fix = Fix("later", "review", note="It says so.", coded_notes=(CALLS_NOT_COUNTED(), unknown))
    assert fix_notes(fix, language) == ["It says so."]
    (diagnosis,) = diagnose(record(Events(STEP)(python("x", 1)), calls=1))
    assert diagnosis.notes == ()
    diagnosis = with_notes(diagnosis, CALLS_NOT_COUNTED())
    diagnosis = msgspec.structs.replace(
        diagnosis, notes=(*diagnosis.notes, "It says so."), coded_notes=(*diagnosis.coded_notes, unknown)
    )
    assert diagnosis_notes(diagnosis, language) == [CALLS_NOT_COUNTED.template(language), "It says so."]


@pytest.mark.parametrize(
    ("coded", "told"),
    [
        (
            EXIT_STATUS_DIFFERS_BY_ERROR(before="0", after="1", error="TypeError: not `x`"),
            {"en": "exit status 0 → 1 (TypeError: not `x`)", "zh": "退出状态 0 → 1（TypeError: not `x`）"},
        ),
        (CALLS_TAKE_LONGER(before=0.2, after=1.0), {"en": "fewer traces, but its calls take longer: 0.20 s → 1.00 s"}),
        (None, {"en": "as it was said", "zh": "as it was said"}),
        (Note("said_by_a_later_version"), {"en": "as it was said", "zh": "as it was said"}),
    ],
    ids=["quoted", "times", "older", "later"],
)
def test_why_a_repair_was_not_proved(coded: Note | None, told: dict[Language, str]) -> None:
    runs = Measurement(8, 8, 2.0), Measurement(8, 8, 2.0)
    proof = Proof(*runs, None, "not_proved", reason="as it was said", coded_reason=coded)
    assert msgspec.json.decode(msgspec.json.encode(proof), type=Proof) == proof
    assert {language: proof_reason(proof, language) for language in told} == told


def test_a_diagnosis_with_notes_of_a_recording_that_has_no_codes() -> None:
    (diagnosis,) = diagnose(record(Events(STEP)(python("x", 1))))
    assert diagnosis.coded_notes == (CALLS_NOT_COUNTED(),)
    older = msgspec.structs.replace(diagnosis, notes=(*diagnosis.notes, "said before there were codes"))
    assert diagnosis_notes(older, "zh") == [CALLS_NOT_COUNTED.zh, "said before there were codes"]
