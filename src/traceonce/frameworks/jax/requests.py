"""A request for a trace, read: which function, for which arguments, from where."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from traceonce.facts import CallSite, Frame, FunctionId, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORDS
from traceonce.frameworks.base.closed_over import apart_from_rows
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.places import current_frames
from traceonce.frameworks.jax.abstract_traces import is_looking
from traceonce.frameworks.jax.filter_jit import read_filtered
from traceonce.frameworks.jax.functions import Described, bound_values, describe_function, find_users_function
from traceonce.frameworks.jax.jax_config import JaxConfig
from traceonce.frameworks.jax.loops import Loop, find_loop
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.probes import Probes
from traceonce.frameworks.jax.signatures import SignatureReader, passed_arguments
from traceonce.frameworks.jax.transformations import is_for_values

CACHED = 512  # earlier traces that are read when watching begins
NEAR = 8  # frames between a call and its trace
_ROOT = re.compile(r"^([^.\[]+)(\[[^\]]*\])?(.*)$")


class Asked(NamedTuple):
    """What JAX hands to the function that makes a trace."""

    function: Any
    info: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    avals: Sequence[Any] | None


class Request(NamedTuple):
    """One request. `owner` is the function object that was handed to `jax.jit`, or the body of a loop.

    `called` says that the trace itself will serve a call, `counted` that it is wanted for a call that will be counted
    (so is one under `jax.grad`, which is served by something made of the trace), and `abstract` that it is wanted to be
    looked at, and will not be run.
    """

    owner: Any
    described: Described
    signature: Signature
    bound: dict[str, Any]
    bindings: dict[str, str]
    called: bool
    counted: bool
    abstract: bool
    site: CallSite | None
    stack: tuple[Frame, ...]


class Requests:
    """Reads them; `numbers` tells objects apart."""

    def __init__(self, probes: Probes, places: JaxPlaces, numbers: ByIdentity) -> None:
        self._probes = probes
        self._places = places
        self._numbers = numbers
        self._signatures = SignatureReader(probes.tree_util, probes.core.shaped_abstractify, JaxConfig(probes.config))

    def read(self, asked: Asked, frame: types.FrameType) -> Request | None:
        """The request, or None where it is JAX's own affair."""
        described = describe_function(asked.function, self._places)
        if described.internal:
            loop = find_loop(asked.function, frame, self._places, len(asked.args))
            return self._of_loop(loop, asked, frame) if loop is not None else self._of_users(asked, frame)
        filtered = read_filtered(asked.function, asked.args, self._probes.tree_util) if described.id.library else None
        if filtered is not None:
            described = describe_function(filtered.function, self._places)
            signature = self._signatures.read(filtered.info, filtered.args, filtered.kwargs, None)
            return self._request(filtered.function, described, signature, {}, frame)
        signature = self._signatures.read(asked.info, asked.args, asked.kwargs, asked.avals)
        return self._request(asked.function, described, signature, self._bound(described, asked), frame)

    def earlier(self) -> list[tuple[Any, Signature]]:
        """What JAX has traced already, of functions that are not its own: function objects and signatures."""
        found: list[tuple[Any, Signature]] = []
        cache = getattr(self._probes.pjit, "_infer_params_cached", None)  # 0.9.0 has none, and so it is not known
        for key in cache.cache_keys() if cache is not None else ():
            function = key[0]()
            if function is None or len(found) >= CACHED or describe_function(function, self._places).internal:
                continue
            try:
                found.append((function, self._signatures.read_cached(key)))
            except Exception:  # a node of a tree that cannot be made of types: then it is not known
                continue
        return found[::-1]

    def site(self) -> CallSite | None:
        return self._places.call_site(current_frames())

    def _of_loop(self, loop: Loop, asked: Asked, frame: types.FrameType) -> Request:
        if loop.function is not None:
            described = describe_function(loop.function, self._places, note=loop.primitive)
        else:
            library = not self._places.is_user(loop.file)
            name = f"{loop.name} [{loop.primitive}]"
            identity = FunctionId(name, self._places.shorten(loop.file), loop.line, library=library)
            described = Described(identity, None, None, internal=False)
        avals = (
            asked.avals if asked.avals is not None else [self._probes.core.shaped_abstractify(x) for x in asked.args]
        )
        signature = self._signatures.read_flat(loop.names, avals)
        owner = loop.function if loop.function is not None else asked.function
        return self._request(owner, described, signature, {}, frame)

    def _of_users(self, asked: Asked, frame: types.FrameType) -> Request | None:
        """A jitted function of JAX's own for which a function of the user's is a static argument (`jnp.piecewise`)."""
        declared = getattr(asked.info.fun_signature, "parameters", None) or {}
        passed = passed_arguments(declared, asked.info, asked.args, asked.kwargs)
        users = find_users_function((item.value for item in passed if item.static), self._places)
        if users is None:
            return None
        note = str(getattr(asked.function, "__name__", type(asked.function).__name__)).lstrip("_")
        described = describe_function(users, self._places, note=note)
        if described.internal:
            return None
        signature = self._signatures.read(asked.info, asked.args, asked.kwargs, asked.avals)
        return self._request(asked.function, described, signature, {}, frame)

    def _request(
        self, owner: Any, described: Described, signature: Signature, bound: dict[str, Any], frame: types.FrameType
    ) -> Request:
        frames = current_frames()
        clean, is_call = self._probes.core.trace_state_clean(), _is_call(frame)
        return Request(
            owner,
            described,
            signature,
            bound,
            bound_values(owner, self._numbers.number),
            clean and is_call,
            is_call and (clean or is_for_values(self._probes.core)),
            is_looking(frame, self._places),
            self._places.call_site(frames),
            self._places.visible(frames),
        )

    def _bound(self, described: Described, asked: Asked) -> dict[str, Any]:
        """The objects that parameters are bound to: `self`, and static arguments."""
        bound: dict[str, Any] = {}
        if described.instance is not None and described.python is not None:
            bound.update(dict.fromkeys(described.python.__code__.co_varnames[:1], described.instance))
        declared = getattr(asked.info.fun_signature, "parameters", None) or {}
        for item in passed_arguments(declared, asked.info, asked.args, asked.kwargs):
            if item.static:
                bound[item.path] = item.value
        return bound


def _is_call(frame: types.FrameType | None) -> bool:
    """Is it a call that wants the trace, and not somebody who compiles ahead of time?"""
    for _ in range(NEAR):
        if frame is None:
            return False
        if frame.f_code.co_name == "cache_miss":
            return True
        frame = frame.f_back
    return False


def shapes_of_state(signature: Signature) -> str:
    """The shapes of what is nested in the arguments (the parameters of a model), for telling models apart.

    Apart from rows: data is nested, too, and what a loop's body closes over is among its arguments.
    """
    variadic = {item.path for item in signature.structure if item.type_name in (ARGUMENTS, KEYWORDS)}
    found = []
    for leaf in signature.leaves:
        parts = _ROOT.match(leaf.path)
        if parts is None or leaf.kind != "tensor":
            continue
        root, first, rest = parts.groups()
        if rest or (first and root not in variadic):
            found.append(f"{leaf.dtype}{apart_from_rows(leaf.shape or ())}")
    return ";".join(found)
