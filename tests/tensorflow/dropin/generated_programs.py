"""Programs for the differential test: one family for each thing that a dispatch can get wrong.

Every case of a program is called at least three times, in an order that is drawn too, so that hits, and hits after a
wider trace came in, are what most calls are.

Hypothesis draws the number of a program, and the choices follow from that. If it draws each choice, it repeats earlier
ones: of 300 programs, 100 had a body of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from random import Random

from hypothesis import strategies as st

from tests.tensorflow.dropin.differing import Program
from tests.tensorflow.dropin.program_forms import (
    CALLABLES,
    CALLING,
    CREATED,
    CREATING,
    DECLARED,
    DECLARED_CALLS,
    DECLARED_LINES,
    ERRORS,
    INITIAL,
    PARAMETERS,
    SETTING_LINES,
    SETTINGS,
    SIGNATURES,
    TEMPORARY,
)
from tests.tensorflow.dropin.program_parts import (
    ALSO_CAPTURED,
    ARGUMENTS,
    ARITHMETIC,
    BRANCHES,
    CAPTURED,
    CONTENTS,
    DTYPES,
    FLOATS,
    MIXED,
    NEST_LINES,
    NESTS,
    NUMBER_LINES,
    NUMBER_POOLS,
    OUTPUTS,
    RANGES,
    READ,
    SHAPE_POOLS,
    SIZES,
    SMOOTH,
    TENSOR_LINES,
)
from tests.tensorflow.dropin.taped_calls import KINDS

# Two roundings instead of one, of a number and of its product with another; and one more where constants are folded.
LIFTED_ULPS = 4
# Tracing is what takes the time: two cases make a trace wider, a third one hits it, and a fourth one is something else.
MOST_CASES = 4


class Choices(Random):
    """What a program is drawn with."""

    def some(self, pool: list[str], least: int, most: int) -> list[str]:
        """Different ones."""
        return self.sample(pool, min(len(pool), self.randint(least, most)))

    def seldom(self, one_in: int) -> bool:
        return self.randrange(one_in) == 0

    def lines(self, pool: list[str]) -> list[str]:
        """One line, sometimes two; what they compute is called o0 and o1."""
        chosen = self.sample(pool, 2 if self.seldom(4) else 1)
        return [line.replace("{o}", f"o{number}") for number, line in enumerate(chosen)]

    def function(self, parameters: str, lines: list[str], **names: str) -> str:
        """A function of these lines that returns what they computed, in some nest."""
        returned = self.choice(OUTPUTS).format(a="o0", b=f"o{len(lines) - 1}")
        body = [*(line.format(**names) for line in lines), f"return {returned}"]
        return f"@function\ndef f({parameters}):\n    " + "\n    ".join(body)

    def order(self, cases: list[str]) -> tuple[str, ...]:
        """Each case three times: one after the other, in turn, or there and back; and the first one again."""
        cases = list(dict.fromkeys(cases))[:MOST_CASES]
        grouped = [case for case in cases for _ in range(3)]
        return (*self.choice([grouped, cases * 3, cases + cases[::-1] + cases]), cases[0])


def numbers(choose: Choices) -> Program:
    """Python values that vary: lifted, kept static, or never to be confused; then on other data, and of other types."""
    allowed, pool = choose.choice(NUMBER_POOLS)
    plain = NUMBER_LINES + (ARITHMETIC if allowed != "little" else [])
    lines = choose.choice([plain, plain, plain, plain, BRANCHES, SIZES if allowed == "sizes" else plain])
    values = choose.some(pool, 2, 3)
    dtype = choose.choice(["float32", "float32", "float64", "int32", "float16"])
    other = choose.choice([dtype, dtype, dtype, "float32", "int32"])
    early = choose.choice(["x", "x", "z"])  # on zeros, many bodies that differ give the same
    return Program(
        (f"x, y, z = filled({dtype!r}, [2]), filled({other!r}, [2], 500), zeros({dtype!r}, [2])",),
        choose.function("x, k", choose.lines(lines), k="k"),
        choose.order(
            [
                *(f"f({early}, {value})" for value in values[:-1]),
                *(f"f({choose.choice('xxy')}, {value})" for value in values[-2:]),
            ]
        ),
        ulps=LIFTED_ULPS,
        autograph=choose.seldom(8),  # as converting takes longer than all the rest
    )


def ranges(choose: Choices) -> Program:
    """Numbers that may be lifted, and then numbers at the ends of what a tensor can hold, or beyond."""
    first, later = choose.choice(RANGES)
    values = choose.some(first, 2, 2) + choose.some(later, 1, 2)
    dtype = choose.choice(["float32", "float32", "float64", "int32"])
    return Program(
        (f"x = filled({dtype!r}, [2])",),
        choose.function("x, k", choose.lines(ARITHMETIC), k="k"),
        choose.order([f"f(x, {value})" for value in values]),
        ulps=LIFTED_ULPS,
    )


def tensors(choose: Choices) -> Program:
    """Shapes, ranks and dtypes that vary, as tensors, NumPy arrays and NumPy scalars."""
    shapes = choose.some(choose.choice(SHAPE_POOLS), 2, 3)
    dtypes = choose.some(DTYPES, 1, 2)
    makers = choose.choice([["filled"], ["filled", "array"], ["array"], ["zeros", "filled"]])
    tensors = [(shapes[0], dtype) for dtype in dtypes] + [(shape, choose.choice(dtypes)) for shape in shapes[1:]]
    calls = [f"f({makers[n % len(makers)]}({dtype!r}, {shape}))" for n, (shape, dtype) in enumerate(tensors)]
    if choose.seldom(5):
        calls.append(f"f({choose.choice(CONTENTS)})")
    body = choose.function("x", choose.lines(TENSOR_LINES), x="x")
    return Program((), body, choose.order(calls), autograph=choose.seldom(8))


def together(choose: Choices) -> Program:
    """A shape and a number that vary, now one, now the other, now both."""
    shapes = choose.some(choose.choice(SHAPE_POOLS), 1, 2)
    values = choose.some(choose.choice(NUMBER_POOLS[:2])[1], 1, 2)
    dtypes = choose.some(["float32", "float64", "int32"], 1, 2) if choose.seldom(3) else ["float32"]
    calls = [
        f"f(filled({choose.choice(dtypes)!r}, {shape}), {value})"
        for shape in shapes
        for value in values
        for _ in dtypes
    ]
    choose.shuffle(calls)
    body = choose.function("x, k", choose.lines(MIXED), x="x", k="k")
    return Program((), body, choose.order(calls), ulps=LIFTED_ULPS)


def nests(choose: Choices) -> Program:
    """Nests that differ in kind, length, order of keys, in what they hold, and in where they hold it."""
    leaves = choose.some(CONTENTS, 2, 3)
    structures = choose.some(NESTS, 1, 2)
    calls = []
    for number, structure in enumerate([*structures, structures[0]]):
        first, second = leaves[number % len(leaves)], leaves[(number + 1) % len(leaves)]
        calls.append(f"f({structure.format(p=first, q=second)})")
    body = choose.function("n", ["o0 = tf.nest.flatten(n)", choose.choice(NEST_LINES)])
    return Program((), body, choose.order(calls), ulps=LIFTED_ULPS)


def variables(choose: Choices) -> Program:
    """Variables as arguments, the same one twice, and captured ones, read and assigned in order."""
    lines, arguments = (READ, ARGUMENTS + ALSO_CAPTURED) if choose.seldom(5) else (CAPTURED, ARGUMENTS)
    pairs = choose.some(arguments, 1, 2)
    others = choose.some(["", ", 1.0", ", 2.0", ", 2", ", filled('float32', [2])"], 1, 2)
    return Program(
        (
            "v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 5.0])",
            "c, d, u = tf.Variable([0.5, 4.0]), tf.Variable([6.0, 8.0]), tf.Variable([7.0, 9.0], trainable=False)",
        ),
        choose.function("p, q, s=3.0", choose.lines(lines)),
        choose.order([f"f({pair}{other})" for pair in pairs for other in others]),
        variables=("v", "w", "u", "c", "d"),
        ulps=LIFTED_ULPS,
    )


def taped(choose: Choices) -> Program:
    """The same calls with and without a tape around them; gradients by tensors and by variables."""
    shapes = choose.some(FLOATS, 1, 2)
    values = choose.choice([["2.0"], ["3"], ["x0"], ["2.0", "0.3"], ["2", "3"]])
    calls = []
    for number, _ in enumerate(shapes):
        call, kind = f"f(x{number}, {choose.choice(values)})", choose.choice(KINDS)
        calls += [call, f"tapes({kind!r}, lambda: {call}, [x{number}, v])"]
    choose.shuffle(calls)
    return Program(
        (
            *(f"x{number} = filled('float32', {shape})" for number, shape in enumerate(shapes)),
            "v = tf.Variable([2.0, 0.5])",
        ),
        choose.function("x, k", [choose.choice(SMOOTH).replace("{o}", "o0")], x="x", k="k", v="v"),
        choose.order(calls),
        variables=("v",),
        ulps=LIFTED_ULPS * 4,  # sums over gradients add the roundings of their parts
    )


def signatures(choose: Choices) -> Program:
    """Keywords, defaults, *args, **kwargs and methods: the same value by another way, and another by the same."""
    definition, ways = choose.choice(SIGNATURES)
    values = choose.some(PARAMETERS, 2, 3)
    forms = choose.some(ways, 2, 3)
    calls = []
    for number, form in enumerate([*forms, forms[0]]):
        calls.append(form.format(a=values[number % len(values)], b=values[(number + 1) % len(values)]))
    return Program((), definition, choose.order(calls), ulps=LIFTED_ULPS)


def errors(choose: Choices) -> Program:
    """Bodies that raise, while they are traced or while they run, and calls in between that do not."""
    line, good, bad = choose.choice(ERRORS)
    calls = choose.some(bad, 1, 2)
    calls.insert(choose.randrange(2), choose.choice(good))
    return Program(
        ("v = tf.Variable(1.0)",),
        choose.function("x, k=1", [line], o="o0"),
        choose.order(calls),
        variables=("v",),
        ulps=LIFTED_ULPS,
        autograph=choose.seldom(8),
    )


def temporaries(choose: Choices) -> Program:
    """Objects that are equal, and functions with the same content: made for one call each."""
    made, lines = (SETTINGS, SETTING_LINES) if choose.seldom(3) else (CALLABLES, CALLING)
    shapes = choose.some(["[2]", "[3, 2]", "[1, 2]"], 1, 2)
    calls = [f"f(filled('float32', {choose.choice(shapes)}), {g})" for g in choose.some(made, 2, 3)]
    return Program(
        (TEMPORARY, "v, w, factor = tf.Variable(2.0), tf.Variable(5.0), 4"),
        choose.function("x, g", [choose.choice(lines).replace("{o}", "o0")]),
        choose.order(calls),
        variables=("v", "w"),
        autograph=choose.seldom(8),
    )


def created(choose: Choices) -> Program:
    """Variables that are created on the first call of a function, or on the first one of each instance."""
    form = choose.choice(CREATING)
    initial, line = choose.choice(INITIAL), choose.choice(CREATED)
    numbers = choose.choice([[""], ["", ", 2.0"], [", 2.0", ", 3.0", ", 4.0"], [", 2", ", 3"]])
    shapes = choose.some(["[2]", "[3, 2]", "[1, 2]"], 1, 2)
    calls = [f"{choose.choice(['f', 'f2'])}(filled('float32', {choose.choice(shapes)}){number})" for number in numbers]
    definition = form.replace("{initial}", initial).replace("{line}", line)
    return Program((), definition, choose.order(calls), ulps=LIFTED_ULPS)


def declared(choose: Choices) -> Program:
    """Functions with an input signature, and arguments that fit it, that can be made to fit it, and that do not."""
    signature, parameters = choose.choice(DECLARED)
    head = f"@function(input_signature={signature})\ndef f({parameters}):"
    definition = f"{head}\n    {choose.choice(DECLARED_LINES)}\n    return o0"
    return Program((), definition, choose.order(choose.some(DECLARED_CALLS, 3, 6)))


FAMILIES: dict[str, Callable[[Choices], Program]] = {
    family.__name__: family
    for family in (
        numbers, ranges, tensors, together, nests, variables, taped, signatures, errors, temporaries, created, declared,
    )
}  # fmt: skip


def programs(family: str) -> st.SearchStrategy[Program]:
    """Every fourth program under TensorFlow's own policy: no number is lifted then, and floats are equal to the bit."""

    def program(number: int) -> Program:
        drawn = FAMILIES[family](Choices(number))
        return dataclasses.replace(drawn, own_policy=True, ulps=0) if number % 4 == 0 else drawn

    return st.integers(0, 2**48).map(program)
