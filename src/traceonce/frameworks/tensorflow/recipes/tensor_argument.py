"""A Python number that varies is given as a tensor where the function is called; all else stays as it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode, Leaf, Signature
from traceonce.facts.signature import number
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.leaves import by_path
from traceonce.fix.signatures.prediction import FLAG, LIFTABLE, lift, predict_traces
from traceonce.frameworks.tensorflow.recipes.dtypes import assign_alike, note_lifted, number_paths
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import NAME as RELAX
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import propose_relaxed
from traceonce.words.notes.declined import DEFAULT_STAYS_A_NUMBER

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "tensor_argument"
MOST = 7  # choices of numbers and dtypes that are tried
_TREATED = frozenset({CauseCode.VALUE, CauseCode.KIND})


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or any(event.signed for event in case.events):
        return
    now = predict_traces(case.events)
    for dtypes in itertools.islice(_choices(case.signatures), MOST):
        before, change, notes = lift(dtypes), _giving(case, dtypes), tuple(note_lifted(dtypes))
        left = predict_traces(case.events, before)
        snippet = spell_changes(case, {path: f"tf.constant({path}, tf.{dtype})" for path, dtype in dtypes.items()})
        effects = frozenset(Effect("lifted", *each) for each in dtypes.items())
        if left < now:
            yield Candidate(
                NAME, "review", tuple(sorted(case.codes & _TREATED)), change, left, snippet, notes, effects=effects
            )
        yield from propose_relaxed(case, f"{NAME}+{RELAX}", before, (change,), _TREATED, notes, snippet, effects)


def _giving(case: Case, dtypes: Mapping[str, str]) -> Change:
    """Wraps what the calls give for these parameters."""

    def change(edits: Edits) -> None:
        for path, dtype in dtypes.items():
            _wrap(case, edits, path, dtype)

    return change


def _wrap(case: Case, edits: Edits, path: str, dtype: str) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

    arguments = find_arguments(case, edits, path)
    if len(arguments) < len(case.sites):
        raise Declined(DEFAULT_STAYS_A_NUMBER(path=path))
    for argument in arguments:
        kinds = argument.site.arguments.get(path, ())
        if kinds and not any(kind in (*LIFTABLE, FLAG) for kind in kinds):
            continue  # a tensor already
        mixed = any(kind not in (*LIFTABLE, FLAG) for kind in kinds)
        code = f"tf.cast(value, tf.{dtype})" if mixed else f"tf.constant(value, tf.{dtype})"
        wrap_argument(edits, argument, code)


def _choices(signatures: Sequence[Signature]) -> Iterator[dict[str, str]]:
    """Which numbers become tensors, and of which dtype: all that vary first, then all but one, and so on."""
    columns = by_path(signatures)
    varying = {path: dtypes for path, dtypes in number_paths(signatures).items() if dtypes and _varies(columns[path])}
    for size in range(len(varying), 0, -1):
        for paths in itertools.combinations(varying, size):
            # Wide integers are the last resort: only for all at once, so that every set of numbers has its turn.
            alike = assign_alike({path: varying[path] for path in paths})
            yield from alike if size == len(varying) else alike[:2]


def _varies(leaves: Sequence[Leaf]) -> bool:
    return (
        len({number(leaf) for leaf in leaves if leaf.kind == "python"}) > 1 or len({leaf.kind for leaf in leaves}) > 1
    )


RECIPE = Recipe(
    name=NAME,
    title="Pass a number as a tensor",
    what="Wraps a varying Python number in `tf.constant` at every call.",
    why="Python arguments are looked up by value, so each new number retraces. Tensors are looked up by dtype "
    "and shape only. Other arguments that must stay static (a mode, a flag, a size) stay as they are.",
    beware="In the body the number is a tensor: fine for arithmetic, comparisons, slices and ranges, but not for "
    "list indices, `tf.split`, `math` or f-strings. An int32 overflows where a Python int does not.",
    propose=propose,
    treats_arguments=True,
    shown_by_probes=True,
    examples=(
        Example(
            title="A step number beside a mode",
            function="decay",
            traces_before=8,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def decay(x, step, mode):
    rate = 0.9 if mode == "slow" else 0.5
    return x * rate ** tf.cast(step, tf.float32)


for step in range(8):
    print(float(decay(tf.constant(2.0), step, mode="slow")))
''',
            repaired='''\
import tensorflow as tf


@tf.function
def decay(x, step, mode):
    rate = 0.9 if mode == "slow" else 0.5
    return x * rate ** tf.cast(step, tf.float32)


for step in range(8):
    print(float(decay(tf.constant(2.0), tf.constant(step, tf.int32), mode="slow")))
''',
        ),
        Example(
            title="A number and a size vary; the number of parts does not",
            function="first_part",
            traces_before=6,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def first_part(x, scale, parts, *, names=("a", "b")):
    pieces = dict(zip(names, tf.split(x, parts)))
    return tf.reduce_sum(pieces[names[0]]) * scale


for number in range(1, 7):
    print(float(first_part(tf.ones([2 * number]), number / 2, 2, names=("left", "right"))))
''',
            repaired='''\
import tensorflow as tf


@tf.function(reduce_retracing=True)
def first_part(x, scale, parts, *, names=("a", "b")):
    pieces = dict(zip(names, tf.split(x, parts)))
    return tf.reduce_sum(pieces[names[0]]) * scale


for number in range(1, 7):
    print(float(first_part(tf.ones([2 * number]), tf.constant(number / 2, tf.float32), 2, names=("left", "right"))))
''',
        ),
    ),
)  # fmt: skip
