"""How often a function was called, at no cost to the call.

On every eager call TensorFlow itself counts, per code object, in the detector behind its retracing warning. The counter
forgets old history, but only on a call that traced. So while we watch, detectors are of a class that remembers what it
drops; the path of a hit is inherited untouched.

Python takes code of the same text at the same line of two files for equal, and so TensorFlow counts its calls together.
So a function whose code is equal to that of another file gets a code object of its own to be counted by: at its first
trace, which comes before its first call is counted.
"""

from __future__ import annotations

import contextlib
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.facts import Calls
from traceonce.frameworks.base.after_fork import after_fork


class CallCounts:
    """The calls per function since watching began."""

    def __init__(self, polymorphic_function: Any) -> None:
        self._module = polymorphic_function
        self._manager = polymorphic_function._frequent_tracing_detector_manager
        self._plain = polymorphic_function._FrequentTracingDetector
        self._remembering = _remembering(self._plain)
        self._noted: dict[str, dict[int, Any]] = {}  # held, since what a `partial` is counted by goes with it
        self._files: weakref.WeakKeyDictionary[types.CodeType, str] = weakref.WeakKeyDictionary()
        self._apart: dict[types.CodeType, types.CodeType] = {}
        _tell_hits()
        with self._locked():
            self._swap(self._plain, self._remembering)
            polymorphic_function._FrequentTracingDetector = self._remembering
            self._begin()
        after_fork(self._begin)  # a forked process counts its own calls, not its parent's

    def _begin(self) -> None:
        """Count from here."""
        self._noted.clear()
        for detector in list(self._manager._detectors.values()):
            if isinstance(detector, self._remembering):
                detector.dropped = -detector._call_count

    def total(self, owner: Any) -> int:
        """The counted calls of a `Function` (and of all others over the same code)."""
        _tell_hits()
        try:
            detector = self._detector(owner._key_for_call_stats)
        except TypeError:  # a key that cannot be weakly referenced was never counted
            return 0
        return self._count(detector) if detector is not None else 0

    def number(self, key: str) -> int:
        """The calls so far of the function `key`, over all that was noted for it."""
        _tell_hits()
        return sum(map(self._count, self._noted.get(key, {}).values()))

    def note(self, key: str, owner: Any) -> None:
        """Remember that calls of this `Function` are calls of the function `key`."""
        code = self._tell_files_apart(owner)
        with contextlib.suppress(TypeError):  # a key that cannot be weakly referenced is never counted
            detector = self._detector(code) or self._begin_to_count(code)
            self._noted.setdefault(key, {})[id(detector)] = detector

    def _begin_to_count(self, code: Any) -> Any:
        """TensorFlow makes its counter after the first call; a trace comes during it."""
        with self._locked():
            detector: Any = self._remembering()
            return self._manager._detectors.setdefault(code, detector)

    def _tell_files_apart(self, owner: Any) -> Any:
        """What the calls of this `Function` are counted by: never by code that is equal to that of another file."""
        code = owner._key_for_call_stats
        if isinstance(code, types.CodeType) and self._files.setdefault(code, code.co_filename) != code.co_filename:
            apart = code.replace(co_name=f"{code.co_name} in {code.co_filename}")
            code = owner._key_for_call_stats = self._apart.setdefault(apart, apart)
        return code

    def read(self) -> Calls:
        """All counts as of now."""
        _tell_hits()
        counts = {key: self.number(key) for key in list(self._noted)}
        return Calls({key: count for key, count in counts.items() if count})

    def mark(self) -> Callable[[str], int]:
        """The calls of a function up to now, also of one that we learn of later: asked for by its key."""
        _tell_hits()
        detectors = [*self._manager._detectors.values(), *(d for noted in self._noted.values() for d in noted.values())]
        counted = {id(d): (d, self._count(d)) for d in detectors if self._remembers(d)}

        def before(key: str) -> int:
            return sum(counted[number][1] for number in self._noted.get(key, {}) if number in counted)

        return before

    def _detector(self, code: Any) -> Any:
        detector = self._manager._detectors.get(code) if code is not None else None
        return detector if self._remembers(detector) else None

    def _remembers(self, detector: Any) -> bool:
        return isinstance(detector, self._remembering)

    def _count(self, detector: Any) -> int:
        return int(detector._call_count + detector.dropped)

    def stop(self) -> None:
        if self._module._FrequentTracingDetector is self._remembering:
            self._module._FrequentTracingDetector = self._plain
        with self._locked():
            self._swap(self._remembering, self._plain)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold TensorFlow's lock; not for ever, since the collector may run us in the thread that holds it."""
        held = self._manager._lock.acquire(timeout=1.0)
        try:
            yield
        finally:
            if held:
                self._manager._lock.release()

    def _swap(self, old: type, new: type) -> None:
        for key, detector in list(self._manager._detectors.items()):
            if type(detector) is old:
                twin: Any = new()
                for slot in ("_calls_per_tracings", "_total_warning_count", "_call_count"):
                    setattr(twin, slot, getattr(detector, slot))
                self._manager._detectors[key] = twin


def _tell_hits() -> None:
    """A `traceonce.function` counts its hits itself, if the program has one."""
    counted = sys.modules.get("traceonce.frameworks.tensorflow.dropin.hits")
    if counted is not None:
        counted.tell_all()


def _remembering(plain: Any) -> Any:
    class RememberingDetector(plain):  # type: ignore[misc]  # a class of TensorFlow's, untyped
        __slots__ = ("dropped",)

        def __init__(self) -> None:
            super().__init__()
            self.dropped = 0

        def called_with_tracing(self, function_name: Any, omit_warning: Any) -> None:
            expected = self._call_count + 1
            super().called_with_tracing(function_name, omit_warning)
            self.dropped += expected - self._call_count

    return RememberingDetector
