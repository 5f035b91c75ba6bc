"""One program under two decorators: what it returns, raises and leaves in its variables, and where the two differ.

A program is text: a preamble that makes its tensors and variables, a function under `@function`, and its calls. So what
fails is shown as a program that can be run. Both sides run the same code object, each with variables of its own.

Where the two differ by design:
* TensorFlow confuses 1, True and 1.0, and 0.0 and -0.0: the second of them runs the trace of the first. So the other
  side of the comparison is `KeptApart`: a fresh `tf.function` for each combination of exact types of numbers.
* A lifted number is rounded more often than one that Python computed with: see `alike`.
* Python side effects of tracing are not compared: how often a body is traced is what traceonce changes.

Errors are compared letter by letter, but for names that no two traces share. No programs are made that TensorFlow
itself runs in no certain order: those that write a variable which is both an argument and captured.
"""

from __future__ import annotations

import dataclasses
import inspect
import linecache
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from tests.tensorflow.dropin.taped_calls import Tapes

FILE = "<program>"
NUMBERS = (bool, int, float, complex)
CANCELLED = 16  # units in the last place of the largest number that may be left of a sum that is zero
# A graph node's name depends on what was traced before it; a function's number on all that the process traced so far.
NAMES = (
    (re.compile(r"__(inference|forward|backward)_(\w+?)_\d+"), r"__\1_\2"),
    (re.compile(r"\{\{node [^}]*\}\}"), "{{node}}"),
    (re.compile(r"(Inputs to operation) \S+"), r"\1"),
    (re.compile(r"(building NodeDef) '[^']*'"), r"\1"),
    (re.compile(r"Detected at node \S+"), "Detected at node"),
    (re.compile(r"\((\S+):0\)"), "(tensor)"),
    (re.compile(r"Tensor\(\"[^\"]*\""), 'Tensor("'),
    (re.compile(r"\nFile \"[^\"]*\", line \d+, in [^\n]*"), ""),  # XLA lists all frames
    (re.compile(r"_\d{3,}(?=\b|_)"), ""),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"\bid=\d+"), "id"),
    (re.compile(r"\bVariable/\d+"), "Variable"),
)
# An error lists the frames that it was "defined" in, or passed "in user code": those of the program matter. Where one
# of TensorFlow's own stands, there is one of ours, which `test_errors` is about.
FRAME = re.compile(rf"\n +File \"(?!{FILE})[^\"]*\", line \d+, in [^\n]*(?:\n {{8}}[^\n]*)?(?:\n(?=\n))?")


class Pair(NamedTuple):
    """A named tuple for programs to take and return."""

    first: Any
    second: Any


@dataclasses.dataclass(frozen=True)
class Program:
    """A function, the calls to it, and the variables to look at.

    `ulps`: see `alike`. `own_policy` is TensorFlow's own: our dispatch, but nothing is relaxed and nothing lifted.
    """

    preamble: tuple[str, ...]
    definition: str
    calls: tuple[str, ...]
    variables: tuple[str, ...] = ()
    ulps: int = 0
    autograph: bool = False
    own_policy: bool = False

    @property
    def source(self) -> str:
        return "\n".join([*self.preamble, self.definition]) + "\n"

    def __str__(self) -> str:
        options = f"autograph={self.autograph}" + ", relax=False, lift=False" * self.own_policy
        return f"\n# {options}; variables={self.variables}\n{self.source}\n" + "\n".join(self.calls)


class Outcome(NamedTuple):
    """What one call did."""

    returned: Any
    error: str | None
    variables: tuple[Any, ...]
    varied: bool  # did some number have two values so far? Then it may have been lifted


class Difference(NamedTuple):
    """A call after which the two sides are not alike."""

    call: str
    theirs: Outcome
    ours: Outcome

    def __str__(self) -> str:
        return f"{self.call}:\n  tf.function: {self.theirs}\n  traceonce:   {self.ours}"


class Varying:
    """Looks at arguments for a Python number that has another value than before: no other number may be lifted."""

    def __init__(self) -> None:
        self._met: dict[Any, Any] = {}
        self.found = False

    def look(self, arguments: Mapping[str, Any]) -> None:
        for path, leaf in leaves(arguments):
            if type(leaf) in (int, float) and math.isfinite(leaf):
                self.found |= repr(self._met.setdefault((path, type(leaf)), leaf)) != repr(leaf)


class KeptApart:
    """`tf.function`, but values that are equal and not the same (1, True, 1.0; 0.0, -0.0) never meet in one of it."""

    def __init__(self, tf: Any, body: Callable[..., Any], options: Mapping[str, Any], varying: Varying) -> None:
        self._make = lambda: tf.function(body, **options)
        self._varying = varying
        self._signature = inspect.signature(body)
        self._made: dict[Any, Any] = {}

    def _meant(self, args: Any, kwargs: Any) -> Any:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:
            key: Any = "not bound"
        else:
            bound.apply_defaults()
            self._varying.look(bound.arguments)
            key = tuple((path, exact(leaf)) for path, leaf in leaves(bound.arguments))
        if key not in self._made:
            self._made[key] = self._make()
        return self._made[key]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._meant(args, kwargs)(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        def bound(*args: Any, **kwargs: Any) -> Any:
            return self._meant((instance, *args), kwargs).__get__(instance, owner)(*args, **kwargs)

        return self if instance is None else bound


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """What is in a nest, each with its place."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=repr):
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path, value


def exact(leaf: Any) -> str | None:
    """What TensorFlow forgets of an argument: the type of a number, and the sign of a zero."""
    if type(leaf) not in NUMBERS:
        return None
    return repr(leaf) if leaf == 0 else type(leaf).__name__


def run(tf: Any, program: Program, function: Callable[..., Any], varying: Varying | None = None) -> list[Outcome]:
    """The outcomes of all calls, `@function` meaning this one."""

    def decorator(body: Any = None, **options: Any) -> Any:
        if body is None:
            return lambda body: decorator(body, **options)
        return function(body, autograph=program.autograph, **options)

    linecache.cache[FILE] = (len(program.source), None, program.source.splitlines(keepends=True), FILE)
    space: dict[str, Any] = {
        "tf": tf, "np": np, "Pair": Pair, "filled": lambda *a: tf.constant(array(*a), a[0]), "array": array,
        "zeros": lambda dtype, shape: tf.zeros(shape, dtype),
        "tapes": Tapes(tf), "function": decorator, "together": together,
    }  # fmt: skip
    exec(compiled(program.source, FILE), space)
    outcomes = []
    for call in program.calls:
        returned, error = None, None
        try:
            returned = described(tf, eval(compiled(call, "<call>", "eval"), space))
        except Exception as raised:
            error = f"{type(raised).__module__}.{type(raised).__qualname__}: {without_names(str(raised))}"
        variables = tuple(space[name].numpy() for name in program.variables)
        outcomes.append(Outcome(returned, error, variables, varying is not None and varying.found))
    return outcomes


def together(*calls: Callable[[], Any]) -> list[Any]:
    """What several threads get, that call at once; of an error, which one."""

    def outcome(call: Callable[[], Any]) -> Any:
        started.wait(10)
        try:
            return call()
        except Exception as error:
            return type(error).__name__

    started = threading.Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(outcome, calls))


_compiled: dict[tuple[str, str], Any] = {}


def compiled(source: str, file: str, mode: str = "exec") -> Any:
    """One code object for both sides: AutoGraph then converts it once."""
    if (source, mode) not in _compiled:
        if len(_compiled) > 50:
            _compiled.clear()
        _compiled[source, mode] = compile(source, file, mode)
    return _compiled[source, mode]


def array(dtype: str, shape: list[int], start: int = 1) -> Any:
    """Numbers that count up by halves, or what comes nearest to that."""
    numbers = start + np.arange(int(np.prod(shape)))
    if dtype == "string":
        return np.array([f"s{n}" for n in numbers], object).reshape(shape)
    if dtype == "bool":
        return (numbers % 2 == 1).reshape(shape)
    return (numbers / (2 if dtype.startswith(("float", "complex")) else 1)).astype(dtype).reshape(shape)


def without_names(text: str) -> str:
    """An error's text without what differs between two traces of the same program."""
    text = FRAME.sub("", text)
    for pattern, instead in NAMES:
        text = pattern.sub(instead, text)
    return text


def described(tf: Any, value: Any) -> Any:
    """Structure, types and numbers of what a call returned."""
    if isinstance(value, tf.Tensor):
        return ("tensor", type(value).__name__, value.dtype.name, value.numpy())
    if isinstance(value, tf.Variable):
        return ("variable", value.dtype.name, value.numpy())
    if isinstance(value, tf.IndexedSlices):
        return ("slices", described(tf, value.values), described(tf, value.indices))
    if isinstance(value, Mapping):
        return (type(value).__name__, tuple(value), tuple(described(tf, part) for part in value.values()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(described(tf, part) for part in value))
    return (type(value).__name__, value)


def alike(ours: Any, theirs: Any, ulps: int, scale: float = 0.0) -> bool:
    """Equal to the bit, but for floats where a number may have been lifted.

    Python computes `rate * 0.1` in 64 bits and rounds once; a lifted rate is rounded, then multiplied by a rounded 0.1.
    And the graph optimizer folds constants into one another, which it cannot do with a lifted number. So a program that
    computes with its numbers says how many units in the last place its floats may be apart, from the call on in which
    a number has its second value. Where numbers cancel out, nothing is left but their roundings: `scale` is how large
    they are, and a few of its units in the last place are nothing.
    """
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(
            alike(one, other, ulps, scale) for one, other in zip(ours, theirs, strict=True)
        )
    one, other = np.asarray(ours), np.asarray(theirs)
    if type(ours) is not type(theirs) or one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool((one == other).all())
    if one.tobytes() == other.tobytes():
        return True
    if ulps:
        eps = np.finfo(one.dtype).eps
        return np.allclose(one, other, rtol=ulps * eps, atol=CANCELLED * eps * scale, equal_nan=True)
    return np.array_equal(one, other, equal_nan=True) and np.array_equal(np.signbit(one.real), np.signbit(other.real))


def largest(outcome: Any) -> float:
    """The largest finite number in what a call returned."""
    if isinstance(outcome, tuple):
        return max(map(largest, outcome), default=0.0)
    if not isinstance(outcome, (np.ndarray, np.generic)) or outcome.dtype.kind not in "fc":
        return 0.0
    finite = np.abs(outcome)[np.isfinite(outcome)]
    return float(finite.max()) if finite.size else 0.0


def differences(tf: Any, program: Program, function: Callable[..., Any]) -> list[Difference]:
    """The calls after which the two sides are not alike."""
    options = {"relax": False, "lift": False} if program.own_policy else {}
    varying = Varying()
    theirs = run(tf, program, lambda body, **settings: KeptApart(tf, body, settings, varying), varying)
    ours = run(tf, program, lambda body, **settings: function(body, **settings, **options))
    differing = [
        number
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True))
        if one.error != other.error
        or not alike(one.returned, other.returned, program.ulps * other.varied)
        or not alike(one.variables, other.variables, program.ulps * other.varied)
    ]
    return [Difference(f"call {number}, {program.calls[number]}", theirs[number], ours[number]) for number in differing]


def agree(tf: Any, program: Program, function: Callable[..., Any]) -> None:
    """Fail with the program, where the two sides differ, and with no more calls than it takes."""
    if not differences(tf, program, function):
        return
    for number in reversed(range(len(program.calls))):
        shorter = dataclasses.replace(program, calls=program.calls[:number] + program.calls[number + 1 :])
        if differences(tf, shorter, function):
            program = shorter
    raise AssertionError("\n".join([str(program), *map(str, differences(tf, program, function))]))
