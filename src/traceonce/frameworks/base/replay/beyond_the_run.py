"""Beyond the run: calls that the program did not make.

A proof over the calls of one run is none for the calls to come. So the last call of a function (and the first one) is
made again with one thing changed. That is done in the repaired program and in the original, each in its own process,
and compared by whoever started the two: in one process there would be the code of one of them only, and what one
function does to variables and random numbers would show in the other.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from traceonce.facts import FunctionId
from traceonce.facts.error_text import main_line
from traceonce.facts.replay import Probed, Returned, stable_name
from traceonce.frameworks.base.replay.argument_leaves import convert, walk
from traceonce.frameworks.base.replay.call_results import describe_outcome
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.perturbations import Arrays, Perturbed, perturb
from traceonce.frameworks.base.replay.values import Values

MOST = 60  # of one function
LARGEST = 1_000_000  # elements of a NumPy array that is copied, as it might be written to


class KeptCall(NamedTuple):
    """A call that can be made again. Objects among its arguments are held weakly: whether they live decides traces.

    A framework may hold the object of a method weakly, too; it is `instance`, so that it can be called at the end.
    """

    function: FunctionId
    owner: Any
    arguments: inspect.BoundArguments
    instance: Any = None


class KeptCalls:
    """The first and the last call of each function that is to be probed.

    `held` are the types of the framework's own values, which are kept as they are. `instance_of` gives the object that
    a wrapped method belongs to.
    """

    def __init__(
        self, names: Sequence[str], held: tuple[type, ...], instance_of: Callable[[Any], Any] = lambda owner: None
    ) -> None:
        self._held = held
        self._instance_of = instance_of
        self._names = frozenset(names)
        self._first: dict[str, KeptCall] = {}
        self._last: dict[str, KeptCall] = {}

    def keep(self, function: FunctionId, owner: Any, bound: inspect.BoundArguments | None) -> None:
        name = stable_name(function)
        if name not in self._names:
            return
        if bound is None or any(hasattr(end.value, "__next__") for end in walk(bound)):
            return  # an iterator would have moved on
        call = KeptCall(function, owner, convert(bound, self._hold))
        self._first.setdefault(name, call)
        self._last[name] = call._replace(instance=self._instance_of(owner))

    def calls(self) -> Iterator[tuple[KeptCall, ...]]:
        """Function by function: the last call, then the first, where their arguments still live."""
        for name, last in self._last.items():
            first = self._first[name]
            calls = (last,) if first.arguments is last.arguments else (last, first)
            yield tuple(call._replace(arguments=convert(call.arguments, _let_go)) for call in calls if _lives(call))

    def _hold(self, value: Any) -> Any:
        import numpy as np

        if isinstance(value, np.ndarray) and value.size <= LARGEST:
            return value.copy()
        plain = (type(None), bool, int, float, complex, str, bytes, np.ndarray, np.generic)
        if isinstance(value, (*plain, *self._held)):
            return value
        try:
            return _Weakly(value)
        except TypeError:
            return value


class _Weakly(weakref.ref[Any]):
    """In the place of an object; a reference that the program itself passes is another thing."""


def _lives(call: KeptCall) -> bool:
    found = True

    def look(value: Any) -> Any:
        nonlocal found
        found = found and not (isinstance(value, _Weakly) and value() is None)
        return value

    convert(call.arguments, look)
    return found


def _let_go(value: Any) -> Any:
    return value() if isinstance(value, _Weakly) else value


class Probing:
    """Makes the calls. `savings` remember a state each, and give a function that restores it."""

    def __init__(
        self,
        arrays: Arrays,
        kept: KeptCalls,
        here: Here,
        problems: Problems,
        values: Values,
        savings: Sequence[Callable[[], Callable[[], None]]],
    ) -> None:
        self._arrays = arrays
        self._kept = kept
        self._here = here
        self._problems = problems
        self._values = values
        self._savings = savings

    def run(self) -> Iterator[Probed]:
        """Every call starts from the state that the program ended in."""
        restoring = [save() for save in self._savings]

        def restore() -> None:
            for put_back in restoring:
                with self._problems.kept():
                    put_back()

        for calls in self._kept.calls():
            tried: set[str] = set()
            for call in calls:
                for perturbed in self._perturbed(call):
                    if perturbed.change not in tried and len(tried) < MOST:
                        tried.add(perturbed.change)
                        restore()
                        yield Probed(call.function, perturbed.path, perturbed.change, self._try(call, perturbed))
        restore()

    def _perturbed(self, call: KeptCall) -> Iterator[Perturbed]:
        with self._problems.kept():
            yield from perturb(self._arrays, call.arguments)

    def _try(self, call: KeptCall, perturbed: Perturbed) -> Returned:
        result, raised = None, None
        self._here.probing = True
        try:
            result = call.owner(*perturbed.arguments.args, **perturbed.arguments.kwargs)
        except (Exception, SystemExit) as error:
            raised = error
        finally:
            self._here.probing = False
        with self._problems.kept():
            returned = describe_outcome(call.function, self._values, result, raised)
            return msgspec.structs.replace(returned, message=main_line(returned.message) if raised else "")
        return Returned(call.function, error="a result that cannot be read")
