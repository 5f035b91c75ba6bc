"""One function that is to be repaired, as it was seen in a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from traceonce.facts import CauseCode, Diagnosis, Signature, TraceEvent
from traceonce.facts.replay import Making, Site


class Case(NamedTuple):
    """A function with its traces in order (those that the user's code caused), where it was made, who called it.

    `makings` and `sites` are known where the run was a replay; a recording alone has neither, and no source is
    edited from it. `compilations` are those of its graphs, where they were watched. `environment` has the versions.
    """

    diagnosis: Diagnosis
    events: tuple[TraceEvent, ...]
    makings: tuple[Making, ...] = ()
    sites: tuple[Site, ...] = ()
    compilations: tuple[TraceEvent, ...] = ()
    environment: Mapping[str, str] = {}

    @property
    def codes(self) -> frozenset[CauseCode]:
        return frozenset(cause.code for cause in self.diagnosis.causes)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """What every trace was asked for."""
        return tuple(event.signature for event in self.events)
