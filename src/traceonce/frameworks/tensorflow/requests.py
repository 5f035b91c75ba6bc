"""What is asked for on a cache miss: read off TensorFlow's own stack, before the trace is made."""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from traceonce.facts import CallSite, Frame, Phase, Signature
from traceonce.facts.event import package_path
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.tensorflow.composites import needs_twin
from traceonce.frameworks.tensorflow.functions import Described, Origins, describe_function
from traceonce.frameworks.tensorflow.probes import Probes
from traceonce.frameworks.tensorflow.signatures import SignatureReader

EARLIER = 64  # how many signatures from before we watched are told with a function's first event
_SAVING = "python/saved_model"
_KERAS_EXPORT = "keras/src/export/"
_SAVED_MODEL = ("save", "save_and_return_nodes", "load", "load_partial", "load_internal")


class Request(NamedTuple):
    """Who asks for a trace, from where, and for what.

    `owner` is the `Function`, and `called` says that it is called, not asked for a concrete function. `kind` is the
    type that the call has; `traced` is set where a wider one is to be traced.
    """

    owner: Any
    called: bool
    described: Described
    site: CallSite | None
    stack: tuple[Frame, ...]
    phase: Phase
    kind: Any
    signature: Signature
    traced: Signature | None


class Requests:
    """Reads the requests of one process."""

    def __init__(self, probes: Probes, places: Places) -> None:
        self._probes = probes
        self._places = places
        self._origins = Origins()
        self._signatures = SignatureReader()

    @property
    def identities(self) -> Any:
        """The objects among the arguments, by number."""
        return self._signatures.identities

    def read(self, function_type: Any, options: Any, caller: types.FrameType) -> Request:
        """The request that `caller`, a frame of TensorFlow's, is about to have traced."""
        owner, called = self._owner(caller, options.function_cache)
        python_function = owner.python_function if owner is not None else options.python_function
        described = describe_function(python_function, options, self._places, self._origins)
        frames = self.frames()
        context = self._probes.function_context.make_function_context(options.scope_type)
        kind = function_type
        if options.reduce_retracing and options.input_signature is None and options.function_cache:
            kind = caller.f_locals.get("lookup_func_type", function_type)
        declared, defaults = options.polymorphic_type, options.default_values
        read = self._signatures.read
        return Request(
            owner=owner,
            called=called,
            described=described,
            site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            phase=self._phase(described, options, frames),
            kind=kind,
            signature=read(kind, declared, context, _twins(kind, caller), defaults),
            traced=read(function_type, declared, context, None, defaults) if kind is not function_type else None,
        )

    def earlier(self, options: Any) -> tuple[Signature, ...]:
        """What is in the cache already."""
        declared, defaults = options.polymorphic_type, options.default_values
        return tuple(
            self._signatures.read(kind, declared, context, None, defaults)
            for context, kind in list(options.function_cache._primary)[-EARLIER:]
        )

    def describe(self, owner: Any) -> Described:
        return describe_function(owner.python_function, self._probes.options_of(owner), self._places, self._origins)

    def frames(self) -> list[Frame]:
        """The stack, outermost first, with AutoGraph's lines mapped back; of TensorFlow's own frames, saving only."""
        return [
            Frame(frame.filename, frame.lineno, frame.name)
            for frame in self._probes.tf_stack.extract_stack()
            if not self._places.is_framework(frame.filename) or self._places.is_in_framework(frame.filename, _SAVING)
        ]

    def _owner(self, frame: types.FrameType | None, cache: Any) -> tuple[Any, bool]:
        """The `Function` on whose behalf this is, the nearest on the stack that holds this cache; and is it called?"""
        module = self._probes.polymorphic_function
        for _ in range(60):
            if frame is None:
                break
            code = frame.f_code
            if code.co_filename == module.__file__ and code.co_varnames[:1] == ("self",):
                owner = frame.f_locals.get("self")
                if isinstance(owner, module.Function) and (cache is None or self._probes.cache_of(owner) is cache):
                    ahead = getattr(self._probes.cache_of(owner), "serves_a_call", False)  # of a `traceonce.function`
                    return owner, ahead or _is_called(frame)
            frame = frame.f_back
        return None, False

    def _phase(self, described: Described, options: Any, frames: list[Frame]) -> Phase:
        if described.internal or any(map(self._is_saving, frames)):
            return "internal"
        if getattr(options.function_cache, "is_trying", False):  # a `traceonce.function` tries out a wider trace
            return "internal"
        return "retrace" if options.function_cache else "first"

    def _is_saving(self, frame: Frame) -> bool:
        """Is a model being saved or loaded there, by TensorFlow or by Keras' `export`?"""
        if self._places.is_framework(frame.file):
            return frame.name in _SAVED_MODEL and self._places.is_in_framework(frame.file, _SAVING)
        return package_path(frame.file).startswith(_KERAS_EXPORT)


def _is_called(frame: types.FrameType | None) -> bool:
    """Is it a call that traces, and not a request for a concrete function?"""
    for _ in range(3):
        if frame is None or frame.f_code.co_name in ("_call", "__call__"):
            return frame is not None
        frame = frame.f_back
    return False


def _twins(request: Any, caller: types.FrameType) -> dict[str, Any] | None:
    """Types built a second time from the same values, for types whose equality is somebody else's code."""
    doubtful = [name for name, p in request.parameters.items() if needs_twin(p.type_constraint)]
    if not doubtful:
        return None
    from tensorflow.core.function.trace_type import from_value

    names = caller.f_locals
    values = dict(zip(request.parameters, names.get("args", ()), strict=False)) | dict(names.get("kwargs", {}))
    return {name: from_value(values[name]) for name in doubtful if name in values}
