"""One signature for every call seen: `None` only where a dimension varied, a scalar tensor for a Python number."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode, Note, Signature
from traceonce.facts.fix import Safety
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe, WidenableChange
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import join_lines
from traceonce.fix.signatures.prediction import SignatureChange, in_turn, lift, predict_traces, unchanged
from traceonce.frameworks.tensorflow.recipes import dynamic_shape
from traceonce.frameworks.tensorflow.recipes.cover import Cover, NoSignature, cover
from traceonce.frameworks.tensorflow.recipes.dtypes import assign_alike, note_lifted, number_paths, stack, stacked_lists
from traceonce.frameworks.tensorflow.words import (
    CLASSES_UNKNOWN_THERE,
    LIST_BECOMES_TENSOR,
    NO_ONE_SIGNATURE,
    SIGNATURE_THERE_ALREADY,
    SIZES_READ_AT_RUN_TIME,
)
from traceonce.words.notes import join_notes

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "input_signature"
MOST = 6  # choices of dtypes that are tried
TREATED = {
    CauseCode.SHAPE,
    CauseCode.RANK,
    CauseCode.VALUE,
    CauseCode.KIND,
    CauseCode.SPEC,
    CauseCode.STRUCTURE,
    CauseCode.DTYPE,
}


@dataclass(frozen=True)
class Signing(WidenableChange):
    """Gives the function this signature. `beside` are the other changes that belong to the repair."""

    case: Case
    cover: Cover
    beside: tuple[Change, ...] = ()

    def __call__(self, edits: Edits) -> None:
        from traceonce.fix.source.compile_sites import find_creation, has_option, set_option

        creation = find_creation(self.case, edits)
        if has_option(creation, NAME):
            raise Declined(SIGNATURE_THERE_ALREADY())
        unknown = sorted(self.cover.classes - creation.module.names_bound_in(creation.module.tree))
        if unknown:
            raise Declined(CLASSES_UNKNOWN_THERE(names=unknown, file=creation.module.file))
        set_option(edits, creation, NAME, self.cover.layout)
        for change in self.beside:
            change(edits)

    def wider(self, candidate: Candidate) -> Candidate | None:
        """With every dimension open, for input that the least signature refuses."""
        widened = self.cover.widen()
        if widened == self.cover:
            return None
        change = dataclasses.replace(self, cover=widened)
        return dataclasses.replace(candidate, change=change, snippet=_decorator(widened))


def propose(case: Case) -> Iterator[Candidate]:
    """The least signature with each choice of dtypes, the likeliest first; Declined where there is none."""
    if not case.codes & TREATED:
        return
    yield from propose_signatures(case, NAME)


def propose_signatures(
    case: Case,
    name: str,
    before: SignatureChange = unchanged,
    beside: tuple[Change, ...] = (),
    notes: Sequence[Note] = (),
    call: str | None = None,
    effects: frozenset[Effect] = frozenset(),
) -> Iterator[Candidate]:
    """Candidates for calls that are changed by `before`, along with the changes `beside` of the source.

    `call` shows how the function is called then, `effects` say it. Each signature is followed by the least change of
    the body that it may need; what goes further comes last.
    """
    if not case.events or any(event.signed for event in case.events):
        return
    signatures = [before(event.served) for event in case.events]
    rest: list[Candidate] = []
    for prepare, lifted, stacked in _preparations(signatures):
        try:
            least = cover([prepare(signature) for signature in signatures])
        except NoSignature as why:
            raise Declined(NO_ONE_SIGNATURE(), why.reason) from None
        safety: Safety = "review" if lifted or stacked or beside else "safe"
        plain = Candidate(
            recipe=name,
            safety=safety,
            causes=tuple(sorted(case.codes & TREATED)),
            change=Signing(case, least, beside),
            predicted_traces=predict_traces(case.events, in_turn(before, prepare, least.apply)),
            snippet=join_lines(_decorator(least), call),
            notes=join_notes(notes, note_lifted(lifted), _note_stacked(stacked)),
            effects=effects.union(
                (Effect("lifted", *each) for each in lifted.items()), (Effect("stacked", path) for path in stacked)
            ),
        )
        yield plain
        further = [_with_body(plain, change) for change in dynamic_shape.variants(case, least.open_shapes)]
        yield from further[:1]
        rest.extend(further[1:])
    yield from rest


def _decorator(least: Cover) -> str:
    return f"@tf.function({NAME}={least.code})"


def _with_body(plain: Candidate, change: Change) -> Candidate:
    signing = plain.change
    assert isinstance(signing, Signing)
    return dataclasses.replace(
        plain,
        recipe=f"{plain.recipe}+{dynamic_shape.NAME}",
        safety="review",
        change=dataclasses.replace(signing, beside=(*signing.beside, change)),
        notes=join_notes(plain.notes, [SIZES_READ_AT_RUN_TIME()]),
    )


def _preparations(
    signatures: Sequence[Signature],
) -> Iterator[tuple[SignatureChange, dict[str, str], tuple[str, ...]]]:
    """What happens to the arguments first: lists given as one tensor, and numbers with a dtype each."""
    lists = stacked_lists(signatures)

    def stack_them(signature: Signature) -> Signature:
        return stack(signature, lists)

    first = stack_them if lists else unchanged
    choices = number_paths([first(signature) for signature in signatures])
    for dtypes in _assignments(choices):
        yield in_turn(first, lift(dtypes)), dtypes, tuple(lists)


def _assignments(choices: Mapping[str, tuple[str, ...]]) -> Iterator[dict[str, str]]:
    """A dtype for each number: the same kind for all first, then the mixtures, a few of them.

    A number without a choice is left as it is, and the signature will say why it cannot hold it.
    """
    open_choices = {path: dtypes for path, dtypes in choices.items() if dtypes}
    alike = assign_alike(open_choices)
    mixed = (chosen for chosen in _mixtures(open_choices) if chosen not in alike)
    yield from itertools.islice(itertools.chain(alike, mixed), MOST)


def _mixtures(choices: Mapping[str, tuple[str, ...]]) -> Iterator[dict[str, str]]:
    """Some numbers with their second choice, the others with their first: one after the other, two of them, and so on.

    There may be too many to list.
    """
    first = {path: dtypes[0] for path, dtypes in choices.items()}
    several = [path for path, dtypes in choices.items() if len(dtypes) > 1]
    for size in range(1, len(several)):
        for paths in itertools.combinations(reversed(several), size):
            yield {**first, **{path: choices[path][1] for path in paths}}


def _note_stacked(paths: Sequence[str]) -> Iterator[Note]:
    if paths:
        yield LIST_BECOMES_TENSOR(names=paths)


RECIPE = Recipe(
    name=NAME,
    title="Add an input signature",
    what="Adds the narrowest `input_signature` that accepts every recorded call.",
    why="A function with a signature is traced once. An open dimension accepts every size, a scalar spec every "
    "number.",
    beware="A call that the signature rejects raises an error instead of retracing. Python numbers become "
    "tensors: an int32 holds at most 2,147,483,647. The body may no longer know sizes statically.",
    propose=propose,
    fits_calls=True,
    treats_arguments=True,
    shown_by_probes=True,
    examples=(
        Example(
            title="Batches of any size and a step number",
            function="damped",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def damped(x, step):
    return tf.reduce_mean(x) / tf.cast(step + 1, tf.float32)


for step in range(6):
    print(float(damped(tf.ones([step + 1, 3]), step)))
''',
            repaired='''\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.int32)])
def damped(x, step):
    return tf.reduce_mean(x) / tf.cast(step + 1, tf.float32)


for step in range(6):
    print(float(damped(tf.ones([step + 1, 3]), step)))
''',
        ),
        Example(
            title="Flags that multiply",
            function="augmented",
            traces_before=8,
            traces_after=1,
            program='''\
import itertools
import tensorflow as tf


@tf.function
def augmented(x, flip, invert, halve):
    if flip:
        x = tf.reverse(x, axis=[0])
    x = 1.0 - x if invert else x
    return x / 2.0 if halve else x


for flags in itertools.product((True, False), repeat=3):
    print(augmented(tf.constant([0.25, 1.0]), *flags).numpy())
''',
            repaired='''\
import itertools
import tensorflow as tf


@tf.function(input_signature=[
    tf.TensorSpec([2], tf.float32),
    tf.TensorSpec([], tf.bool),
    tf.TensorSpec([], tf.bool),
    tf.TensorSpec([], tf.bool),
])
def augmented(x, flip, invert, halve):
    if flip:
        x = tf.reverse(x, axis=[0])
    x = 1.0 - x if invert else x
    return x / 2.0 if halve else x


for flags in itertools.product((True, False), repeat=3):
    print(augmented(tf.constant([0.25, 1.0]), *flags).numpy())
''',
        ),
        Example(
            title="A method with options, a nested batch and defaults",
            function="Model.loss",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        self.weight = tf.Variable(2.0)

    @tf.function(autograph=False)
    def loss(self, batch, scale=1.0, training=False):
        return scale * self.weight * tf.reduce_sum(batch["features"]) + batch["offsets"][0]


model = Model()
for length in range(2, 8):
    batch = {"features": tf.ones([4, length]), "offsets": (tf.constant(0.5), tf.constant(1.0))}
    print(float(model.loss(batch, scale=length / 2)))
''',
            repaired='''\
import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        self.weight = tf.Variable(2.0)

    @tf.function(autograph=False, input_signature=[
        {
            "features": tf.TensorSpec([4, None], tf.float32),
            "offsets": (tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)),
        },
        tf.TensorSpec([], tf.float32),
    ])
    def loss(self, batch, scale=1.0, training=False):
        return scale * self.weight * tf.reduce_sum(batch["features"]) + batch["offsets"][0]


model = Model()
for length in range(2, 8):
    batch = {"features": tf.ones([4, length]), "offsets": (tf.constant(0.5), tf.constant(1.0))}
    print(float(model.loss(batch, scale=length / 2)))
''',
        ),
        Example(
            title="Ragged rows",
            function="total",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def total(rows, exponent):
    return tf.reduce_sum(tf.reduce_sum(rows, axis=1)) ** exponent


for count in range(1, 7):
    rows = tf.ragged.constant([[0.5] * (row + 1) for row in range(count)])
    print(float(total(rows, count)))
''',
            repaired='''\
import tensorflow as tf


@tf.function(input_signature=[
    tf.RaggedTensorSpec([None, None], tf.float32, ragged_rank=1),
    tf.TensorSpec([], tf.float32),
])
def total(rows, exponent):
    return tf.reduce_sum(tf.reduce_sum(rows, axis=1)) ** exponent


for count in range(1, 7):
    rows = tf.ragged.constant([[0.5] * (row + 1) for row in range(count)])
    print(float(total(rows, count)))
''',
        ),
        Example(
            title="A named tuple and extra arguments",
            function="loss",
            traces_before=6,
            traces_after=1,
            program='''\
from typing import NamedTuple

import tensorflow as tf


class Batch(NamedTuple):
    tokens: tf.Tensor
    extras: dict


@tf.function
def loss(batch, *weights):
    return weights[0] * tf.reduce_sum(batch.tokens) + weights[1] * batch.extras["bias"][0]


for length in range(2, 8):
    batch = Batch(tf.ones([4, length]), {"bias": [tf.constant(0.5)], "mask": tf.ones([4, length])})
    print(float(loss(batch, length / 2, 0.25)))
''',
            repaired='''\
from typing import NamedTuple

import tensorflow as tf


class Batch(NamedTuple):
    tokens: tf.Tensor
    extras: dict


@tf.function(input_signature=[
    Batch(
        tokens=tf.TensorSpec([4, None], tf.float32),
        extras={
            "bias": [tf.TensorSpec([], tf.float32)],
            "mask": tf.TensorSpec([4, None], tf.float32),
        },
    ),
    tf.TensorSpec([], tf.float32),
    tf.TensorSpec([], tf.float32),
])
def loss(batch, *weights):
    return weights[0] * tf.reduce_sum(batch.tokens) + weights[1] * batch.extras["bias"][0]


for length in range(2, 8):
    batch = Batch(tf.ones([4, length]), {"bias": [tf.constant(0.5)], "mask": tf.ones([4, length])})
    print(float(loss(batch, length / 2, 0.25)))
''',
        ),
    ),
)  # fmt: skip
