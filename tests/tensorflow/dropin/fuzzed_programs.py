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
from tests.tensorflow.dropin.fuzzed_parts import (
    ARGUMENTS,
    BLOCKS,
    CONDITIONS,
    EXPRESSIONS,
    OUTPUTS,
    PREAMBLE,
    TENSOR_CONDITIONS,
)

INTS, FLOATS = ["1", "2", "3", "4", "0", "-1"], ["1.0", "2.0", "0.5", "-0.5", "3.0", "0.0"]
MIXED = ["1", "1.0", "True", "2", "2.0", "'a'", "None"]
ALIKE = ["0.0", "-0.0", "1", "1.0", "True", "0", "2"]  # equal, and not the same
HELD = [("Config({})", "k = k.k"), ("Config(({},))", "k, = k.k"), ("Pair({}, None)", "k = k.first")]
SIZES = [1, 2, 3, 4, 5, 0]
RACES = 20  # times that TensorFlow is asked again for an error
INPUTS = 3.0  # the largest number that a program is given: where sums cancel out, their roundings are left
REPEATED = 3  # times that it is asked again for numbers
ROUNDED = 256  # units in the last place: sums and gradients add up the roundings of a number that is a tensor
WRITES = re.compile(r"assign|norm\(")  # two threads that write at once have no order
LISTS = re.compile(r"map_fn|scan|TensorArray|again")  # XLA fails under a tape, and breaks what is written, or the heap
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
    converted = _one_in(3, choose)
    parameter = choose.choice(["x"] * len(ARGUMENTS) + list(ARGUMENTS))
    opening, value = ARGUMENTS[parameter]
    names, lines = ["x", "y"] if parameter == "q" else ["x"], [opening] if opening else []
    number, unpacked = choose.choice([*[("{}", "")] * 12, *HELD])  # it may come in an object
    lines += [unpacked] if unpacked else []
    for place in range(choose.randint(1, 4)):
        lines += _statement(choose, names, f"o{place}", converted).split("\n")
        names.append(f"o{place}")
    returned = choose.choice(OUTPUTS).format(o=names[-1], p=choose.choice(names))
    body = "\n    ".join([f"def f({parameter}, k):", *lines, f"return {returned}"])
    breaks_xla = WRITES.search(body) and LISTS.search(body)
    options = "(jit_compile=True)" if _one_in(12, choose) and not breaks_xla else ""
    definition = f"@function{options}\n{body}"
    pool = [number.format(one) for one in choose.choice([INTS, INTS, FLOATS, FLOATS, MIXED, ALIKE])]
    calls = [_call(choose, value, pool, taped=taped) for _ in range(choose.randint(4, 9))]
    calls += choose.sample(calls, choose.randint(1, len(calls)))
    if not WRITES.search(definition) and _one_in(5, choose):
        calls += [f"together(lambda: {one}, lambda: {two})" for one, two in itertools.pairwise(calls[-4:])]
    return Program(
        PREAMBLE, definition, tuple(calls), variables=("v", "w", "mean"), autograph=converted, own_policy=strict
    )


def _one_in(count: int, choose: Random) -> bool:
    """Yes is the last of the choices: Hypothesis makes what it finds small by trying the first ones."""
    return choose.randrange(count) == count - 1


def _statement(choose: Random, names: list[str], result: str, converted: bool) -> str:
    def filled(pattern: str) -> str:
        return pattern.replace("{a}", choose.choice(names)).replace("{b}", choose.choice(names))

    one, two = filled(choose.choice(EXPRESSIONS)), filled(choose.choice(EXPRESSIONS))
    if not _one_in(3, choose):
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
    if _one_in(3, choose):
        entries.reverse()
    other = choose.choice([size, size, 1, choose.choice(SIZES)])
    argument = value.replace("{n}", str(size)).replace("{m}", str(other)).replace("{D}", "{" + ", ".join(entries) + "}")
    number = choose.choice(pool)
    call, of_t = f"f({argument}, {number})", f"f(t, {number})"
    if value.startswith("filled") and (taped or _one_in(8, choose)):
        kind = choose.choice(TAPES)
        return f"(lambda t: tapes({kind!r}, lambda: f(t, {choose.choice(pool)}), [t, v, w]))({argument})"
    return choose.choice([*[call] * 8, f"tf.function(lambda: {call})()", f"tf.function(lambda t: {of_t})({argument})"])


class Fresh:
    """The referee: a `tf.function` that is made anew for every call."""

    def __init__(self, tf: Any, body: Callable[..., Any], options: dict[str, Any]) -> None:
        self._make = lambda: tf.function(body, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._make()(*args, **kwargs)


def compare(tf: Any, program: Program, function: Callable[..., Any]) -> list[tuple[str, Outcome, Outcome]]:
    """The calls, with both outcomes, in which the two differ.

    Where operations that run at the same time all fail, it is chance which of them TensorFlow tells of: an error is
    right if TensorFlow itself, asked again, gives it too. And where it gives other numbers when it is asked again (XLA
    writes anything into variables when it fails; some operations read memory that nobody wrote), nothing can be said
    from there on. Some calls fail with a new `tf.function` and work with one that has failed so once (the gradient of a
    loop's gradient in forward mode): what a `tf.function` that is kept does is right, too.
    """
    options = {"relax": False, "lift": False} if program.own_policy else {}

    def referee() -> list[Outcome]:
        return run(tf, program, lambda body, **settings: Fresh(tf, body, settings))

    def kept() -> list[Outcome]:
        return run(tf, program, lambda body, **settings: tf.function(body, **settings))

    theirs = referee()
    ours = run(tf, program, lambda body, **settings: function(body, **settings, **options))
    ulps = 0 if program.own_policy else ROUNDED
    differing = [
        number
        for number, (one, two) in enumerate(zip(theirs, ours, strict=True))
        if one.error != two.error or not _same_numbers(one, two, ulps)
    ]
    for _ in range(REPEATED if differing else 0):
        steady = itertools.takewhile(lambda pair: _same_numbers(*pair, ulps), zip(theirs, referee(), strict=True))
        last = len(list(steady))
        differing = [number for number in differing if number < last]
    if any(theirs[number].error and not ours[number].error for number in differing):
        as_kept = [not one.error and _same_numbers(one, two, ulps) for one, two in zip(kept(), ours, strict=True)]
        differing = [number for number in differing if not (theirs[number].error and as_kept[number])]
    for _ in range(RACES):
        if not differing or not all(theirs[number].error and ours[number].error for number in differing):
            break
        again = referee()
        differing = [number for number in differing if again[number].error != ours[number].error]
    return [(program.calls[number], theirs[number], ours[number]) for number in differing]


def _same_numbers(one: Outcome, two: Outcome, ulps: int) -> bool:
    """Neither results nor variables tell the two apart."""
    returned = alike(one.returned, two.returned, ulps, max(largest(one.returned), INPUTS))
    return returned and alike(one.variables, two.variables, ulps)


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
