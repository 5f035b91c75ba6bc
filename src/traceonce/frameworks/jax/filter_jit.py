"""`equinox.filter_jit`: what is jitted there is a function of Equinox's own, which takes the user's function apart.

It gets the arrays in dictionaries and everything else in a static tuple, each a flat row of leaves with the shape of
its tree. Put together again, the request is one of the user's function, with the user's arguments.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

TAKES = ("dynamic_donate", "dynamic_nodonate", "static")


class Filtered(NamedTuple):
    """A call of a function under `filter_jit`: the function, and its arguments."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @property
    def info(self) -> Any:
        """As JAX keeps it for a jitted function: nothing is static by its name."""
        signature = inspect.signature(self.function)
        return types.SimpleNamespace(fun_signature=signature, static_argnums=(), static_argnames=())


class CompiledIn:
    """A leaf that is no array: `filter_jit` makes it static."""

    def __init__(self, value: Any) -> None:
        self.value = value


def read_filtered(function: Any, args: Sequence[Any], trees: Any) -> Filtered | None:
    """The call behind a request for a trace, or None where it has nothing to do with `filter_jit`."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_varnames[: code.co_argcount] != TAKES or len(args) != len(TAKES):
        return None
    try:
        dynamic = {**args[0], **args[1]}
        fun, first, rest = (
            trees.tree_unflatten(tree, list(_leaves(dynamic[name], static)))
            for name, (static, tree) in zip(("fun", "first", "rest"), args[2], strict=True)
        )
        positional, named = rest
    except (KeyError, TypeError, ValueError):  # not as it was when this was written
        return None
    plain = isinstance(fun, CompiledIn) and isinstance(fun.value, types.FunctionType)  # and no module, or a wrapper
    return Filtered(fun.value, (first, *positional)[:-1], named) if plain else None


def _leaves(dynamic: Sequence[Any], static: Sequence[Any]) -> Iterator[Any]:
    for array, value in zip(dynamic, static, strict=True):
        yield array if array is not None else CompiledIn(value)
