"""A rehearsal of a PyTorch program: all hooks in place, and everything that they saw."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from traceonce.backends.places import Places
from traceonce.backends.rehearsing.locating import Locator
from traceonce.backends.rehearsing.probing import Kept
from traceonce.backends.rehearsing.replay import Replay
from traceonce.backends.rehearsing.seeding import PlainSeeds
from traceonce.backends.rehearsing.values import Values
from traceonce.backends.torch.rehearsing.arrays import TorchArrays
from traceonce.backends.torch.rehearsing.compiling import Compilations
from traceonce.backends.torch.rehearsing.modules import Modules
from traceonce.backends.torch.rehearsing.seeding import TorchSeeds
from traceonce.backends.torch.rehearsing.subjects import Subjects
from traceonce.backends.torch.rehearsing.values import TorchValues
from traceonce.backends.torch.rehearsing.wrappings import Wrappings
from traceonce.facts.rehearsal import Probed, RehearsalSettings, Value


class TorchReplay(Replay):
    """Starts when it is made, in the thread whose time counts. The compiler itself is loaded by its first use."""

    def __init__(self, torch: Any, settings: RehearsalSettings, enough: Callable[[], None]) -> None:
        files = Places((torch.__file__,))
        super().__init__(
            settings,
            enough,
            locator=Locator(files),
            kept=Kept(settings.probe, (torch.Tensor,)),
            values=lambda: TorchValues(torch),
            arrays=TorchArrays(torch),
            users=lambda subject: subject.function,
            bind=lambda subject, args, kwargs: subject.bind(args, kwargs),
            is_plain=lambda: not self.is_tracing(),
        )
        here, problems = self._here, self._problems
        self._torch = torch
        self._modules = Modules(torch, problems)
        self._compilations = Compilations(here)
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
