"""The reports that tests look at: recordings of real programs, and a few that are made up."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tests.browser.demanding_recordings import DEMANDING
from tests.browser.made_recordings import make_empty, make_hostile, make_killed, make_large
from traceonce.analysis.material import find_out
from traceonce.facts import Cause, Recording
from traceonce.report.base import find_renderer
from traceonce.report.page import words_in
from traceonce.words.sentence import choose_forms
from traceonce.words.translated import Language

RECORDED = Path(__file__).parents[1] / "recorded"
MADE: dict[str, Callable[[], Recording]] = {
    "large": make_large,
    "hostile": make_hostile,
    "empty": make_empty,
    "killed": make_killed,
    **DEMANDING,
}


def another_run(name: str) -> bytes:
    """The file of a recording, as if the program had run once more: the server keeps equal files only once."""
    file = RECORDED / f"{name}.jsonl"
    (run,) = Recording.load(file).runs
    return file.read_bytes().replace(run.encode(), uuid.uuid4().hex.encode())


class Reports:
    """HTML reports, each written once and kept for the tests that come after."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recordings: dict[str, Recording] = {}
        self._findings: dict[str, dict[str, Any]] = {}

    def recording(self, name: str) -> Recording:
        """The recording `tests/recorded/NAME.jsonl`, or a made one."""
        if name not in self._recordings:
            make = MADE.get(name)
            self._recordings[name] = make() if make else Recording.load(RECORDED / f"{name}.jsonl")
        return self._recordings[name]

    def json(self, name: str) -> str:
        """The JSON report, which is a recording, too."""
        return find_renderer("json")(find_out(self.recording(name), "json"))

    def findings(self, name: str) -> dict[str, Any]:
        """What the JSON report says: the figures that a page must show."""
        if name not in self._findings:
            self._findings[name] = msgspec.json.decode(self.json(name))
        return self._findings[name]

    def causes(self, name: str, function: str) -> list[tuple[Cause, ...]]:
        """Why each trace of a function was made, in order."""
        found = find_out(self.recording(name), "html")
        pairs = zip(found.recording.events, found.causes, strict=True)
        return [causes for event, causes in pairs if event.function.name == function and event.kind == "trace"]

    def function(self, recording: str, name: str) -> dict[str, Any]:
        """One function of the JSON report."""
        (found,) = [function for function in self.findings(recording)["functions"] if function["name"] == name]
        return found

    def html(self, name: str, language: Language = "en") -> Path:
        file = self._folder / f"{name}.{language}.html"
        if not file.exists():
            file.write_text(find_renderer("html")(find_out(self.recording(name), "html", language)), encoding="utf-8")
        return file


def words_of_report(language: Language) -> dict[str, str]:
    """All texts of the page, by dotted key; those that differ by a number, for several."""
    found: dict[str, str] = {}

    def walk(entry: Any, key: str) -> None:
        if isinstance(entry, str):
            found[key] = choose_forms(entry, {})
        else:
            for name, inner in entry.items():
                walk(inner, f"{key}.{name}" if key else name)

    walk(words_in(language), "")
    return found
