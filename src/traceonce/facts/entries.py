"""The lines of a recording: what is written down while a program runs."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from traceonce.facts.cause import Cause, CauseCode
from traceonce.facts.event import CallSite, FunctionId, TraceEvent
from traceonce.facts.fix import Fix
from traceonce.facts.limit import Breach
from traceonce.facts.note import Argument, Note
from traceonce.facts.signature import Shape

SCHEMA = "traceonce.recording/1"


class Header(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="header"):
    """The first line of a process's section. `forked_from` is set where the process inherited its parent's traces."""

    schema: str
    run: str
    process: str
    clock: float
    environment: dict[str, str] = {}
    command: tuple[str, ...] = ()
    cwd: str = ""
    forked_from: str | None = None
    forked_at: float | None = None


class Ran(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="ran"):
    """How long the first (or, with `steady`, the second) execution of a new graph took, and what it added to memory.

    `preparing` are those of its seconds that are known to have gone into preparing the graph, and not into running it.
    """

    event: int
    seconds: float
    steady: bool = False
    bytes: int | None = None
    preparing: float | None = None


class Inputs(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="inputs"):
    """A combination of input shapes that the graph of an event had not run with before."""

    event: int
    shapes: tuple[Shape | None, ...]


class Compiled(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="compiled"):
    """A compiler compiled a graph, for the `ordinal`-th time, in the process named, where that is known."""

    backend: str
    graph: str
    ordinal: int
    seconds: float
    clock: float
    process: str | None = None


class Calls(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="calls"):
    """How often functions were called, by function key; later lines replace earlier ones.

    `at_least`: only the first calls of each trace could be counted without making the others slower.
    """

    counts: dict[str, int]
    at_least: bool = False


class FellBack(msgspec.Struct, frozen=True, omit_defaults=True):
    """From here on the framework runs the function as plain Python: it has been compiled `limit` times.

    `limit` is None where it was not the number of compilations, but something in this call.

    The seconds are those of one call, compiled and now; None where none was timed.
    """

    limit: int | None = None
    call_site: CallSite | None = None
    start: float | None = None
    compiled_seconds: float | None = None
    eager_seconds: float | None = None


class Finding(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="finding"):
    """Something wrong without a trace: a stale or a confused value, or a function that is compiled no more."""

    backend: str
    function: FunctionId
    cause: Cause
    process: str = ""
    fell_back: FellBack | None = None


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="excerpt"):
    """Lines of source as they were when the program ran, from line `start` on: a function, or the lines around a call.

    A report that is made later, or elsewhere, shows these and never a file of that name.
    """

    file: str
    start: int
    lines: tuple[str, ...]

    def holds(self, file: str | None, line: int | None) -> bool:
        return file == self.file and line is not None and self.start <= line < self.start + len(self.lines)


class Repair(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="repair"):
    """What was found for a function by changing it and running it: fixes with their proofs, or what was not proved.

    `notes` are in English, `coded_notes` the same as codes. `dealt_with` are causes of which no more is to be told:
    what is usually done was run, and not proved, or another repair has done it.
    """

    backend: str
    function: FunctionId
    fixes: tuple[Fix, ...] = ()
    notes: tuple[str, ...] = ()
    coded_notes: tuple[Note, ...] = ()
    dealt_with: tuple[CauseCode, ...] = ()


class Notice(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="notice"):
    """Something that the reader must know: what was not watched, an error of our own; with `hook`, the hook in use.

    `text` is in English. `code` and `arguments` are the same for `words.notes`; older recordings have none.
    """

    text: str
    error: bool = False
    hook: bool = False
    code: str | None = None
    arguments: dict[str, Argument] = {}

    def __hash__(self) -> int:
        return hash(self.text)


class End(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="end"):
    """A process came to its own end (it was not killed); `error` is the exception that nobody caught, if any.

    `libraries` has the versions of the installed packages whose functions were traced, by the name that is imported.
    """

    seconds: float
    error: str | None = None
    libraries: dict[str, str] = {}


class Exit(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="exit"):
    """The run is over: its exit status (negative for a signal), its wall time, and when it began (a Unix time)."""

    code: int
    seconds: float
    began: float | None = None


Entry: TypeAlias = (
    Header | TraceEvent | Ran | Inputs | Compiled | Calls | Finding | Breach | Excerpt | Repair | Notice | End | Exit
)

decode_line = msgspec.json.Decoder(Entry).decode
_encode = msgspec.json.Encoder().encode


def encode_line(entry: Entry) -> bytes:
    """One line of a recording."""
    return encode_plain(entry)


def encode_plain(thing: Any) -> bytes:
    """As JSON. A file name that is no text (lone surrogates) is written as near as can be."""
    try:
        return _encode(thing)
    except UnicodeEncodeError:
        return _encode(_clean(msgspec.to_builtins(thing)))


def _clean(thing: Any) -> Any:
    if isinstance(thing, str):
        return thing.encode(errors="replace").decode()
    if isinstance(thing, dict):
        return {_clean(key): _clean(value) for key, value in thing.items()}
    return [_clean(item) for item in thing] if isinstance(thing, (list, tuple)) else thing
