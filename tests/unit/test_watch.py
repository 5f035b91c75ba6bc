"""What `traceonce.watch()` gives: printed, counted, iterated, saved, written as a page, opened, shown in a notebook."""

from __future__ import annotations

import html
import re
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import traceonce
from traceonce.api import Watch
from traceonce.errors import UsageError
from traceonce.frameworks import fake
from traceonce.observe.hub import Hub

HUB = Hub([fake.KNOWN])


@pytest.fixture
def seen() -> Watch:
    """One function traced three times, another one once."""
    with Watch(HUB) as watched:
        trace_some()
    return watched


def trace_some() -> None:
    @fake.function
    def step(x: Any, k: int) -> None: ...

    @fake.function
    def evaluate(x: Any) -> None: ...

    for k in range(3):
        step(fake.Array(shape=(2,)), k)
    evaluate(fake.Array(shape=(2,)))


def test_it_is_shown_in_a_line(seen: Watch) -> None:
    assert re.fullmatch(r"<traceonce\.Watch: 2 functions, 4 traces, 2 retraces, (under 1|\d+) ms lost>", repr(seen))


def test_its_line_says_how_far_it_is() -> None:
    watched = Watch(HUB)
    assert repr(watched) == "<traceonce.Watch: not started>"
    with watched:
        assert repr(watched) == "<traceonce.Watch: 0 functions, 0 traces so far>"
    assert repr(watched) == "<traceonce.Watch: 0 functions, 0 traces>"


def test_printed_it_is_the_report(seen: Watch, capsys: pytest.CaptureFixture[str]) -> None:
    print(seen)
    assert capsys.readouterr().out == seen.report()
    assert seen.report().startswith("traceonce  2 functions, 4 traces")


def test_it_is_counted(seen: Watch) -> None:
    assert (len(seen), seen.traces, seen.retraces) == (2, 4, 2)
    assert seen.lost_seconds == sum(diagnosis.lost_seconds for diagnosis in seen)
    assert (seen.count("step"), seen.count("nothing")) == (3, 0)
    assert "step" in seen
    assert "nothing" not in seen


def test_it_is_false_where_nothing_was_traced(seen: Watch) -> None:
    assert seen
    assert not Watch(HUB)


def test_it_is_iterated_worst_first(seen: Watch) -> None:
    names = [diagnosis.function.short_name for diagnosis in seen]
    assert names == ["step", "evaluate"]
    assert [seen[0], seen[-1]] == list(seen)
    with pytest.raises(IndexError):
        seen[2]
    with pytest.raises(KeyError, match=r"no traced function is called 'steps'; traced: .*evaluate, .*step"):
        seen["steps"]


def test_a_diagnosis_is_a_line(seen: Watch) -> None:
    assert re.fullmatch(
        r"trace_some\.<locals>\.step: \w+, 3 traces in 3 calls · (under 1|\d+) ms lost · k", str(seen["step"])
    )
    assert str(seen["evaluate"]) == "trace_some.<locals>.evaluate: ok, 1 trace in 1 call"


def test_it_is_saved_with_its_source_and_loaded(seen: Watch, tmp_path: Path) -> None:
    assert seen.save(str(tmp_path / "run.json")) == tmp_path / "run.json"
    loaded = traceonce.Recording.load(tmp_path / "run.json")
    assert loaded.events == seen.events
    assert any("def step" in line for excerpt in loaded.excerpts for line in excerpt.lines)
    assert traceonce.diagnose(loaded) == traceonce.diagnose(seen.recording)
    assert traceonce.diagnose(seen.recording) == seen.diagnoses


@pytest.mark.parametrize("name", ["report.html", "REPORT.HTM"])
def test_a_page_is_not_saved_as_a_recording_by_mistake(seen: Watch, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"use write_html\(\)"):
        seen.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_it_is_written_as_a_page(seen: Watch, tmp_path: Path) -> None:
    page = seen.write_html(tmp_path / "report.html")
    assert page.read_text().lower().startswith("<!doctype html>")
    assert "重新" in seen.write_html(tmp_path / "zh.html", language="zh").read_text()
    with pytest.raises(UsageError, match=r"nowhere/x\.html: cannot be written: No such file or directory"):
        seen.write_html(tmp_path / "nowhere" / "x.html")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """The addresses that a browser was asked to open; temporary files go to `tmp_path`."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return addresses


def test_it_is_opened_in_a_browser(
    seen: Watch, opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a temporary file, or from one that is named, also from here."""
    monkeypatch.chdir(tmp_path)
    files = [seen.open_in_browser(), seen.open_in_browser("report.html")]
    assert opened == [file.as_uri() for file in files]
    assert files[1] == tmp_path / "report.html"
    assert all(file.parent == tmp_path and "<html" in file.read_text()[:200] for file in files)


def test_where_there_is_no_browser_the_file_is_named(
    seen: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    with pytest.warns(UserWarning, match=r"could not open a browser; the report is at file://.*/r\.html") as told:
        seen.open_in_browser(tmp_path / "r.html")
    assert Path(told[0].filename) == Path(__file__)


def test_a_notebook_gets_the_page_in_a_frame(seen: Watch) -> None:
    frame = re.fullmatch(r'<iframe ([^<>]*) srcdoc="([^"<>]*)"></iframe>', seen._repr_html_())
    assert frame
    assert html.unescape(frame[2]) == seen.report("html")
    assert "allow-same-origin" not in frame[1]


def test_it_starts_and_stops_without_a_block() -> None:
    watched = Watch(HUB).start()
    assert watched.is_running
    trace_some()
    watched.stop()
    trace_some()
    watched.stop()  # once is enough
    assert (watched.traces, watched.is_running) == (4, False)


def test_it_can_be_used_again_and_begins_anew(seen: Watch) -> None:
    with seen:
        assert not seen
    assert seen.traces == 0


def test_it_is_not_started_twice_at_a_time() -> None:
    """The first start would go on watching for good, and nobody could stop it."""
    with Watch(HUB) as watched:
        with pytest.raises(RuntimeError, match="already running"), watched:
            pass
        trace_some()
    assert watched.traces == 4


def test_a_decorated_function_has_a_watch_before_its_first_call() -> None:
    @Watch(HUB)
    def train() -> int:
        trace_some()
        return 3

    assert not train.watched
    assert (train(), train.watched.traces) == (3, 4)
    assert train() == 3
    assert train.watched.traces == 4


def test_what_is_no_function_is_not_watched() -> None:
    with pytest.raises(TypeError, match=r"watch is for a function or a block, not for 'train\.py'"):
        traceonce.watch("train.py")  # type: ignore[call-overload]  # the mistake is the point
