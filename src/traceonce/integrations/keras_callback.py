"""`traceonce.keras.TraceMonitor`: the traces of each epoch of `model.fit`, and a limit on them.

This module is loaded when somebody asks for the callback: its base class is that of the Keras at hand.
"""

from __future__ import annotations

import importlib
import sys
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from traceonce.errors import TracingLimitWarning
from traceonce.facts import Breach, Limit, TraceEvent
from traceonce.integrations.fit_in_progress import Fitting, find_fit
from traceonce.integrations.live_observer import Telling
from traceonce.limits.active_limit import ActiveLimit
from traceonce.limits.message import describe_breach, place_to_warn_at
from traceonce.limits.program_limits import whole_number
from traceonce.observe.hub import hub

OnLimit: TypeAlias = Literal["warn", "stop", "raise"] | Callable[[Breach], object]
MODES = ("warn", "stop", "raise")


def _callback_class() -> Any:
    """TensorFlow's own Keras where TensorFlow is imported (it may be Keras 2), else the `keras` that is installed."""
    try:
        tensorflow: Any = sys.modules.get("tensorflow")
        keras = tensorflow.keras if tensorflow is not None else importlib.import_module("keras")
        return keras.callbacks.Callback
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"traceonce.keras.TraceMonitor is a Keras callback, and Keras cannot be imported here ({error}). "
            "Install it with TensorFlow (pip install 'traceonce[tensorflow]', or the TensorFlow build for your "
            "GPU), or alone (pip install keras)."
        ) from error


@dataclass
class Tally:
    """How much was traced."""

    traces: int = 0
    retraces: int = 0
    seconds: float = 0.0

    def since(self, earlier: Tally) -> Tally:
        seconds = round(self.seconds - earlier.seconds, 6)
        return Tally(self.traces - earlier.traces, self.retraces - earlier.retraces, seconds)

    def copy(self) -> Tally:
        return Tally(self.traces, self.retraces, self.seconds)


class Counting(Telling):
    """Adds every trace of one `fit` to a tally."""

    purpose = "the TraceMonitor"

    def __init__(self, tally: Tally, fitting: Fitting) -> None:
        super().__init__()
        self._tally = tally
        self._fitting = fitting

    def take(self, event: TraceEvent) -> None:
        if not self._fitting.is_under_way():
            return
        with self._lock:
            phase = self.explain(event).event.phase
            self._tally.traces += phase in ("first", "retrace")
            self._tally.retraces += phase == "retrace"
            self._tally.seconds += event.exclusive_seconds or 0.0


class _Stop:
    """Ends training at the first breach, and says so."""

    def __init__(self, model: Any) -> None:
        self._model = weakref.ref(model) if model is not None else None
        self._said = False

    def __call__(self, breach: Breach) -> None:
        model = self._model() if self._model is not None else None
        if model is not None:
            model.stop_training = True
        if not self._said:
            self._said = True
            message = f"{describe_breach(breach)}\n  training   stops after this step, as on_limit='stop' asks for"
            warnings.warn_explicit(message, TracingLimitWarning, *place_to_warn_at(breach))


class TraceMonitor(_callback_class()):  # type: ignore[misc]  # which class it is, is known at run time only
    """A Keras callback that reports the traces of each epoch and enforces a limit.

    >>> model.fit(data, epochs=3, callbacks=[traceonce.keras.TraceMonitor(limit=5)])

    Adds `traces`, `retraces` and `tracing_seconds` (nested traces count once) to the logs of each epoch, for the
    History, the progress bar, `CSVLogger` and `TensorBoard`; put the monitor before callbacks that read the logs. Its
    own `traces`, `retraces` and `tracing_seconds` add up over all epochs and fits.

    `limit` is the number of retraces that a function may have during one fit. `on_limit` decides about the next one:
    ``"warn"`` (a `TracingLimitWarning`, once per function and cause), ``"stop"`` (training stops after the current
    step, with one warning), ``"raise"`` (`TracingLimitReached`), or a function that is called with the `Breach` each
    time.

    Batches cost nothing extra: the monitor has no per-batch method.
    """

    def __init__(self, limit: int | None = None, on_limit: OnLimit = "warn") -> None:
        super().__init__()
        self.limit = whole_number(limit, "limit") if limit is not None else None
        self.on_limit = _checked_mode(on_limit)
        self._tally = Tally()
        self._told = Tally()
        self._leave: Callable[[], object] | None = None

    @property
    def traces(self) -> int:
        return self._tally.traces

    @property
    def retraces(self) -> int:
        return self._tally.retraces

    @property
    def tracing_seconds(self) -> float:
        return round(self._tally.seconds, 6)

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._stop_watching()  # a fit that was left by an error has not said so
        self._told = self._tally.copy()
        callbacks, fitting = find_fit(self)
        counting = Counting(self._tally, fitting)
        guard = self._guard(fitting)
        # The hub must not hold us: when the list of callbacks goes, nobody is left who could call `on_train_end`.
        leave = weakref.finalize(callbacks, _leave, counting, guard)
        leave.atexit = False
        self._leave = leave
        hub.join(counting)
        if guard is not None:
            guard.start()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        now = self._tally.copy()
        new, self._told = now.since(self._told), now
        if logs is not None:
            logs.update(traces=new.traces, retraces=new.retraces, tracing_seconds=new.seconds)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._stop_watching()

    def _guard(self, fitting: Fitting) -> ActiveLimit | None:
        if self.limit is None:
            return None
        on_limit = _Stop(self.model) if self.on_limit == "stop" else self.on_limit
        return ActiveLimit(Limit(self.limit), on_limit, lambda function: fitting.is_under_way(), hub)

    def _stop_watching(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


def _leave(counting: Counting, guard: ActiveLimit | None) -> None:
    if guard is not None:
        guard.stop()
    hub.leave(counting)


def _checked_mode(on_limit: OnLimit) -> OnLimit:
    if not callable(on_limit) and on_limit not in MODES:
        modes = "'warn', 'stop', 'raise' or a function that takes a Breach"
        raise ValueError(f"on_limit must be {modes}, not {on_limit!r}")
    return on_limit
