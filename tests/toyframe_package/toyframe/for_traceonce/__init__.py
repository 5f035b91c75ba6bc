"""What traceonce needs to know of toyframe. Nothing here imports toyframe itself before a program has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from traceonce.causes.dialect import Dialect
from traceonce.causes.example import Example
from traceonce.facts import Cause, CauseCode, Diagnosis
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.backend import Backend, RunningReplay, Sink, Watching
from traceonce.frameworks.base.descriptor import Framework, Package, Source
from traceonce.words.translated import Text

if TYPE_CHECKING:
    from traceonce.fix.kit import Kit

_TOYS_OF_ALL_SIZES = """\
import numpy as np
import toyframe

@toyframe.traced
def play(x):
    return x * 2

for size in (1, 2, 3):
    play(np.zeros(size))
"""


def _record(cause: Cause, diagnosis: Diagnosis) -> str | None:
    return "a-size-too-many" if cause.code is CauseCode.SHAPE else None


def _kit() -> Kit:
    from toyframe.for_traceonce import any_size
    from traceonce.fix.kit import Kit
    from traceonce.fix.recipes import leave_it, library_report

    return Kit(recipes=(any_size.RECIPE,), advice=(leave_it.RECIPE, library_report.RECIPE), replayed=False)


class Toyframe(Backend):
    """The entry point."""

    framework = Framework(
        name="toyframe",
        title="Toyframe",
        module="toyframe",
        distributions=("toyframe",),
        dialect=Dialect(
            what={"shape.each": Text("has another size, and toys are choosy", "大小不同，玩具很挑剔")},
            remedy={"shape": Text('let toys take any size: sizes="any"', '让玩具接受任意大小：sizes="any"')},
            trace=Text("toy tracing", "玩具追踪"),
            retraced=Text("retoyed", "重新玩"),
        ),
        source=Source(
            wrapper="toyframe.traced",
            wraps=frozenset({"toyframe.traced"}),
            given_as="function",
            packages={"toyframe": Package(frozenset({"toyframe"}), ("toyframe", "_toyframe"))},
        ),
        kit=_kit,
        notes=("toyframe.for_traceonce.notes",),
        record=_record,
        examples={CauseCode.SHAPE: Example(_TOYS_OF_ALL_SIZES, "x.shape[0]", "a-size-too-many")},
        records=str(Path(__file__).parent / "base"),
        made_by=lambda _: "toyframe.traced",
        mentions=r"(?i)\btoyframe\b",
        ours=r"\btoyframe\.traced at ",
    )

    def watch(self, sink: Sink, *, compilations: bool = False) -> Watching:
        from toyframe.for_traceonce.watch import ToyWatcher

        return ToyWatcher(sink)

    def replay(self, settings: ReplaySettings, enough: Callable[[], None]) -> RunningReplay:
        from toyframe.for_traceonce.replay import ToyReplay

        return ToyReplay(settings, enough)

    def check(self) -> None:
        import numpy as np

        import toyframe

        toy = toyframe.traced(lambda x: x)
        toy(np.zeros(1))
        toy(np.zeros(2))
