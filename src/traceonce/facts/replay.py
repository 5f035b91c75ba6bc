"""What a program did when it was run to be compared with another run of it: calls, results, variables, places.

A *replay* is a run in a process of its own, with fixed seeds, in which the results of the user's functions are kept.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.event import FunctionId

Cut: TypeAlias = Literal["calls", "timeout"]


class ReplaySettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a program is to be run.

    `calls`: it ends after so many outermost calls of the user's functions. `eager`: functions run as plain Python,
    which is what a stale value is judged by. `deterministic`: the framework orders its operations. `probe`: functions
    to be called beyond the run, by their `stable_name`.
    """

    calls: int | None = None
    eager: bool = False
    deterministic: bool = True
    probe: tuple[str, ...] = ()


def stable_name(function: FunctionId) -> str:
    """What a function is called before a repair and after: moving it out of another one changes its qualified name,
    and every edit the lines below it."""
    return f"{function.file or ''}:{function.name.rpartition('<locals>.')[2]}"


class Span(msgspec.Struct, frozen=True):
    """The exact place of an expression. Lines count from 1, columns are bytes of UTF-8 from 0, as in Python."""

    line: int
    column: int
    end_line: int
    end_column: int


class Making(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place at which a function was wrapped (by a decorator, or in a call), and how often that happened.

    `span` is that of the decorator's expression or of the call; None on Python 3.10, which does not tell, and where the
    line of a decorator is that of its ``def``. `scope` is the qualified name of the code around it, ``<module>`` at the
    top; on 3.10 only the last part of it.
    """

    function: FunctionId
    file: str
    line: int
    scope: str
    span: Span | None = None
    count: int = 1


class Site(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place from which a function was called by the user's own code, and what kinds of arguments it gave.

    `arguments` has, for each path (``k``, ``batch['lr']``), the kinds seen there: the name of a Python type (``int``,
    ``str``, ``NoneType``, ``function``, ``method``, ``partial``), ``tensor float32`` (NumPy's arrays and numbers, too),
    ``variable float32`` or ``object Config``. `direct` says that the span is a call of the function itself; else it is
    called through something (``map(f, …)``, a library).
    """

    function: FunctionId
    file: str
    line: int
    span: Span | None = None
    count: int = 1
    direct: bool = True
    arguments: dict[str, tuple[str, ...]] = {}


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """One leaf of a result. A large array has a `summary` instead of `data`: sum, sum of squares, min, max.

    kind: *array* (tensors, variables, NumPy), *python* (its `text` is its repr), *opaque* (only the type is known).
    `data` are the elements in C order. Strings (dtype *string*) have a `text` instead.
    """

    kind: Literal["array", "python", "opaque"]
    type_name: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    data: bytes | None = None
    summary: tuple[float, ...] = ()
    text: str = ""


class Returned(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one eager call of a user's function gave: its leaves and how they nest, or the type of its error."""

    function: FunctionId
    values: tuple[Value, ...] = ()
    structure: str = ""
    error: str | None = None
    message: str = ""
    seconds: float = 0.0
    traces: int = 0


class Probed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that the program did not make: its last one with one thing changed, and what came of it.

    `path` is what was changed (``k``, ``x.shape[0]``), `change` says how (``k = 0``, ``x.shape[0]: 16 → 17``).
    """

    function: FunctionId
    path: str
    change: str
    returned: Returned


class ReplayResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run, all of it. `cut` says what ended it early; `variables` are those alive at the end, oldest first.

    `seconds` are those from the import of the framework to the end of the program, without what we did in between.
    `drawn` says that functions of the program drew random numbers that would start anew at every trace; here they came
    from one stream.
    """

    returned: tuple[Returned, ...] = ()
    variables: tuple[Value, ...] = ()
    makings: tuple[Making, ...] = ()
    sites: tuple[Site, ...] = ()
    cut: Cut | None = None
    seconds: float = 0.0
    drawn: bool = False
    problems: tuple[str, ...] = ()
