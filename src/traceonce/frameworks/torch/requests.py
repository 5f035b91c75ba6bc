"""What is asked for where nothing compiled serves a call: who, from where, with what, and which guards failed."""

from __future__ import annotations

import re
import time
import types
from typing import Any, NamedTuple

from traceonce.facts import CallSite, Frame, Phase, Signature, TraceEvent
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.first_runs import FirstRuns
from traceonce.frameworks.torch.functions import Described, Sites, describe_function
from traceonce.frameworks.torch.guarded_state import look
from traceonce.frameworks.torch.probes import Probes, failing_guards, line_of_break, region_of
from traceonce.frameworks.torch.signatures import SignatureReader

EARLIER = 64  # how many signatures from before an observer came are told with a function's next event
REASONS = 64
TEXT = 400
RESET = "torch._dynamo.reset() has discarded the compiled code"
FREED = "the compiled code is gone: an object it was specialized on was freed"
_OTHER_FUNCTION = re.compile(r"^\S+: ___check_(?:type|obj)_id\(fn(?:\.func)?(?:\.__(?:func|code)__)*,")
_NOT_A_VIEW = re.compile(r"^(\S+): 'NoneType' object has no attribute '\w+'$")
_REGION = 1 << 20  # numbers of code objects are smaller


class Request(NamedTuple):
    """A function that is about to be compiled.

    `number` tells apart what is compiled by itself: code objects, and regions of one code (`isolate_recompiles`).
    `part` tells the parts of a function apart that graph breaks separate. `names` are the globals of the function,
    `parent` the event of its first part where this is a later one of the same call. `begins`: the call under way has
    not been counted yet. `views` are the arguments that are views of other tensors.
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
    region: str | None
    views: frozenset[str]


class _Known:
    """What was compiled of one code object while we watched."""

    def __init__(self) -> None:
        self.served: list[Signature] = []
        self.views: dict[str, frozenset[str]] = {}  # by PyTorch's number for a compilation
        self.event: int | None = None
        self.call: int | None = None
        self.ended = 0.0
        self.has_graph = True


def _is_under_way(root: _Known, runs: FirstRuns, key: str, part: int) -> bool:
    """Is the call that the first part was compiled for the one under way?

    A first part without a graph is not seen to run. Then a later part counts the call, unless it is the one asked for.
    """
    seen = runs.total(key)
    if root.has_graph:
        return root.call == seen
    return root.call == seen + 1 or root.call == seen > runs.of_part(key, part)


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
        self._owners: dict[str, int] = {}  # of wrapped functions, by PyTorch's number for a compilation
        self._divided: set[str] = set()  # functions that are compiled in regions
        self._told: set[int] = set()

    def renew(self) -> None:
        self._told.clear()

    def read(self, arguments: dict[str, Any], caller: types.FrameType, runs: FirstRuns, thread: Any) -> Request:
        """The request behind a call of `_compile`; `runs` tells how often a function was called so far.

        `thread` knows since when this thread has `asked`: it may have waited while another compiled the same.
        """
        code, values = arguments["code"], arguments["locals"]
        names = arguments.get("globals") or {}
        described = describe_function(self._probes, self._places, code, values)
        region = region_of()
        if region >= 0:
            self._divided.add(described.id.key)
        whole = self._codes.number(described.code)
        part = self._codes.number(code) if described.part else whole  # what is wrapped shares a code of PyTorch's
        number = part + _REGION * (region + 1)
        reasons = self._reasons(arguments, described, number)
        root = self._known.get(whole + _REGION * (region + 1))
        counted = root is None or root.has_graph  # a first part without a graph of its own is not seen to run
        same_call = root is not None and _is_under_way(root, runs, described.id.key, part)
        phase: Phase = "retrace" if reasons else "first"
        if described.internal or arguments["export"] or (described.part and (same_call or not reasons)):
            phase = "internal"
        site, stack = self._sites.read(caller, code, described)
        signature, views = self._signatures.read_with_views(
            code if described.part else described.code, described.values
        )
        looked = look(self._torch, reasons, described.values, names)
        if described.part and reasons:
            looked["graph break"] = f"{self._places.shorten(code.co_filename)}:{line_of_break(code)}"
        return Request(
            described=described,
            code=code,
            names=names,
            number=number,
            part=part,
            compile_id=arguments["compile_id"],
            signature=signature,
            site=site,
            stack=stack,
            phase=phase,
            reasons=reasons,
            reads=looked | self._meanwhile(number, thread) | self._no_views(reasons, number, views),
            earlier=self._earlier(number),
            parent=root.event if described.part and same_call and root is not None else None,
            begins=not described.part or not counted,
            region=f"region {region}" if described.id.key in self._divided else None,
            views=views,
        )

    def called(self, request: Request, frame: types.FrameType) -> tuple[Signature, CallSite | None]:
        """What it is called with now, and from where; `frame` is that of the compiled function."""
        code = request.code if request.described.part else request.described.code
        site, _ = self._sites.read(frame.f_back, request.code, request.described)
        return self._signatures.read(code, frame.f_locals), site

    def compiled(self, request: Request, event: TraceEvent, *, has_graph: bool) -> None:
        """It was compiled, and is kept."""
        known = self._known.setdefault(request.number, _Known())
        known.ended = time.perf_counter()
        if request.views and len(known.views) < EARLIER:
            known.views[str(request.compile_id)] = request.views
        known.served = [*known.served, event.served][-EARLIER:]
        if request.described.renamed:
            self._owners[str(request.compile_id)] = request.number
        if not request.described.part:
            known.event, known.call, known.has_graph = event.id, event.call, has_graph
        self._told.add(request.number)

    def _reasons(self, arguments: dict[str, Any], described: Described, number: int) -> tuple[str, ...]:
        """The guards that failed, one for each earlier compilation; or what became of those."""
        found = [_shorten(reason) for reason in failing_guards(self._probes, arguments)]
        if described.renamed:  # what is wrapped shares its cache with all else that is
            found = [_rename(reason, described) for reason in found if self._is_own(reason, number)]
        if found or number not in self._known:
            return tuple(found[:REASONS])
        return (FREED if getattr(arguments["compile_id"], "frame_compile_id", 0) else RESET,)

    def _is_own(self, reason: str, number: int) -> bool:
        owner = self._owners.get(reason.partition(": ")[0], number)
        return owner == number and not _OTHER_FUNCTION.match(reason)

    def _no_views(self, reasons: tuple[str, ...], number: int, views: frozenset[str]) -> dict[str, str]:
        """Where PyTorch's text is an error about None: the arguments that were views, and are none now."""
        known = self._known.get(number)
        failed = [found[1] for reason in reasons if (found := _NOT_A_VIEW.match(reason))]
        were = [path for id_ in failed for path in sorted(known.views.get(id_, ()))] if known is not None else []
        return {f"{path}._base": "None" for path in were if path not in views}

    def _meanwhile(self, number: int, thread: Any) -> dict[str, str]:
        known = self._known.get(number)
        waited = known is not None and known.ended > getattr(thread, "asked", known.ended)
        return {"threads": "another thread compiled it meanwhile"} if waited else {}

    def _earlier(self, number: int) -> tuple[Signature, ...]:
        """Signatures that were compiled before this observer came, told once."""
        known = self._known.get(number)
        return tuple(known.served) if known is not None and number not in self._told else ()


def _shorten(reason: str) -> str:
    """A reason on one line, of bounded length; what is quoted in it stays as it is."""
    text = re.sub(r" {2,}#", "  #", reason.partition("\nUser stack")[0].rstrip())
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def _rename(reason: str, described: Described) -> str:
    for pattern, name in described.renamed:
        reason = re.sub(pattern, name, reason)
    return reason
