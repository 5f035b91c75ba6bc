"""A rehearsal of a PyTorch program: all hooks in place, and everything that they saw."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.backends.hooks import Hooks
from traceonce.backends.places import Places
from traceonce.backends.rehearsing.calls import Calls
from traceonce.backends.rehearsing.here import Here, Problems
from traceonce.backends.rehearsing.locating import Locator
from traceonce.backends.rehearsing.makings import Makings
from traceonce.backends.rehearsing.probing import Kept, Probing
from traceonce.backends.rehearsing.seeding import PlainSeeds
from traceonce.backends.rehearsing.sites import Sites
from traceonce.backends.torch.rehearsing.arrays import TorchArrays
from traceonce.backends.torch.rehearsing.compiling import Compilations
from traceonce.backends.torch.rehearsing.modules import Modules
from traceonce.backends.torch.rehearsing.seeding import TorchSeeds
from traceonce.backends.torch.rehearsing.subjects import Subjects
from traceonce.backends.torch.rehearsing.values import TorchValues
from traceonce.backends.torch.rehearsing.wrappings import Wrappings
from traceonce.facts.rehearsal import Probed, Rehearsal, RehearsalSettings, Value


class TorchRehearsing:
    """Starts when it is made, in the thread whose time counts. The compiler itself is loaded by its first use."""

    def __init__(self, torch: Any, settings: RehearsalSettings, enough: Callable[[], None]) -> None:
        self._torch = torch
        self._thread = threading.get_ident()
        self._here = here = Here({})
        self._problems = problems = Problems()
        self._eager = settings.eager
        files = Places((torch.__file__,))
        locator = Locator(files)
        self._arrays = TorchArrays(torch)
        self._kept = Kept(settings.probe, (torch.Tensor,))
        self._sites = Sites(locator, self._arrays.kind_of)
        self._makings = Makings(locator)
        self._modules = Modules(torch, problems)
        self._calls = Calls(
            here,
            problems,
            TorchValues(torch),
            self._sites,
            self._kept,
            users=lambda subject: subject.function,
            bind=lambda subject, args, kwargs: subject.bind(args, kwargs),
            is_plain=lambda: not here.graphs,
            most=settings.calls,
            enough=enough,
        )
        self._compilations = Compilations(here)
        self._hooks = Hooks()
        self._plain_seeds = PlainSeeds()
        self._seeds = TorchSeeds(torch, deterministic=settings.deterministic)
        subjects = Subjects(torch, files)
        self._wrappings = Wrappings(torch, here, problems, subjects, self._makings, self._calls, self._loaded)
        try:
            self._modules.place(self._hooks)
            self._wrappings.place(self._hooks)
            if settings.eager:
                torch.compiler.set_stance("force_eager")
        except BaseException:
            self.stop()
            raise
        self._began = time.perf_counter()

    def is_tracing(self) -> bool:
        return self._here.graphs > 0

    def result(self) -> Rehearsal:
        seconds = time.perf_counter() - self._began - self._here.aside_in(self._thread)
        variables: tuple[Value, ...] = ()
        with self._problems.kept():
            variables = self._modules.read(TorchValues(self._torch))
        return Rehearsal(
            returned=self._calls.all(),
            variables=variables,
            makings=self._makings.all(),
            sites=self._sites.all(),
            seconds=round(seconds, 6),
            problems=self._problems.texts,
        )

    def probe(self) -> Iterator[Probed]:
        self._seeds.compile_alone()
        savings = (self._modules.save, self._seeds.save, self._plain_seeds.save)
        values = TorchValues(self._torch)
        return Probing(self._arrays, self._kept, self._here, self._problems, values, savings).run()

    def stop(self) -> None:
        self._hooks.close()
        self._modules.stop()
        self._seeds.stop()
        self._plain_seeds.stop()
        if self._eager:
            self._torch.compiler.set_stance("default")

    def _loaded(self) -> None:
        """`torch.compile` was applied for the first time, or again: the compiler is there now."""
        self._seeds.place()
        self._compilations.place(self._hooks, sys.modules["torch._dynamo.convert_frame"])
        self._wrappings.place_on_modules(self._hooks, sys.modules["torch._dynamo.eval_frame"].OptimizedModule)
