"""Every function of a run as a case for repair."""

from __future__ import annotations

from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import Recording
from traceonce.facts.replay import ReplayResult
from traceonce.fix.case import Case
from traceonce.fix.suggestions import make_case


def cases_of(recording: Recording, replay: ReplayResult | None) -> list[Case]:
    """The functions, the worst first, with where each was made and called from."""
    makings = replay.makings if replay is not None else ()
    sites = replay.sites if replay is not None else ()
    return [
        make_case(diagnosis, events, recording.environment)._replace(
            makings=tuple(making for making in makings if making.function.key == diagnosis.function.key),
            sites=tuple(site for site in sites if site.function.key == diagnosis.function.key),
        )
        for diagnosis, events in diagnose_with_events(recording)
    ]
