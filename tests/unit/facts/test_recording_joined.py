"""Files that were joined, cut off by a full disk, or filled with garbage."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, tensor
from traceonce.diagnosis import diagnose
from traceonce.facts import SCHEMA, Calls, Compiled, End, Entry, Exit, Header, Notice, Recording
from traceonce.facts.recording import DAMAGED, NOTICES
from traceonce.observe.reserve import BLANK, SIZE, write_reserved
from traceonce.report.base import Material, find_renderer


def run(name: str, *, seconds: float = 10.0, clock: float = 1000.0) -> list[Entry]:
    """Three traces in three calls."""
    events = Events(process="", start=clock, jit_compile=True, graph="g")
    return [
        Header(SCHEMA, name, "1", clock),
        *(events(tensor("x", n), call=n + 1, phase="retrace" if n else "first", seconds=1.0) for n in range(3)),
        Calls({STEP.key: 3}),
        End(seconds),
        Compiled("tensorflow", "g", 1, 0.5, clock + 3),
        Exit(0, seconds, clock),
    ]


def encode(entries: list[Entry]) -> bytes:
    return b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)


@pytest.mark.parametrize("times", [2, 3])
def test_a_recording_joined_to_itself_is_that_recording(times: int) -> None:
    """As ``cat *.jsonl`` does it where a file is named twice: nothing is counted again, nothing lost again."""
    data = encode(run("a"))
    assert Recording.from_bytes(data * times) == Recording.from_bytes(data)


def test_recordings_of_two_runs_in_one_file() -> None:
    """The same as two files: the time of both runs, so that a share of it is a share."""
    first, second = encode(run("a")), encode(run("b", seconds=20.0, clock=2000.0))
    joined = Recording.from_bytes(first + second)
    assert joined == Recording.merge([Recording.from_bytes(first), Recording.from_bytes(second)])
    assert (joined.seconds, joined.runs) == (30.0, ("a", "b"))
    (diagnosis,) = diagnose(joined)
    assert (diagnosis.traces, diagnosis.calls) == (6, 6)


def test_garbage_is_counted_and_not_listed() -> None:
    """59 MB of it became 3 GB of notices."""
    data = encode(run("a")) + b"garbage\n" * 5_000
    recording = Recording.from_bytes(data, "a.jsonl")
    assert len(recording.notices) == DAMAGED + 1
    assert recording.notices[0].text.startswith("a.jsonl, line 9: damaged and skipped (")
    assert (recording.notices[-1].text, recording.notices[-1].error) == (
        "a.jsonl: 4,990 more damaged lines were skipped",
        True,
    )


def test_notices_have_an_end(tmp_path: Path) -> None:
    """Also where every one of them is whole; that one of those left out was about an error is still known."""
    notices = [Notice(f"notice number {n}", error=n == NOTICES + 5) for n in range(200)]
    data = encode([*run("a")[:4], *notices, End(1.0)])
    recording = Recording.from_bytes(data)
    assert len(recording.notices) == NOTICES + 1
    assert (recording.notices[-1].text, recording.notices[-1].error) == ("150 more notices were left out", True)
    sarif = find_renderer("sarif")(Material(recording, diagnose(recording)))
    assert sarif.count("notice number ") == NOTICES


def test_processes_that_were_killed_are_not_all_named() -> None:
    entries: list[Entry] = [Header(SCHEMA, "a", str(n), 1000.0) for n in range(1_000)]
    (notice,) = Recording.from_bytes(encode(entries)).notices
    assert "process 0, 1, 2," in notice.text
    assert "19 and 980 more ended without closing its recording" in notice.text


@pytest.mark.parametrize("text", ["no space left", 'a "quote" \\ and \x1b[31m\n', "é" * 2_000, ""])
def test_the_reserved_line(tmp_path: Path, text: str) -> None:
    """Written over in place, it is the first notice; and a missing end is what it speaks of."""
    file = tmp_path / "run.jsonl"
    file.write_bytes(BLANK + encode(run("a")[:4]))
    assert Recording.load(file).notices[-1].text.startswith("process 1 ended without closing its recording")
    size = file.stat().st_size
    write_reserved(str(file), text)
    assert file.stat().st_size == size
    (notice,) = Recording.load(file).notices
    assert notice.error
    assert notice.text[:8] == "".join(c if " " <= c <= "~" and c not in '"\\' else "?" for c in text)[:8]
    assert len(notice.text) < SIZE


def test_a_file_without_a_reserved_line_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    write_reserved(str(file), "nothing")
    assert not file.exists()
    for content in (b"short", encode(run("a")), encode([Notice("of the program's own"), *run("a")])):
        file.write_bytes(content)
        write_reserved(str(file), "nothing")
        assert file.read_bytes() == content


def test_the_last_who_cannot_write_has_the_word(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(BLANK + encode(run("a")))
    for text in ("a long text " * 100, "the second"):
        write_reserved(str(file), text)
    assert [notice.text for notice in Recording.load(file).notices] == ["the second"]
