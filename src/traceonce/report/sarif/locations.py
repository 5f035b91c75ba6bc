"""Where a result is shown: in the user's own code, whatever was traced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from traceonce.facts import Diagnosis, FunctionId, Recording, SiteCount
from traceonce.facts.quantities import count_of
from traceonce.report.sarif.uris import Uris

Place: TypeAlias = dict[str, Any]
SITES = 10  # call sites that are told with a result


class Locations:
    """The functions and calls of one run, as locations."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.uris = Uris(recording.cwd)

    def of_function(self, function: FunctionId, sites: Sequence[SiteCount]) -> Place:
        """The function where it is the user's own, else the line that called it; else the program that ran.

        A location without a file would do in SARIF, but GitHub turns down the whole report for one.
        """
        own = (function.file, function.line)
        calls = [(site.file, site.line) for site in sites]
        return self._first(function, [*calls, own] if function.library else [own, *calls])

    def of_call(self, function: FunctionId, sites: Sequence[SiteCount]) -> Place:
        """The line that called it, where that is known."""
        return self._first(function, [*((site.file, site.line) for site in sites), (function.file, function.line)])

    def related(self, diagnosis: Diagnosis, shown: Place) -> Iterator[Place]:
        """The lines that called it, and the function itself where it is a library's."""
        function = diagnosis.function
        others: list[tuple[str, int | None, str]] = [
            (site.file, site.line, f"{count_of(site.count, 'trace')} called for from here")
            for site in diagnosis.call_sites[:SITES]
        ]
        if function.library and function.file:
            others.append((function.file, function.line, "the function, in a library"))
        for file, line, said in others:
            physical = self._physical(file, line)
            if physical and physical != shown.get("physicalLocation"):
                yield {"physicalLocation": physical, "message": {"text": said}}

    def _first(self, function: FunctionId, candidates: list[tuple[str | None, int | None]]) -> Place:
        script = [(argument, None) for argument in self._recording.command[:1] if argument.endswith(".py")]
        found = (self._physical(file, line) for file, line in [*candidates, *script])
        physical = next(filter(None, found), None)
        name = {"name": function.short_name, "fullyQualifiedName": function.name, "kind": "function"}
        return {**({"physicalLocation": physical} if physical else {}), "logicalLocations": [name]}

    def _physical(self, file: str | None, line: int | None) -> Place | None:
        artifact = self.uris.locate(file)
        if artifact is None:
            return None
        if line is None or line < 1:
            return {"artifactLocation": artifact}
        excerpt = next((excerpt for excerpt in self._recording.excerpts if excerpt.holds(file, line)), None)
        snippet = {"snippet": {"text": excerpt.lines[line - excerpt.start]}} if excerpt else {}
        return {"artifactLocation": artifact, "region": {"startLine": line, **snippet}}
