"""TensorFlow 2.12 and 2.13, told as later versions: there a `TracingCompiler` object traces, here a function does.

A `Function` has one compiler for calls that may create variables and one for those that may not, each with a cache and
options of its own. To the watcher they are one: `Caches` has the traces of both, and `options_of` the fields of the
later `TracingOptions`. Nobody sees hits here: numbers that are confused (1 and 1.0) are not looked for.
"""

from __future__ import annotations

import enum
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Scope(enum.Enum):
    """What a trace may create; later versions have it, with these names, in the context of each."""

    VARIABLE_CREATION = 1
    NO_VARIABLE_CREATION = 2


class Scoped(NamedTuple):
    """A context of a trace, as later versions have it: with what the trace may create."""

    context: Any
    scope_type: Scope


class Caches:
    """The traces of both compilers of a `Function`, as one cache that can be read."""

    def __init__(self, owner: Any) -> None:
        self._owner = weakref.ref(owner)

    def compilers(self) -> Iterator[tuple[Any, Any]]:
        owner = self._owner()
        for name, scope in (
            ("_variable_creation_fn", Scope.VARIABLE_CREATION),
            ("_no_variable_creation_fn", Scope.NO_VARIABLE_CREATION),
        ):
            compiler = getattr(owner, name, None)
            if compiler is not None:
                yield compiler, scope

    def __len__(self) -> int:
        return sum(len(compiler._function_cache._primary) for compiler, _ in self.compilers())

    @property
    def _primary(self) -> dict[tuple[Scoped, Any], Any]:
        return {
            (Scoped(context.context, scope), kind): concrete
            for compiler, scope in self.compilers()
            for (context, kind), concrete in list(compiler._function_cache._primary.items())
        }

    def values(self) -> list[Any]:
        return list(self._primary.values())


class Compilers:
    """Finds the `Function` that a compiler belongs to, and reads both as later versions have them."""

    def __init__(self, compiler_class: type, function_class: type) -> None:
        self.compiler_class = compiler_class
        self._class = function_class
        self._caches: weakref.WeakKeyDictionary[Any, Caches] = weakref.WeakKeyDictionary()

    def cache_of(self, owner: Any) -> Caches:
        return self._caches.setdefault(owner, Caches(owner))

    def options_of(self, owner: Any) -> Any:
        """What all traces of a `Function` have in common."""
        compiler = next((compiler for compiler, _ in self.cache_of(owner).compilers()), None)
        return self._options(compiler, owner, Scope.VARIABLE_CREATION) if compiler is not None else None

    def read(self, compiler: Any, frame: types.FrameType | None) -> Any:
        """The options of the trace that `compiler` is about to make, called from `frame`."""
        for _ in range(60):
            if frame is None:
                break
            owner = frame.f_locals.get("self")
            if isinstance(owner, self._class):
                for own, scope in self.cache_of(owner).compilers():
                    if own is compiler:
                        return self._options(compiler, owner, scope)
            frame = frame.f_back
        return self._options(compiler, None, Scope.VARIABLE_CREATION)  # a helper of TensorFlow's own

    def _options(self, compiler: Any, owner: Any, scope: Any) -> Any:
        specification = compiler._function_spec
        return types.SimpleNamespace(
            python_function=compiler._python_function,
            name=compiler._name,
            attributes=compiler._function_attributes,
            function_cache=self.cache_of(owner) if owner is not None else None,
            polymorphic_type=specification.function_type,
            default_values=specification.default_values,
            scope_type=scope,
            reduce_retracing=compiler._reduce_retracing,
            input_signature=compiler.input_signature,
        )


def make_contexts(make: Callable[[], Any]) -> Any:
    """The module `function_context` of later versions."""
    return types.SimpleNamespace(make_function_context=lambda scope: Scoped(make().context, scope))
