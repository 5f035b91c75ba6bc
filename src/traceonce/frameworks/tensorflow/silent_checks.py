"""Wrong answers that come without a trace: stale and confused values.

*Side effects*: the body changes state of Python's, which no call does that a graph serves (`base.side_effects`).
*Confused*: TensorFlow takes 1, True and 1.0 for one value, and serves the trace of another type. *Stale*: a value that
the function read from outside its arguments has changed since the trace. Both can be seen at the call. So for a few
calls after each trace the arguments are looked at, and for the first runs of each graph the outside values that it was
made with; then the look is taken out again, and a hit is TensorFlow's own code. At the end the outside values are
compared once more.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from traceonce.facts import Cause, CauseCode, Finding, FunctionId, Leaf
from traceonce.facts.signature import NUMBERS, same_literal
from traceonce.frameworks.base.assigned_state import Setting, Settings
from traceonce.frameworks.base.captured_state import Reader
from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.literals import python_leaf
from traceonce.frameworks.base.side_effects import State, changed_state
from traceonce.frameworks.base.weak_references import weak_references
from traceonce.frameworks.tensorflow.functions import OF_DATASET, Described
from traceonce.words.notes import noted
from traceonce.words.notes.causes import CHANGED_SINCE

CALLS = 8  # looked at after each trace, and runs of each graph
PATIENCE = 2000  # calls of other functions after which one that is not called again is let go
Effects: TypeAlias = "tuple[weakref.ref[Checked], list[Cause]]"  # of one trace
KEPT = 64  # literals and outside values remembered per place


class Checked:
    """One function object: what its traces were made for."""

    def __init__(self, owner: weakref.ref[Any], function: FunctionId) -> None:
        self.owner = owner
        self.function = function
        self.remaining = 0
        self.traces = 0
        self.calls_when_checked = 0
        self.literals: dict[str, list[Leaf]] = {}
        self.values: dict[str, list[str]] = {}
        self.own_changes: set[str] = set()
        self.said: set[tuple[CauseCode, str]] = set()
        self.settings = Settings()

    def traced(self, leaves: tuple[Leaf, ...], before: dict[str, str], after: dict[str, str]) -> None:
        """A new trace: remember its literals and its outside values, less those that tracing itself changed."""
        self.traces += 1
        self.remaining = CALLS
        for leaf in leaves:
            if leaf.kind == "python" and leaf.type_name in NUMBERS:
                _keep(self.literals.setdefault(leaf.path, []), leaf)
        self.own_changes |= {path for path, text in after.items() if before.get(path, text) != text}
        for path, text in before.items():
            _keep(self.values.setdefault(path, []), text)

    @property
    def literal_texts(self) -> set[str | None]:
        """The numbers among the arguments: a constant of that value in the graph proves nothing about another one."""
        return {leaf.value for leaves in self.literals.values() for leaf in leaves}

    def confused(self, numbers: Iterator[tuple[str, Any]]) -> Iterator[Cause]:
        """Numbers that equal one of a trace but are of another type, with no trace of their own."""
        for path, value in numbers:
            leaf = python_leaf(path, value)
            equal = [other for other in self.literals.get(path, ()) if same_literal(other, leaf)]
            if equal and all(other.type_name != leaf.type_name for other in equal):
                was = f"{equal[0].value} ({equal[0].type_name})"
                yield Cause(CauseCode.CONFUSED, path, was, f"{leaf.value} ({leaf.type_name})")

    def stale(self, now: dict[str, str], made_with: dict[str, str] | None = None) -> Iterator[Cause]:
        """Outside values that have changed since one trace (`made_with`), or that no trace was made with."""
        for path, text in now.items():
            known = self.values.get(path, []) if made_with is None else [made_with.get(path, text)]
            if known and text not in known and path not in self.own_changes:
                yield Cause(CauseCode.STALE, path, known[-1], text)


def _keep(known: list[Any], item: Any) -> None:
    if item not in known:
        known.append(item)
        del known[:-KEPT]


class SilentChecks:
    """Looks at calls, through `tracing_compilation.call_function`, while there is a function to look at."""

    def __init__(
        self,
        tracing_compilation: Any,
        cache_of: Callable[[Any], Any],
        reader: Reader,
        describe: Callable[[Any], Described],
        calls: Callable[[Any], int],
        write: Callable[[Finding], None],
        problem: Callable[[Exception], None],
    ) -> None:
        self._module = tracing_compilation
        self._cache_of = cache_of
        self._reader = reader
        self._describe = describe
        self._calls = calls
        self._write = write
        self._problem = problem
        self._hooks = Hooks()
        self._checked: weakref.WeakKeyDictionary[Any, Checked] = weakref.WeakKeyDictionary()
        self._objects: dict[str, int] = {}
        self._pending: dict[int, Checked] = {}
        self._patience = PATIENCE
        self._inner = threading.local()  # what was traced as part of the trace under way runs when that one runs

    def begin(self) -> None:
        """A trace that is no part of another one begins."""
        self._inner.effects = []

    def read(self, described: Described, bound: dict[str, Any]) -> dict[str, str]:
        """What a function of the user's reads from outside, as of now."""
        if described.python is None or described.id.library:
            return {}
        return self._reader.snapshot(described.python, bound)

    def arrays(self, described: Described, bound: dict[str, Any]) -> dict[str, Any]:
        """The arrays from outside that a function of the user's reads."""
        if described.python is None or described.id.library:
            return {}
        return self._reader.arrays(described.python, bound)

    def state(self, described: Described, bound: dict[str, Any]) -> dict[str, State]:
        """The state that the user's code changes, in the body or in a method that a library's body calls, as of now."""
        if described.python is None or described.internal:
            return {}
        return self._reader.updated_state(described.python, bound)

    def traced(
        self,
        owner: Any,
        described: Described,
        bound: dict[str, Any],
        leaves: Any,
        before: dict[str, str],
        state: dict[str, State],
        *,
        inner: bool,
    ) -> Callable[[], None] | None:
        """A function was traced, having read the values `before`: look at its next calls for confused numbers.

        `state` is what its body changes, as it was before; `inner`: as part of another trace. The result, if any, is to
        be called before each of the first runs of the new graph, to look for stale values and for changes that only
        tracing has made.
        """
        checked = self._checked.get(owner)
        if checked is None:
            pending, key = self._pending, id(self._cache_of(owner))
            reference = weakref.ref(owner, lambda _: pending.pop(key, None))
            checked = self._checked[owner] = Checked(reference, described.id)
            self._objects[described.id.key] = self._objects.get(described.id.key, 0) + 1
        checked.traced(leaves, before, self.read(described, bound))
        checked.calls_when_checked = self._calls(owner) + 1  # the call under way is counted when it returns
        if checked.literals and self._module is not None:
            self._pending[id(self._cache_of(owner))] = checked
            self._patience = PATIENCE
            self._hooks.place(self._module, "call_function", self._hook)
        reference = weakref.ref(checked)
        now = self.state(described, bound) if state else {}
        effects = list(changed_state(state, now))
        settings = checked.settings.note(state, now)
        if described.id.name.endswith(OF_DATASET):  # nobody sees its runs: one for each element
            for cause in effects:
                self._report(checked, msgspec.structs.replace(cause, evidence="inferred"))
            effects = []
        known: list[Effects] = getattr(self._inner, "effects", [])
        if effects:
            known.append((reference, effects))
        told = [] if inner else known
        bound_weakly = weak_references(bound)
        return self._look(reference, before, told, settings, bound_weakly) if before or told or settings else None

    def _look(
        self,
        reference: weakref.ref[Checked],
        made_with: dict[str, str],
        effects: Sequence[Effects],
        settings: dict[str, Setting],
        bound: dict[str, weakref.ref[Any]],
    ) -> Callable[[], None]:
        """Compares what one trace was made with to what stands there now; `bound` are the objects of that trace.

        Its `effects`, and those of traces inside of it, are wrong from the second run on: the first is that of the call
        which was traced.
        """
        runs = itertools.count()

        def look() -> None:
            if next(runs):
                for of, causes in effects:
                    if (changed := of()) is not None:
                        for cause in causes:
                            self._report(changed, cause)
            checked = reference()
            owner = checked.owner() if checked is not None else None
            things = {name: weak() for name, weak in bound.items()}
            if checked is None or owner is None or None in things.values():
                return
            checked.calls_when_checked = self._calls(owner) + 1
            if settings:
                for cause in checked.settings.lost(settings, self.state(self._describe(owner), things)):
                    self._report(checked, cause)
            for cause in checked.stale(self.read(self._describe(owner), things), made_with):
                arguments = cause.was in checked.literal_texts
                shown = not arguments and reached_graph(self._cache_of(owner), cause.was, self._reader.number)
                self._report(checked, msgspec.structs.replace(cause, evidence="measured" if shown else "inferred"))

        return look

    def settle(self) -> None:
        """At the end: report outside values that changed, where the function was called after the last look.

        Calls are counted per code. Where several objects share it, nobody knows whose they were, and nothing is said.
        """
        for owner, checked in list(self._checked.items()):
            alone = self._objects.get(checked.function.key) == 1
            if alone and self._calls(owner) > checked.calls_when_checked:
                for cause in checked.stale(self._values_now(owner)):
                    self._report(checked, noted(msgspec.structs.replace(cause, evidence="inferred"), CHANGED_SINCE()))

    def renew(self) -> None:
        """Another observer joins: what was said before is news to it."""
        for checked in list(self._checked.values()):
            checked.said.clear()

    def stop(self) -> None:
        self._hooks.close()
        self._pending.clear()

    def _hook(self, original: Any) -> Any:
        def call_function(args=None, kwargs=None, tracing_options=None):  # type: ignore[no-untyped-def]
            seen = self._before(args or (), kwargs or {}, tracing_options)
            try:
                result = original(args, kwargs, tracing_options)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if seen is not None:
                self._after(*seen)
            return result

        return call_function

    def _before(self, args: Any, kwargs: Any, options: Any) -> tuple[Checked, int, list[Cause]] | None:
        """What is wrong with this call, should it turn out to be a hit."""
        try:
            key = id(getattr(options, "function_cache", None))
            checked = self._pending.get(key)
            owner = checked.owner() if checked is not None else None
            if checked is None or owner is None:
                self._patience -= 1
                if self._patience <= 0:
                    self._pending.clear()
                    self._hooks.remove_all()
                return None
            checked.remaining -= 1
            if checked.remaining <= 0:
                self._pending.pop(key, None)
                if not self._pending:
                    self._hooks.remove_all()
            causes = list(checked.confused(numbers_among(args, kwargs, options.polymorphic_type)))
            return (checked, checked.traces, causes) if causes else None
        except Exception as error:
            self._problem(error)
            return None

    def _after(self, checked: Checked, traces: int, causes: list[Cause]) -> None:
        try:
            if checked.traces == traces:  # a hit: an earlier trace really served the call
                for cause in causes:
                    self._report(checked, cause)
        except Exception as error:
            self._problem(error)

    def _values_now(self, owner: Any) -> dict[str, str]:
        described = self._describe(owner)
        latest = next(reversed(self._cache_of(owner)._primary), None)
        return self.read(described, bound_objects(described, latest[1])) if latest is not None else {}

    def _report(self, checked: Checked, cause: Cause) -> None:
        if (cause.code, cause.path) not in checked.said:
            checked.said.add((cause.code, cause.path))
            self._write(Finding("tensorflow", checked.function, cause))


def numbers_among(args: Any, kwargs: Any, polymorphic_type: Any) -> Iterator[tuple[str, Any]]:
    """The Python numbers among the arguments, with the paths that a signature gives them."""
    names = [p.name for p in polymorphic_type.parameters.values()]
    kinds = [p.kind.name for p in polymorphic_type.parameters.values()]
    variadic = kinds.index("VAR_POSITIONAL") if "VAR_POSITIONAL" in kinds else None
    for index, value in enumerate(args):
        if variadic is not None and index >= variadic:
            yield from _numbers(f"{names[variadic]}[{index - variadic}]", value)
        elif index < len(names):
            yield from _numbers(names[index], value)
    keyword = names[kinds.index("VAR_KEYWORD")] if "VAR_KEYWORD" in kinds else None
    for name, value in kwargs.items():
        yield from _numbers(name if name in names else f"{keyword}[{name!r}]", value)


def _numbers(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if type(value).__name__ in NUMBERS and type(value).__module__ == "builtins":
        yield path, value
    elif isinstance(value, (list, tuple)):
        fields = getattr(value, "_fields", None)
        for index, item in enumerate(value):
            yield from _numbers(f"{path}.{fields[index]}" if fields else f"{path}[{index}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(f"{path}[{key!r}]", item)


def bound_objects(described: Described, function_type: Any) -> dict[str, Any]:
    """The objects that parameters of a trace are bound to: `self`, and arguments that TensorFlow holds weakly."""
    bound: dict[str, Any] = {}
    if described.instance is not None and described.python is not None:
        first = described.python.__code__.co_varnames[:1]
        bound.update(dict.fromkeys(first, described.instance))
    for name, parameter in function_type.parameters.items():
        reference = getattr(parameter.type_constraint, "_ref", None)
        thing = reference() if reference is not None else None
        if thing is not None:
            bound[name] = thing
    return bound


def reached_graph(cache: Any, text: str, number: Callable[[Any], int]) -> bool:
    """Can it be shown that a value (given as its remembered text) is in a graph of this function?

    A number is looked for among the constants, a tensor or a variable among what was captured. A flag that only chose
    a branch leaves no mark, and 0 and 1 are everywhere: for those nothing is shown.
    """
    graphs = [concrete.graph for concrete in cache.values()]
    if " " in text and text.rsplit(" ", 1)[-1].isdigit():
        wanted = int(text.rsplit(" ", 1)[-1])
        held = [thing for graph in graphs for thing in (*_variables(graph), *(outer for outer, _ in graph.captures))]
        return any(number(thing) == wanted for thing in held)
    try:
        wanted_number = float(text)
    except ValueError:
        return False
    return wanted_number not in (0.0, 1.0, -1.0) and any(
        wanted_number in _constants(graph, wanted_number) for graph in graphs
    )


def _constants(graph: Any, like: float) -> Iterator[float]:
    """The scalar constants of a graph; one that equals `like` in the constant's own precision is given as `like`."""
    from tensorflow.python.framework import tensor_util

    for operation in graph.get_operations():
        if operation.type == "Const" and operation.outputs[0].shape.rank == 0:
            value = tensor_util.MakeNdarray(operation.get_attr("value"))
            if value.dtype.kind in "fiu":
                yield like if value.dtype.type(like) == value else float(value)


def _variables(graph: Any) -> Iterable[Any]:
    """The variables that a graph holds; it holds them weakly, and refuses to list them once one is gone."""
    try:
        return tuple(graph.variables)
    except AssertionError:
        return ()
