"""A replay of a TensorFlow program: all hooks in place, and everything that they saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from traceonce.facts.replay import ReplayResult, ReplaySettings, Value
from traceonce.frameworks.base.replay.argument_leaves import bind
from traceonce.frameworks.base.replay.beyond_the_run import KeptCalls
from traceonce.frameworks.base.replay.replay import Replay
from traceonce.frameworks.base.replay.source_places import Locator
from traceonce.frameworks.base.replay.values import Values
from traceonce.frameworks.tensorflow.functions import unwrap
from traceonce.frameworks.tensorflow.own_files import tensorflow_places
from traceonce.frameworks.tensorflow.probes import Probes, ReplayPlaces
from traceonce.frameworks.tensorflow.replay.arrays import TensorFlowArrays
from traceonce.frameworks.tensorflow.replay.autograph_map import mapped_place
from traceonce.frameworks.tensorflow.replay.calls import CallHook
from traceonce.frameworks.tensorflow.replay.function_names import Identifier
from traceonce.frameworks.tensorflow.replay.makings import MakingHook
from traceonce.frameworks.tensorflow.replay.random_draws import Draws
from traceonce.frameworks.tensorflow.replay.seeds import Seeds
from traceonce.frameworks.tensorflow.replay.trace_state import Traces
from traceonce.frameworks.tensorflow.replay.values import TensorFlowValues
from traceonce.frameworks.tensorflow.replay.variables import Variables


class TensorFlowReplay(Replay):
    """Starts when it is made, in the thread whose time counts."""

    def __init__(
        self,
        tensorflow: Any,
        probes: Probes,
        places: ReplayPlaces,
        settings: ReplaySettings,
        enough: Callable[[], None],
    ) -> None:
        files = tensorflow_places(tensorflow)
        identifier = Identifier(files)
        tensors = (tensorflow.Tensor, tensorflow.RaggedTensor, tensorflow.SparseTensor)
        super().__init__(
            settings,
            enough,
            locator=Locator(files, lambda: mapped_place(files, probes.tf_stack)),
            kept=KeptCalls(settings.probe, tensors, lambda owner: unwrap(owner.python_function)[1]),
            values=lambda: TensorFlowValues(tensorflow, as_traced=settings.eager),
            arrays=TensorFlowArrays(tensorflow),
            users=identifier.users,
            bind=lambda owner, args, kwargs: bind(owner.function_type, args, kwargs),
            is_plain=probes.context.executing_eagerly,
        )
        self._tf = tensorflow
        self._probes = probes
        self._private = places
        self._identifier = identifier
        self._draws = Draws(tensorflow, places, self._here, self._problems)
        self._variables = Variables(places, self._problems, self._draws.is_ours)
        self._seeds = Seeds(tensorflow, probes.context, deterministic=settings.deterministic)
        self.start()

    def stop(self) -> None:
        super().stop()
        self._seeds.stop()

    def result(self) -> ReplayResult:
        return msgspec.structs.replace(super().result(), drawn=self._draws.used)

    def _place(self) -> None:
        here, problems, places = self._here, self._problems, self._private
        function_class = self._probes.polymorphic_function.Function
        Traces(here, problems, self._draws.look_at).place(self._hooks, places.func_graph, places.own_random)
        self._seeds.place(self._hooks, places.stateful_random_ops)
        self._draws.place(self._hooks)
        self._variables.place(self._hooks)
        MakingHook(here, problems, self._identifier, self._makings).place(self._hooks, function_class)
        CallHook(here, self._calls).place(self._hooks, function_class)

    def _run_eagerly(self, eagerly: bool) -> None:
        self._tf.config.run_functions_eagerly(eagerly)

    def _state(self, values: Values) -> tuple[Value, ...]:
        return self._variables.read(values)

    def _savings(self) -> Sequence[Callable[[], Callable[[], None]]]:
        return self._variables.save, self._draws.save, self._seeds.save
