"""TensorFlow is asked to relax shapes by itself, where no one signature can be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode, Note, Signature
from traceonce.facts.fix import Safety
from traceonce.facts.signature import ARGUMENTS, KEYWORDS, Shape
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe, together
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import join_lines
from traceonce.fix.signatures.prediction import SignatureChange, predict_traces, unchanged
from traceonce.frameworks.tensorflow.recipes import dynamic_shape
from traceonce.frameworks.tensorflow.words import RELAXING_FAILS, SIZES_READ_AT_RUN_TIME
from traceonce.words.notes import join_notes

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "reduce_retracing"
TREATED = frozenset({CauseCode.SHAPE, CauseCode.RANK})


def propose(case: Case) -> Iterator[Candidate]:
    yield from propose_relaxed(case, NAME)


def propose_relaxed(
    case: Case,
    name: str,
    before: SignatureChange = unchanged,
    beside: tuple[Change, ...] = (),
    causes: frozenset[CauseCode] = frozenset(),
    notes: Sequence[Note] = (),
    call: str | None = None,
    effects: frozenset[Effect] = frozenset(),
) -> Iterator[Candidate]:
    """Candidates for calls that are changed by `before`, along with the changes `beside` of the source.

    `call` shows how the function is called then, `effects` say it.
    """
    if not case.codes & TREATED or any(event.signed or event.reduce_retracing for event in case.events):
        return
    if _number_of_arguments_varies(case.signatures):
        raise Declined(RELAXING_FAILS())
    left = predict_traces(case.events, before, relax=True)
    codes = tuple(sorted((TREATED | causes) & case.codes))
    safety: Safety = "review" if beside else "safe"
    snippet = join_lines(f"@tf.function({NAME}=True)", call)
    changes = (*beside, relaxing(case))
    yield Candidate(name, safety, codes, together(*changes), left, snippet, tuple(notes), effects=effects)
    for change in dynamic_shape.variants(case, varying_shapes(case.signatures)):
        said = join_notes(notes, [SIZES_READ_AT_RUN_TIME()])
        whole = together(*changes, change)
        yield Candidate(f"{name}+{dynamic_shape.NAME}", "review", codes, whole, left, snippet, said, effects=effects)


def relaxing(case: Case) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.compile_sites import find_creation, set_option

        set_option(edits, find_creation(case, edits), NAME, "True")

    return change


def varying_shapes(signatures: tuple[Signature, ...]) -> dict[str, Shape | None]:
    """The tensors whose shapes differ between calls, each with what its shapes have in common."""
    found: dict[str, Shape | None] = {}
    for leaf in (leaf for signature in signatures for leaf in signature.leaves if leaf.kind == "tensor"):
        common = found.get(leaf.path, leaf.shape)
        if common is None or leaf.shape is None or len(common) != len(leaf.shape):
            found[leaf.path] = None
        else:
            found[leaf.path] = tuple(a if a == b else None for a, b in zip(common, leaf.shape, strict=True))
    return {path: shape for path, shape in found.items() if shape is None or None in shape}


def _number_of_arguments_varies(signatures: tuple[Signature, ...]) -> bool:
    found: dict[str, tuple[str, ...]] = {}
    for container in (container for signature in signatures for container in signature.structure):
        varies = found.setdefault(container.path, container.keys) != container.keys
        if varies and container.type_name in (ARGUMENTS, KEYWORDS):
            return True
    return False


RECIPE = Recipe(
    name=NAME,
    title="Let TensorFlow relax the shapes",
    what="Adds `reduce_retracing=True` to `tf.function`.",
    why="On the second shape TensorFlow makes one general trace for all similar shapes, instead of one trace per "
    "shape. Nothing needs to be spelled out, so it also works where another argument rules out a signature.",
    beware="It needs one trace more than a signature and relaxes only shapes: not values, dtypes or structures. "
    "A trace with open shapes may run slower than one with known shapes.",
    propose=propose,
    treats_arguments=True,
    shown_by_probes=True,
    examples=(
        Example(
            title="A mode beside a tensor of any size",
            function="norm",
            traces_before=8,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def norm(x, kind):
    if kind == "max":
        return tf.reduce_max(tf.abs(x))
    return tf.sqrt(tf.reduce_sum(x * x))


for size in range(1, 9):
    print(float(norm(tf.ones([size]), "euclid")))
''',
            repaired='''\
import tensorflow as tf


@tf.function(reduce_retracing=True)
def norm(x, kind):
    if kind == "max":
        return tf.reduce_max(tf.abs(x))
    return tf.sqrt(tf.reduce_sum(x * x))


for size in range(1, 9):
    print(float(norm(tf.ones([size]), "euclid")))
''',
        ),
        Example(
            title="A mode and a size that the body reads",
            function="pad_front",
            traces_before=7,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def pad_front(tokens, training=None):
    start = tf.zeros([tokens.shape[0], 1], tokens.dtype)
    return tf.concat([start, tokens], axis=1)


for size in range(2, 9):
    print(pad_front(tf.ones([size, 4]), training=False).numpy().sum())
''',
            repaired='''\
import tensorflow as tf


@tf.function(reduce_retracing=True)
def pad_front(tokens, training=None):
    start = tf.zeros([tf.shape(tokens)[0], 1], tokens.dtype)
    return tf.concat([start, tokens], axis=1)


for size in range(2, 9):
    print(pad_front(tf.ones([size, 4]), training=False).numpy().sum())
''',
        ),
    ),
)  # fmt: skip
