"""What is asked for where nothing compiled serves a call: who, from where, with what, and which guards failed."""

from __future__ import annotations

import re
import time
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from traceonce.backends.identities import ByIdentity
from traceonce.backends.places import Places
from traceonce.backends.torch.functions import Described, Sites, describe_function
from traceonce.backends.torch.looking import look
from traceonce.backends.torch.probes import Probes, failing_guards
from traceonce.backends.torch.signatures import SignatureReader
from traceonce.facts import CallSite, Frame, Phase, Signature, TraceEvent

EARLIER = 64  # how many signatures from before an observer came are told with a function's next event
REASONS = 64
TEXT = 400
RESET = "torch._dynamo.reset() has dropped what was compiled before"
FREED = "what was compiled before is gone: an object that it was made for has been freed"
_OTHER_MODULE = re.compile(r"^\S+: ___check_(?:type|obj)_id\(fn,")


class Request(NamedTuple):
    """A function that is about to be compiled.

    `number` tells code objects apart, `part` the parts of a function that are separated by graph breaks. `names` are
    the globals of the function, `parent` the event of its first part where this is a later one of the same call.
    `begins`: the call under way has not been counted yet.
    """

    described: Described
    code: types.CodeType
    names: dict[str, Any]
    number: int
    part: int
    compile_id: Any
    signature: Signature
    site: CallSite | None
    stack: tuple[Frame, ...]
    phase: Phase
    reasons: tuple[str, ...]
    reads: dict[str, str]
    earlier: tuple[Signature, ...]
    parent: int | None
    begins: bool


class _Known:
    """What was compiled of one code object while we watched."""

    def __init__(self) -> None:
        self.served: list[Signature] = []
        self.event: int | None = None
        self.call: int | None = None
        self.ended = 0.0
        self.has_graph = True


class Requests:
    """Reads the requests of one process."""

    def __init__(self, torch: Any, probes: Probes, places: Places) -> None:
        self._torch = torch
        self._probes = probes
        self._places = places
        self._sites = Sites(places)
        self._signatures = SignatureReader(torch)
        self._codes = ByIdentity()
        self._known: dict[int, _Known] = {}
        self._told: set[int] = set()

    def renew(self) -> None:
        self._told.clear()

    def read(
        self, arguments: dict[str, Any], caller: types.FrameType, calls: Callable[[str], int], thread: Any
    ) -> Request:
        """The request behind a call of `_compile`; `calls` tells how often a function was called so far.

        `thread` knows since when this thread has `asked`: it may have waited while another compiled the same.
        """
        code, values = arguments["code"], arguments["locals"]
        names = arguments.get("globals") or {}
        described = describe_function(self._probes, self._places, code, values)
        number = self._codes.number(described.code)
        part = self._codes.number(code) if described.part else number  # all of PyTorch's own modules share one code
        reasons = self._reasons(arguments, described, part)
        root = self._known.get(number)
        counted = root is None or root.has_graph  # a first part without a graph of its own is not seen to run
        same_call = root is not None and root.call == calls(described.id.key) + (not counted)
        phase: Phase = "retrace" if reasons else "first"
        if described.internal or arguments["export"] or (described.part and (same_call or not reasons)):
            phase = "internal"
        site, stack = self._sites.read(caller, code, described)
        return Request(
            described=described,
            code=code,
            names=names,
            number=part if described.part else number,
            part=part,
            compile_id=arguments["compile_id"],
            signature=self._signatures.read(code if described.part else described.code, described.values),
            site=site,
            stack=stack,
            phase=phase,
            reasons=reasons,
            reads=look(self._torch, reasons, described.values, names) | self._meanwhile(part, thread),
            earlier=self._earlier(part),
            parent=root.event if described.part and same_call and root is not None else None,
            begins=not described.part or not counted,
        )

    def compiled(self, request: Request, event: TraceEvent, *, has_graph: bool) -> None:
        """It was compiled, and is kept."""
        known = self._known.setdefault(request.part, _Known())
        known.ended = time.perf_counter()
        known.served = [*known.served, event.served][-EARLIER:]
        if not request.described.part:
            known.event, known.call, known.has_graph = event.id, event.call, has_graph
        self._told.add(request.part)

    def _reasons(self, arguments: dict[str, Any], described: Described, part: int) -> tuple[str, ...]:
        """The guards that failed, one for each earlier compilation; or what became of those."""
        found = [_shorten(reason) for reason in failing_guards(self._probes, arguments)]
        if described.renamed:  # the wrapper of another module is not this function
            found = [_rename(reason, described) for reason in found if not _OTHER_MODULE.match(reason)]
        if found or part not in self._known:
            return tuple(found[:REASONS])
        return (FREED if getattr(arguments["compile_id"], "frame_compile_id", 0) else RESET,)

    def _meanwhile(self, part: int, thread: Any) -> dict[str, str]:
        known = self._known.get(part)
        waited = known is not None and known.ended > getattr(thread, "asked", known.ended)
        return {"threads": "another one compiled it meanwhile"} if waited else {}

    def _earlier(self, part: int) -> tuple[Signature, ...]:
        """Signatures that were compiled before this observer came, told once."""
        known = self._known.get(part)
        return tuple(known.served) if known is not None and part not in self._told else ()


def _shorten(reason: str) -> str:
    """A reason on one line, of bounded length; what is quoted in it stays as it is."""
    text = re.sub(r" {2,}#", "  #", reason.partition("\nUser stack")[0].rstrip())
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def _rename(reason: str, described: Described) -> str:
    for pattern, name in described.renamed:
        reason = re.sub(pattern, name, reason)
    return reason
