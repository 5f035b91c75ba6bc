"""A replay of a PyTorch program: all hooks in place, and everything that they saw."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from traceonce.facts.replay import Probed, ReplaySettings, Value
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.base.replay.beyond_the_run import KeptCalls
from traceonce.frameworks.base.replay.replay import Replay
from traceonce.frameworks.base.replay.seeds import PlainSeeds
from traceonce.frameworks.base.replay.source_places import Locator
from traceonce.frameworks.base.replay.values import Values
from traceonce.frameworks.torch.replay.arrays import TorchArrays
from traceonce.frameworks.torch.replay.compile_state import CompileState
from traceonce.frameworks.torch.replay.module_state import Modules
from traceonce.frameworks.torch.replay.seeds import TorchSeeds
from traceonce.frameworks.torch.replay.subjects import Subjects
from traceonce.frameworks.torch.replay.values import TorchValues
from traceonce.frameworks.torch.replay.wrappings import Wrappings


class TorchReplay(Replay):
    """Starts when it is made, in the thread whose time counts. The compiler itself is loaded by its first use."""

    def __init__(self, torch: Any, settings: ReplaySettings, enough: Callable[[], None]) -> None:
        files = Places((torch.__file__,))
        super().__init__(
            settings,
            enough,
            locator=Locator(files),
            kept=KeptCalls(settings.probe, (torch.Tensor,)),
            values=lambda: TorchValues(torch),
            arrays=TorchArrays(torch),
            users=lambda subject: subject.function,
            bind=lambda subject, args, kwargs: subject.bind(args, kwargs),
            is_plain=lambda: not self.is_tracing(),
        )
        here, problems = self._here, self._problems
        self._torch = torch
        self._modules = Modules(torch, problems)
        self._compilations = CompileState(here)
        self._plain_seeds = PlainSeeds()
        self._seeds = TorchSeeds(torch, deterministic=settings.deterministic)
        subjects = Subjects(torch, files)
        self._wrappings = Wrappings(torch, here, problems, subjects, self._makings, self._calls, self._loaded)
        self.start()

    def probe(self) -> Iterator[Probed]:
        self._seeds.compile_alone()
        return super().probe()

    def stop(self) -> None:
        super().stop()
        self._modules.stop()
        self._seeds.stop()
        self._plain_seeds.stop()

    def _place(self) -> None:
        self._modules.place(self._hooks)
        self._wrappings.place(self._hooks)

    def _run_eagerly(self, eagerly: bool) -> None:
        self._torch.compiler.set_stance("force_eager" if eagerly else "default")

    def _state(self, values: Values) -> tuple[Value, ...]:
        return self._modules.read(values)

    def _savings(self) -> Sequence[Callable[[], Callable[[], None]]]:
        return self._modules.save, self._seeds.save, self._plain_seeds.save

    def _loaded(self) -> None:
        """`torch.compile` was applied for the first time, or again: the compiler is there now."""
        self._seeds.place()
        self._compilations.place(self._hooks, sys.modules["torch._dynamo.convert_frame"])
        self._wrappings.place_on_modules(self._hooks, sys.modules["torch._dynamo.eval_frame"].OptimizedModule)
