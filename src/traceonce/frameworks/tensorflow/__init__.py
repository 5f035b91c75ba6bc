"""TensorFlow: `tf.function`, from 2.12 on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from traceonce.errors import BackendUnavailable, TracingLimitReached
from traceonce.facts import Breach
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.backend import CompilationReader, RunningReplay, Sink, Watching, imported
from traceonce.frameworks.tensorflow.descriptor import FRAMEWORK


class TensorFlow:
    """The backend for TensorFlow; its modules touch the framework inside functions only."""

    framework = FRAMEWORK

    def request_compilations(self, environment: dict[str, str]) -> CompilationReader:
        from traceonce.frameworks.tensorflow.xla_log import CompilationLog

        return CompilationLog(environment)

    def watch(self, sink: Sink, *, compilations: bool = False) -> Watching:
        tensorflow = imported("tensorflow", "watch")
        from traceonce.frameworks.tensorflow.probes import Moved, probe

        try:
            probes = probe(tensorflow)
        except Moved as moved:
            return _fall_back(tensorflow, sink, str(moved))
        from traceonce.frameworks.tensorflow.watcher import CompilerWatcher, TensorFlowWatcher

        watcher = TensorFlowWatcher if probes.compilers is None else CompilerWatcher
        return watcher(tensorflow, probes, sink, compilations=compilations)

    def replay(self, settings: ReplaySettings, enough: Callable[[], None]) -> RunningReplay:
        tensorflow = imported("tensorflow", "replay")
        from traceonce.frameworks.tensorflow.probes import Moved, probe, probe_for_replay

        try:
            probes = probe(tensorflow)
            places = probe_for_replay(tensorflow, probes)
        except Moved as moved:
            raise BackendUnavailable(f"{moved}: its results cannot be kept") from moved
        from traceonce.frameworks.tensorflow.replay.replay import TensorFlowReplay

        return TensorFlowReplay(tensorflow, probes, places, settings, enough)

    def limit_reached(self, message: str, breach: Breach) -> TracingLimitReached:
        from traceonce.frameworks.tensorflow.limit_error import limit_reached

        return limit_reached(message, breach)

    def check(self) -> None:
        for name, quiet in (("TF_CPP_MIN_LOG_LEVEL", "2"), ("TF_ENABLE_ONEDNN_OPTS", "0")):
            os.environ.setdefault(name, quiet)  # no program of the user's runs here: only errors are news
        import tensorflow as tf

        toy = tf.function(lambda x: x + 1)
        toy(tf.constant(1.0))
        toy(tf.constant([1.0]))


def _fall_back(tensorflow: Any, sink: Sink, why: str) -> Watching:
    from traceonce.frameworks.tensorflow.callbacks import CallbackWatching

    try:
        from tensorflow.python.eager.polymorphic_function.transform import CONCRETE_FUNCTION_CALLBACKS
    except ImportError as error:
        raise BackendUnavailable(f"{why}, and it has no list of callbacks either: traces cannot be watched") from error
    return CallbackWatching(tensorflow, CONCRETE_FUNCTION_CALLBACKS, sink, why)
