"""Files as a test suite names them: from its root.

An event names a file from the working folder, which a fixture may have changed, and which is another one where pytest
is started in a subfolder. A baseline needs names that stay.
"""

from __future__ import annotations

import msgspec

from traceonce.facts import FunctionId, Recording, TraceEvent
from traceonce.facts.event import path_from


def name_from(root: str, recording: Recording) -> Recording:
    """The recording with its functions and call sites named from `root`; libraries as they are."""
    replace = msgspec.structs.replace

    def rename(file: str) -> str:
        return path_from(root, recording.cwd, file)

    def function(function: FunctionId) -> FunctionId:
        return replace(function, file=rename(function.file)) if function.file else function

    def event(event: TraceEvent) -> TraceEvent:
        site = replace(event.call_site, file=rename(event.call_site.file)) if event.call_site else None
        return replace(event, function=function(event.function), call_site=site)

    keys = {event.function.key: function(event.function).key for event in recording.events}
    return replace(
        recording,
        events=tuple(map(event, recording.events)),
        findings=tuple(replace(finding, function=function(finding.function)) for finding in recording.findings),
        calls={
            process: {keys.get(key, key): count for key, count in counts.items()}
            for process, counts in recording.calls.items()
        },
        at_least=tuple(keys.get(key, key) for key in recording.at_least),
    )
