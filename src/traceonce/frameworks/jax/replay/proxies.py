"""What stands in for a jitted function of the user's in a replay, so that its calls are seen.

JAX serves a call in C++, where nobody can look on. A replay need not be fast: here every jitted function of the
user's is an object of ours around JAX's own, which sees each call and hands everything else on.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from typing import Any

from traceonce.facts import FunctionId
from traceonce.frameworks.base.hooks import Hooks, caller, leave_no_frame
from traceonce.frameworks.base.replay.argument_leaves import signature_of
from traceonce.frameworks.base.replay.calls import ReplayedCalls
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.makings import Makings
from traceonce.frameworks.jax.functions import describe_function
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.refused_calls import Refused, tell


class Replayed:
    """A jitted function. `function` is its name, `signature` what its arguments are bound by; `of` what was jitted."""

    def __init__(
        self, jitted: Any, function: FunctionId, signature: inspect.Signature | None, donates: bool, of: tuple[Any, Any]
    ) -> None:
        self.traceonce_jitted = jitted
        self.traceonce_of = of
        self.traceonce_function = function
        self.traceonce_signature = signature
        self.traceonce_donates = donates
        functools.update_wrapper(self, jitted)
        self.__wrapped__ = getattr(jitted, "__wrapped__", jitted)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        jitted = self.traceonce_jitted
        if not _CALLING:
            return jitted(*args, **kwargs)
        try:
            return _CALLING[0](self, jitted, args, kwargs, sys._getframe(1))
        except ValueError as error:
            tell(Refused(*self.traceonce_of, args, kwargs, error))
            leave_no_frame(error)
            raise

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return repr(self.traceonce_jitted)

    # Looked for on the class where JAX asks whether this is a jitted function.
    @property
    def lower(self) -> Any:
        return self.traceonce_jitted.lower

    @property
    def trace(self) -> Any:
        return self.traceonce_jitted.trace

    @property
    def eval_shape(self) -> Any:
        return self.traceonce_jitted.eval_shape

    def __getattr__(self, name: str) -> Any:
        if name == "traceonce_jitted":  # a copy that is not filled yet
            raise AttributeError(name)
        return getattr(self.traceonce_jitted, name)

    def __reduce__(self) -> Any:
        return self.traceonce_jitted.__reduce__()


# What a call goes through while a replay is on; there is one at a time in a process.
_CALLING: list[Any] = []


class Proxies:
    """Puts them in place: watches the function of JAX that makes jitted functions."""

    def __init__(self, places: JaxPlaces, here: Here, problems: Problems, makings: Makings) -> None:
        self._places = places
        self._here = here
        self._problems = problems
        self._makings = makings

    def place(self, hooks: Hooks, pjit: Any) -> None:
        hooks.place(pjit, "_cpp_pjit", self._hook)

    def _hook(self, original: Any) -> Any:
        def _cpp_pjit(fun: Any, jit_info: Any) -> Any:
            jitted = original(fun, jit_info)
            with self._here.on_our_behalf(), self._problems.kept():
                described = describe_function(fun, self._places)
                if not described.internal and not described.id.library:
                    self._makings.note(described.id, caller())
                    donates = bool(jit_info.donate_argnums or jit_info.donate_argnames)
                    return Replayed(jitted, described.id, signature_of(fun), donates, (fun, jit_info))
            return jitted

        return _cpp_pjit


class Calling:
    """Has every call of a proxy made by `calls`, while it is started."""

    def __init__(self, calls: ReplayedCalls) -> None:
        self._calls = calls

    def start(self) -> None:
        _CALLING[:] = [self._calls.make]

    def stop(self) -> None:
        _CALLING.clear()
