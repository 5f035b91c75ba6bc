"""A message is found whatever happened to it on its way: colours, prefixes, wrapping, other lines, broken bytes."""

from __future__ import annotations

import json
import textwrap

import pytest

from traceonce.knowledge.match import Index, match, scan
from traceonce.knowledge.match.plain_lines import clean_line, split_lines
from traceonce.knowledge.record import Record

REGEX = r"'(?P<function>\w+)' has been retraced \d+ times by a symbolic tensor of the input pipeline"
INDEX = Index(
    [
        Record(id="tensorflow/known", signature="", regex=REGEX, regex_zh=r"函数.*已被重新追踪很多次"),
        Record(id="tensorflow/spanning", signature="", regex=r"KnownError: first .*the second paragraph"),
    ]
)
MESSAGE = "'train_step' has been retraced 12 times by a symbolic tensor of the input pipeline"


def found_in(text: str | bytes) -> list[str]:
    return [item.record.removeprefix("tensorflow/") for item in match(text, INDEX, guesses=0)]


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-15 12:13:01,123 ",
        "2026-11-15T12:13:01.123456Z ",
        "2026-11-15T12:13:01.123456789Z stderr F ",
        "2026-11-15T12:13:01.123456789+08:00 stdout P ",
        "2026-11-15 12:13:01.123456: W tensorflow/core/util/port.cc:153] ",
        "W0000 00:00:1794745016.638855   14398 port.cc:153] ",
        "W1115 12:13:01.638855   14398 port.cc:153] ",
        "[2026-11-15 12:13:01] [ERROR] ",
        "2026-11-15 12:13:01,123 - trainer - ERROR - ",
        "2026-11-15 12:13:01.123 | ERROR    | train:main:12 - ",
        "Nov 15 12:13:01 node7 trainer[123]: ",
        "12:13:01 ",
        "WARNING:tensorflow:",
        "WARNING:traceonce:",
        "WARNING  tensorflow:polymorphic_function.py:156 ",
        "ERROR: ",
        "##[error]",
        "[1,0]<stderr>:",
        "[rank3]: ",
        "rank 3: ",
        "3: ",
        "(RayTrainWorker pid=4711, ip=10.0.0.1) ",
        "worker-0  | ",
        "E       ",
        "> ",
        "2026-11-15T12:13:01Z [rank3]: WARNING:tensorflow:",
    ],
)
def test_prefixes_are_taken_off(prefix: str) -> None:
    assert clean_line(prefix + MESSAGE).text == MESSAGE
    [found] = match(prefix + MESSAGE, INDEX)
    assert (found.record, found.function) == ("tensorflow/known", "train_step")


@pytest.mark.parametrize(
    "text",
    [
        "[2, 3] is a shape, not a prefix",
        "Error handling is hard",
        "function: step",
        "x = a | b",
        "5 out of the last 5 calls",
        "The function 'f' failed",
    ],
)
def test_what_is_no_prefix_stays(text: str) -> None:
    assert clean_line(text).text == text


TAIL = "12 times by a symbolic tensor of the input pipeline"


@pytest.mark.parametrize(
    "coloured",
    [
        f"\x1b[1;31m'train_step' has been \x1b[0mretr\x1b[32maced {TAIL}\x1b[0m",
        f"\x1b]8;;https://example.org\x07'train_step'\x1b]8;;\x07 has been retraced {TAIL}",
        f"\x1b]0;title\x1b\\'train_step' has been retraced {TAIL}\x1b[K",
        rf"\x1b[31m'train_step' has been\u001b[0m retraced {TAIL}",
        f"[1m'train_step' has been [0mretraced {TAIL}",
        f"\x1b(B'train_step' has been retraced {TAIL}",
    ],
)
def test_colours_and_other_escape_sequences(coloured: str) -> None:
    assert clean_line(coloured).text == MESSAGE


@pytest.mark.parametrize("width", [40, 60, 80])
def test_wrapping_between_words_and_inside_of_them(width: int) -> None:
    text = f"2026-11-15 12:13:01 ERROR {MESSAGE} and more"
    assert found_in("\n".join(textwrap.wrap(text, width))) == ["known"]
    assert found_in("\n".join(text[at : at + width] for at in range(0, len(text), width))) == ["known"]


def test_a_chinese_message_that_is_wrapped() -> None:
    assert found_in("错误：函数 f 已被重新\n追踪很多次") == ["known"]


def test_a_box() -> None:
    lines = textwrap.wrap(MESSAGE, 50)
    frame = "\n".join(["╭" + "─" * 52 + "╮", *(f"│ {line:50} │" for line in lines), "╰" + "─" * 52 + "╯"])
    assert found_in(frame) == ["known"]


def test_a_line_of_json_has_its_message_inside() -> None:
    line = json.dumps({"level": "error", "error": {"message": f'He said "{MESSAGE}"\nand left'}})
    assert found_in(line) == ["known"]
    assert found_in('{"not json: ' + MESSAGE + "}") == ["known"]


def test_progress_bars_before_it() -> None:
    assert found_in(f"10/100 [==>....] \r20/100 [====>..] \b\b\b\r{MESSAGE}\r\n") == ["known"]


PARAGRAPHS = ["KnownError: first paragraph.", "", "Here is the second paragraph", "", "  • x=1"]


def test_an_error_of_several_paragraphs_is_one_message() -> None:
    traceback = ["Traceback (most recent call last):", '  File "a.py", line 3, in <module>', "    f()"]
    assert found_in("\n".join([*traceback, *PARAGRAPHS])) == ["spanning"]
    assert found_in("\n".join(PARAGRAPHS)) == ["spanning"]
    stamped = [f"2026-11-15T12:13:0{number}Z {line}" for number, line in enumerate([*traceback, *PARAGRAPHS])]
    assert found_in("\n".join(stamped)) == ["spanning"]


@pytest.mark.parametrize(
    "between",
    [
        "2026-11-15 12:13:01 INFO an entry of its own:",
        "Traceback (most recent call last):",
        "OtherError: something else",
        "step  retraced 3 times in 4 calls",
    ],
)
def test_what_belongs_to_another_message_is_not_put_together(between: str) -> None:
    assert found_in(f"KnownError: first line\n{between}\nthe second paragraph") == []


def test_paragraphs_of_prose_are_messages_of_their_own() -> None:
    answers = list(scan("one\ntwo\n\nthree\n", INDEX))
    assert [(answer.message.text, answer.message.line) for answer in answers] == [("one two", 1), ("three", 4)]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00 broken \xc3\x28 " + MESSAGE.encode() + b"\x80\x81",
        bytes(range(256)) + b"\n\n" + MESSAGE.encode(),
        MESSAGE.encode("utf-16"),
        b"\xef\xbb\xbf" + MESSAGE.encode(),
    ],
    ids=["invalid UTF-8", "binary", "UTF-16", "a mark of UTF-8"],
)
def test_bytes_of_any_kind(data: bytes) -> None:
    if data[:3] == b"\xff\xfe\x00":
        data = b"\n" + data  # the mark of UTF-16 would be one
    assert found_in(data) == ["known"]


@pytest.mark.parametrize("at", [0, 9_000, 16_300, 16_384, 31_000, 40_000])
def test_a_message_anywhere_in_a_very_long_line(at: int) -> None:
    assert found_in("x" * at + " " + MESSAGE + " " + "y" * 50_000) == ["known"]


def test_all_pieces_of_a_very_long_line_have_its_number() -> None:
    for text in ("\n" + "x" * 90_000 + f" {MESSAGE}\n", "\n" + "x" * 90_000 + f" {MESSAGE}"):
        [found] = match(text, INDEX)
        assert found.line == 2
    [found] = match("x" * 90_000 + f"\n\n{MESSAGE}", INDEX)
    assert found.line == 3


def test_lines_come_out_whole_however_the_text_is_cut() -> None:
    text = "one\r\ntwo\nthree\rfour\n\nfive"
    whole = list(split_lines([text]))
    assert whole == list(enumerate(["one", "two", "three", "four", "", "five"], 1))
    for size in range(1, len(text)):
        assert list(split_lines(text[at : at + size] for at in range(0, len(text), size))) == whole


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_the_answer_does_not_depend_on_how_the_bytes_come(size: int) -> None:
    text = f"中文 {MESSAGE}\r\n\r\nKnownError: first \x1b[31mand\x1b[0m the second paragraph\n".encode()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert match(pieces, INDEX) == match(text, INDEX)
    assert set(found_in(text)) == {"known", "spanning"}
