"""What a framework calls otherwise than all others do: part of its home, and all of it may be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traceonce.facts import Reason
from traceonce.words.translated import Text

TRACE = Text("trace", "追踪")
RETRACED = Text("retraced", "重新追踪")
COMPILED = Text("compiled", "编译了")


@dataclass(frozen=True)
class Dialect:
    """The words of one framework.

    `what` happened and which `remedy` helps are looked up by the code of a cause (``new_function``), or by the code and
    one of its cases (``new_function.in_library``). `reasons` are those of verdicts. `trace` is what one trace is called
    there (in English, an s makes it several), `retraced` what has happened to a function that was traced again. `page`
    has what the HTML report words otherwise, by the key of its words. `compiled` is what has happened to a function
    that was compiled again without a trace. `compiler` is what compiles under a trace, where that has a name of its
    own, and `watched_with` the option of ``traceonce run`` without which that is not watched.
    """

    what: Mapping[str, Text] = field(default_factory=dict)
    remedy: Mapping[str, Text] = field(default_factory=dict)
    reasons: Mapping[Reason, Text] = field(default_factory=dict)
    trace: Text = TRACE
    retraced: Text = RETRACED
    compiled: Text = COMPILED
    compiler: str = ""
    watched_with: str = ""
    page: Mapping[str, Text] = field(default_factory=dict)
