"""A rehearsal of a TensorFlow program: all hooks in place, and everything that they saw."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.backends.hooks import Hooks
from traceonce.backends.places import Places
from traceonce.backends.rehearsing.arguments import bind
from traceonce.backends.rehearsing.calls import Calls
from traceonce.backends.rehearsing.here import Here, Problems
from traceonce.backends.rehearsing.locating import Locator
from traceonce.backends.rehearsing.makings import Makings
from traceonce.backends.rehearsing.probing import Kept, Probing
from traceonce.backends.rehearsing.sites import Sites
from traceonce.backends.tensorflow.functions import unwrap
from traceonce.backends.tensorflow.probes import Probes, RehearsalPlaces
from traceonce.backends.tensorflow.rehearsing.arrays import TensorFlowArrays
from traceonce.backends.tensorflow.rehearsing.calls import CallHook
from traceonce.backends.tensorflow.rehearsing.drawing import Draws
from traceonce.backends.tensorflow.rehearsing.identifying import Identifier
from traceonce.backends.tensorflow.rehearsing.makings import MakingHook
from traceonce.backends.tensorflow.rehearsing.mapping import mapped_place
from traceonce.backends.tensorflow.rehearsing.seeding import Seeds
from traceonce.backends.tensorflow.rehearsing.tracing import Traces
from traceonce.backends.tensorflow.rehearsing.values import TensorFlowValues
from traceonce.backends.tensorflow.rehearsing.variables import Variables
from traceonce.facts.rehearsal import Probed, Rehearsal, RehearsalSettings, Value


class TensorFlowRehearsing:
    """Starts when it is made, in the thread whose time counts."""

    def __init__(
        self,
        tensorflow: Any,
        probes: Probes,
        places: RehearsalPlaces,
        settings: RehearsalSettings,
        enough: Callable[[], None],
    ) -> None:
        self._tf = tensorflow
        self._thread = threading.get_ident()
        self._here = here = Here({})
        self._problems = problems = Problems()
        files = Places((tensorflow.__file__,))
        identifier = Identifier(files)
        locator = Locator(files, lambda: mapped_place(files, probes.tf_stack))
        self._eager = settings.eager
        self._values = TensorFlowValues(tensorflow, as_traced=settings.eager)
        tensors = (tensorflow.Tensor, tensorflow.RaggedTensor, tensorflow.SparseTensor)
        self._kept = Kept(settings.probe, tensors, lambda owner: unwrap(owner.python_function)[1])
        self._sites = Sites(locator, self._kind_of)
        self._makings = Makings(locator)
        self._draws = Draws(tensorflow, places, here, problems)
        self._variables = Variables(places, problems, self._draws.is_ours)
        self._calls = Calls(
            here,
            problems,
            self._values,
            self._sites,
            self._kept,
            users=identifier.users,
            bind=lambda owner, args, kwargs: bind(owner.function_type, args, kwargs),
            is_plain=probes.context.executing_eagerly,
            most=settings.calls,
            enough=enough,
        )
        self._hooks = Hooks()
        self._seeds = Seeds(tensorflow, probes.context, deterministic=settings.deterministic)
        try:
            function_class = probes.polymorphic_function.Function
            Traces(here, problems, self._draws.look_at).place(self._hooks, places.func_graph, places.own_random)
            self._seeds.place(self._hooks, places.stateful_random_ops)
            self._draws.place(self._hooks)
            self._variables.place(self._hooks)
            MakingHook(here, problems, identifier, self._makings).place(self._hooks, function_class)
            CallHook(here, self._calls).place(self._hooks, function_class)
            if settings.eager:
                tensorflow.config.run_functions_eagerly(True)
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
            variables = self._variables.read(TensorFlowValues(self._tf))
        return Rehearsal(
            returned=self._calls.all(),
            variables=variables,
            makings=self._makings.all(),
            sites=self._sites.all(),
            seconds=round(seconds, 6),
            drawn=self._draws.used,
            problems=self._problems.texts,
        )

    def probe(self) -> Iterator[Probed]:
        savings = (self._variables.save, self._draws.save, self._seeds.save)
        values = TensorFlowValues(self._tf, as_traced=self._eager)
        return Probing(TensorFlowArrays(self._tf), self._kept, self._here, self._problems, values, savings).run()

    def _kind_of(self, thing: Any) -> str | None:
        if isinstance(thing, self._tf.Variable):
            return f"variable {thing.dtype.name}"
        return f"tensor {thing.dtype.name}" if isinstance(thing, self._tf.Tensor) else None

    def stop(self) -> None:
        self._hooks.close()
        self._seeds.stop()
        if self._eager:
            self._tf.config.run_functions_eagerly(False)
