"""Programs made of anything, for the fuzzer: random bodies and random calls, held against a new `tf.function` per call.

A body is a few statements, each of which computes something from what was computed before: with numbers and shapes that
decide in Python, other functions, layers, tapes, loops, effects and errors. Many of them raise: that, too, is compared.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.tensorflow.dropin.differing import Outcome, Program, alike, largest, run

PREAMBLE = (
    "v, w = tf.Variable(2.0), tf.Variable([1.0, 2.0, 3.0])",
    "dense = tf.keras.layers.Dense(1, kernel_initializer='ones')",
    "dense.build([None, 1])",
    "norm = tf.keras.layers.BatchNormalization()",
    "norm.build([None, 1])",
    "mean = norm.moving_mean",
    "import dataclasses",
    "@dataclasses.dataclass(frozen=True)\nclass Config:\n    k: object",
    "@tf.custom_gradient\ndef own(u):\n    return u * 2.0, lambda up: up * (5.0 if u.shape[0] == 3 else 7.0)",
    "plain = tf.function(lambda u: u if u.shape[0] == 3 else u * 3.0)",
    "scaled = tf.function(lambda u, n: u * n)",
    "bounded = function(lambda u: tf.reduce_sum(u) + u)",
    "class Holder:\n    def __init__(self, n):\n        self.n = n\n    def apply(self, u):\n        return u * self.n",
)
# {a} and {b} are tensors that are there already.
SAFE = [
    *("{a} * 2.0 + {b}", "tf.sin({a})", "{a} * k", "{a} + k", "{a} / (1.0 + k * k)", "{a} - {b}", "-{a}"),
    *(
        "{a} * v",
        "tf.reduce_sum({a}) * {a}",
        "tf.cumsum({a}, axis=0)",
        "bounded({a})",
        "scaled({a}, k)",
        "tf.square({a})",
    ),
    *("tf.map_fn(lambda u: u * 2.0, {a})", "tf.where({a} > 1.0, {a}, -{a})", "{a}[::-1]", "tf.nn.silu({a})"),
]
EXPRESSIONS = [
    *SAFE * 3,
    *("tf.cast(k, tf.float32) * {a}", "tf.pow({a}, 2) + k", "{a}[::-1]", "tf.where({a} > 1.0, {a}, {b})"),
    *("tf.cumsum({a}, axis=0)", "tf.concat([{a}, {b}], 0)", "tf.reshape({a}, [-1])", "tf.reshape({a}, [2, -1])"),
    *("tf.reshape({a}, [3])", "{a}[:k]", "{a}[k]", "{a}[0]", "{a}[1:]", "tf.gather({a}, [0, 1])", "tf.ones([k]) * {a}"),
    *("tf.reduce_sum({a})", "tf.reduce_mean({a}, axis=0, keepdims=True)", "tf.linalg.matvec(tf.ones([2, 3]), {a})"),
    *("tf.tensordot({a}, {b}, 1)", "tf.map_fn(lambda u: u * 2.0, {a})", "tf.tile({a}, [2])", "tf.stack([{a}, {b}])"),
    *("tf.split({a}, 2)[0]", "tf.unstack({a})[0]", "tf.ensure_shape({a}, [3])", "{a} * w", "{a} * v", "own({a})"),
    "tf.while_loop(lambda i, u: i < 2, lambda i, u: (i + 1, u * 1.5), [0, {a}])[1]",
    "tf.while_loop(lambda i, u: i < k, lambda i, u: (i + 1, u + 1.0), [0, {a}])[1]",
    "tf.cond(tf.reduce_sum({a}) > 2.0, lambda: {a}, lambda: {b} * 1.0)",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels={a}, logits={b})",
    "tf.nn.experimental.stateless_dropout({a}, k / 10, seed=[1, 2])",
    *("plain({a})", "scaled({a}, k)", "bounded({a})", "dense(tf.reshape({a}, [-1, 1]))[:, 0]", "Holder(k).apply({a})"),
    *("norm(tf.reshape({a}, [-1, 1]), training=True)[:, 0]", "tf.keras.ops.relu({a}) * k", "tf.nn.silu({a})"),
    *("v.assign_add(tf.reduce_sum({a})) * {a}", "v.assign(k + 1.0) * {a}", "tf.shape({a})[0]", "tf.size({a}) * 2"),
    *("[{a}[k], {b}][1]", "[tf.reshape({a}, [2]), {b}][1]", "[10 // k, {a}][1]", "{a} * len({a}.shape)"),
    *("{a} * float({a}.shape.rank or 9)", "{a} * sum([1.0] * k)", "{a} * {a}.shape[0]", "tf.zeros({a}.shape) + {b}"),
]
CONDITIONS = [
    *("k > 1", "k", "k == 2", "not k", "k % 2 == 0", "k in (1, 3)", "isinstance(k, int)", "tf.is_tensor(k)"),
    *("{a}.shape[0] == 3", "{a}.shape == {b}.shape", "{a}.shape.rank == 1", "tuple({a}.shape) == (2,)"),
    *("str({a}.shape) == '(3,)'", "{a}.shape.is_compatible_with([3])", "{a}.shape != x.shape", "hasattr(k, 'dtype')"),
    *("{a}.shape.num_elements() == 2", "tf.get_static_value(tf.size({a})) == 3", "{a}.shape.as_list() == [2]"),
    *("tf.TensorShape([3]) == {a}.shape", "tf.TensorSpec([3]).is_compatible_with({a})", "f'{{k}}' == '2'"),
]
TENSOR_CONDITIONS = ["tf.reduce_sum({a}) > 2.0", "tf.size({a}) > 2", "tf.cast(k, tf.float32) > tf.reduce_max({a})"]
BLOCKS = [
    "if {c}:\n    {o} = {e}\nelse:\n    {o} = {f}",
    "if {c}:\n    {o} = {e}\nelse:\n    {o} = {f}",
    "{o} = {e} if {c} else {f}",
    "{o} = {a}\nfor _ in range(k):\n    {o} = {o} * 1.5",
    "{o} = {a}\nfor _ in range({a}.shape[0] or 5):\n    {o} = {o} + 1.0",
    "try:\n    {o} = {e}\nexcept (ValueError, tf.errors.InvalidArgumentError):\n    {o} = {f}",
    "try:\n    {o} = {e}\nexcept Exception:\n    {o} = {a} * 11.0",
    "if {c}:\n    raise KeyError('no')\n{o} = {e}",
    "{o} = {a} * 1.0\n{o}.set_shape([2])",
    "with tf.GradientTape() as tape:\n    tape.watch({a})\n    {o} = {e}\n{o} = tape.gradient({o}, {a})",
    "with tf.GradientTape() as tape:\n    {o} = tf.reduce_sum({e} * v)\n{o} = (tape.gradient({o}, v) or 0.0) + {a}",
    "{o} = {a}\nwhile tf.reduce_sum({o}) < 5.0 and tf.size({o}) > 0:\n    {o} = tf.abs({o}) + 1.0",
]
OUTPUTS = ["{o}", "{o}, {p}", "[{o}]", "{{'a': {o}, 'b': {p}}}", "{o}, k", "{o}, x.shape", "{o}, {o}.shape[0]"]
# The parameter, and how a tensor is made of it; then a value of it, by size.
ARGUMENTS = {
    "x": ("", "filled('float32', [{n}])"),
    "r": ("x = r.flat_values * 1.0", "tf.RaggedTensor.from_row_lengths(filled('float32', [{n}]), [{n}, 0])"),
    "s": ("x = tf.sparse.to_dense(s)", "tf.sparse.from_dense(filled('float32', [{n}]))"),
    "d": ("x = sum(value * float(place + 1) for place, value in enumerate(d.values()))", "{D}"),
}  # fmt: skip
INTS, FLOATS = ["1", "2", "3", "4", "0", "-1"], ["1.0", "2.0", "0.5", "-0.5", "3.0", "0.0"]
MIXED = ["1", "1.0", "True", "2", "2.0", "'a'", "None"]
SIZES = [1, 2, 3, 4, 5, 0]
RACES = 20  # times that TensorFlow is asked again for an error
ROUNDED = 256  # units in the last place: sums and gradients add up the roundings of a number that is a tensor
WRITES = re.compile(r"assign|norm\(")  # two threads that write at once have no order
TAPES = (
    "plain",
    "persistent",
    "second",
    "forward",
    "unwatched",
    "no variables",
    "two tapes",
    "stopped",
    "forward over backward",
)


def draw(choose: Random, *, taped: bool = False, strict: bool = False) -> Program:
    """A program; `taped`: its calls are made under tapes; `strict`: nothing is widened or lifted."""
    converted = choose.randrange(3) == 0
    parameter = choose.choice(["x"] * 7 + ["r", "s", "d"])
    opening, value = ARGUMENTS[parameter]
    names, lines = ["x"], [opening] if opening else []
    held = choose.randrange(6) == 0  # the number comes in an object
    lines += ["k = k.k"] if held else []
    for number in range(choose.randint(1, 4)):
        lines += _statement(choose, names, f"o{number}", converted).split("\n")
        names.append(f"o{number}")
    returned = choose.choice(OUTPUTS).format(o=names[-1], p=choose.choice(names))
    options = "jit_compile=True" if choose.randrange(12) == 0 else ""
    head = (
        f"@function({options})\ndef f({parameter}, k):\n    " if options else f"@function\ndef f({parameter}, k):\n    "
    )
    definition = head + "\n    ".join([*lines, f"return {returned}"])
    pool = choose.choice([INTS, INTS, FLOATS, FLOATS, MIXED])
    if held:
        pool = [f"Config({number})" for number in pool]
    calls = [_call(choose, value, pool, taped=taped) for _ in range(choose.randint(4, 9))]
    calls += choose.sample(calls, choose.randint(1, len(calls)))
    if not WRITES.search(definition) and choose.randrange(5) == 0:
        calls += [f"together(lambda: {one}, lambda: {two})" for one, two in itertools.pairwise(calls[-4:])]
    return Program(
        PREAMBLE, definition, tuple(calls), variables=("v", "w", "mean"), autograph=converted, own_policy=strict
    )


def _statement(choose: Random, names: list[str], result: str, converted: bool) -> str:
    def filled(pattern: str) -> str:
        return pattern.replace("{a}", choose.choice(names)).replace("{b}", choose.choice(names))

    one, two = filled(choose.choice(EXPRESSIONS)), filled(choose.choice(EXPRESSIONS))
    if choose.randrange(3):
        return f"{result} = {one}"
    tests = CONDITIONS + TENSOR_CONDITIONS if converted else CONDITIONS
    test = filled(choose.choice(tests)).replace("{{", "{").replace("}}", "}")
    block = choose.choice(BLOCKS)
    if block.startswith("{o} = {a}\nwhile") and not converted:
        block = BLOCKS[0]
    return filled(block).replace("{o}", result).replace("{c}", test).replace("{e}", one).replace("{f}", two)


def _call(choose: Random, value: str, pool: list[str], *, taped: bool) -> str:
    size = choose.choice(SIZES[:5] * 3 + SIZES)
    entries = [f"'a': filled('float32', [{size}])", "'b': filled('float32', [1])"]
    if choose.randrange(3) == 0:
        entries.reverse()
    argument = value.replace("{n}", str(size)).replace("{D}", "{" + ", ".join(entries) + "}")
    call = f"f({argument}, {choose.choice(pool)})"
    if value.startswith("filled") and choose.randrange(1 if taped else 8) == 0:
        kind = choose.choice(TAPES)
        return f"(lambda t: tapes({kind!r}, lambda: f(t, {choose.choice(pool)}), [t, v, w]))({argument})"
    return call


class Fresh:
    """The referee: a `tf.function` that is made anew for every call."""

    def __init__(self, tf: Any, body: Callable[..., Any], options: dict[str, Any]) -> None:
        self._make = lambda: tf.function(body, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._make()(*args, **kwargs)


def compare(tf: Any, program: Program, function: Callable[..., Any]) -> list[tuple[str, Outcome, Outcome]]:
    """The calls, with both outcomes, in which the two differ.

    Where operations that run at the same time all fail, it is chance which of them TensorFlow tells of: an error is
    right if TensorFlow itself, asked again, gives it too.
    """
    options = {"relax": False, "lift": False} if program.own_policy else {}
    theirs = run(tf, program, lambda body, **settings: Fresh(tf, body, settings))
    ours = run(tf, program, lambda body, **settings: function(body, **settings, **options))
    ulps = 0 if program.own_policy else ROUNDED
    differing = [
        number
        for number, (one, two) in enumerate(zip(theirs, ours, strict=True))
        if one.error != two.error
        or not alike(one.returned, two.returned, ulps, largest(one.returned))
        or not alike(one.variables, two.variables, ulps)
    ]
    for _ in range(RACES):
        if not differing or not all(theirs[number].error and ours[number].error for number in differing):
            break
        again = run(tf, program, lambda body, **settings: Fresh(tf, body, settings))
        differing = [number for number in differing if again[number].error != ours[number].error]
    return [(program.calls[number], theirs[number], ours[number]) for number in differing]


def smaller(program: Program, differs: Callable[[Program], bool]) -> Program:
    """The same difference with as few calls and lines as it takes."""
    for number in reversed(range(len(program.calls))):
        fewer = dataclasses.replace(program, calls=program.calls[:number] + program.calls[number + 1 :])
        if differs(fewer):
            program = fewer
    lines = program.definition.split("\n")
    for number in reversed(range(2, len(lines) - 1)):
        shorter = dataclasses.replace(program, definition="\n".join(lines[:number] + lines[number + 1 :]))
        try:
            compile(shorter.source, "<shorter>", "exec")
        except SyntaxError:
            continue
        if differs(shorter):
            program, lines = shorter, shorter.definition.split("\n")
    return program
