"""What is a list of numbers in some calls, and a tensor or an array in others, is made a tensor at the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode, Container, Leaf, Signature
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.leaves import leaves_at, top
from traceonce.fix.signatures.prediction import LIFTABLE, SignatureChange, predict_traces
from traceonce.frameworks.tensorflow.recipes.input_signature import propose_signatures
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import NAME as RELAX
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import propose_relaxed
from traceonce.words.notes.common import ALWAYS_DTYPE

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "as_tensor"
_TREATED = frozenset({CauseCode.KIND, CauseCode.STRUCTURE})


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or any(event.signed for event in case.events):
        return
    dtypes = _mixed(case.signatures)
    if not dtypes:
        return
    before, change = _converted(dtypes), _converting(case, dtypes)
    notes = tuple(ALWAYS_DTYPE(path=path, dtype=dtype) for path, dtype in dtypes.items())
    codes = tuple(sorted(case.codes & _TREATED))
    call = spell_changes(case, {path: _code(path, dtype) for path, dtype in dtypes.items()})
    effects = frozenset(Effect("converted", *each) for each in dtypes.items())
    left = predict_traces(case.events, before)
    if left < predict_traces(case.events):
        yield Candidate(NAME, "review", codes, change, left, call, notes, effects=effects)
    try:
        yield from propose_signatures(case, f"{NAME}+input_signature", before, (change,), notes, call, effects)
    except Declined:
        yield from propose_relaxed(case, f"{NAME}+{RELAX}", before, (change,), _TREATED, notes, call, effects)


def _code(value: str, dtype: str) -> str:
    return f"tf.convert_to_tensor({value}, tf.{dtype})"


def _mixed(signatures: Sequence[Signature]) -> dict[str, str]:
    """Parameters that are a tensor of one dtype in some calls, and a list (or a tuple) of numbers in all others."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(leaf.path for one in signatures for leaf in one.leaves if leaf.kind == "tensor"):
        if top(path) != path:
            continue
        tensors = leaves_at(signatures, path)
        lists = [one for one in signatures if _list_at(one, path) is not None]
        dtypes = {leaf.dtype for leaf in tensors}
        plain = all(leaf.kind == "tensor" and not leaf.type_name for leaf in tensors)
        if lists and plain and len(dtypes) == 1 and len(lists) + len(tensors) == len(signatures):
            dtype = dtypes.pop()
            if dtype is not None and all(_holds_numbers(one, path) for one in lists):
                found[path] = dtype
    return found


def _list_at(signature: Signature, path: str) -> Container | None:
    here = (container for container in signature.structure if container.path == path)
    return next((container for container in here if container.type_name in ("list", "tuple")), None)


def _items(signature: Signature, path: str) -> list[Leaf]:
    return [leaf for leaf in signature.leaves if leaf.path.startswith(f"{path}[")]


def _holds_numbers(signature: Signature, path: str) -> bool:
    """Python's, or scalars; lists inside of lists are left to their author."""
    container, items = _list_at(signature, path), _items(signature, path)
    scalars = all(
        leaf.path.count("[") == 1
        and ((leaf.kind == "python" and leaf.type_name in LIFTABLE) or (leaf.kind == "tensor" and leaf.shape == ()))
        for leaf in items
    )
    return container is not None and bool(items) and len(items) == len(container.keys) and scalars


def _converted(dtypes: Mapping[str, str]) -> SignatureChange:
    def convert(signature: Signature) -> Signature:
        leaves, structure = list(signature.leaves), list(signature.structure)
        for path, dtype in dtypes.items():
            container = _list_at(signature, path)
            if container is not None:
                items = _items(signature, path)
                leaves = [leaf for leaf in leaves if leaf not in items]
                leaves.append(Leaf(path, "tensor", dtype=dtype, shape=(len(items),)))
                structure.remove(container)
        return Signature(tuple(sorted(leaves, key=lambda leaf: leaf.path)), tuple(structure), signature.context)

    return convert


def _converting(case: Case, dtypes: Mapping[str, str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for path, dtype in dtypes.items():
            for argument in find_arguments(case, edits, path):
                kinds = argument.site.arguments
                lists = any(inner.startswith(f"{path}[") for inner in kinds)
                if lists or kinds.get(path, ()) != (f"tensor {dtype}",):
                    wrap_argument(edits, argument, _code("value", dtype))

    return change


RECIPE = Recipe(
    name=NAME,
    title="Convert at the call",
    what="Wraps an argument in `tf.convert_to_tensor` where some calls pass a tensor or array and others a list.",
    why="A list has a different structure from a tensor, and its numbers are looked up by value: every list has "
    "its own trace.",
    beware="The numbers of a list take the dtype of the tensors. In the body the argument is one tensor, which "
    "`len` and Python's `sum` treat differently from a list.",
    propose=propose,
    treats_arguments=True,
    shown_by_probes=True,
    examples=(
        Example(
            title="Edges passed as a tensor or a list",
            function="histogram",
            traces_before=5,
            traces_after=1,
            program="""\
import tensorflow as tf


@tf.function
def histogram(values, edges):
    return tf.math.bincount(tf.searchsorted(edges, values), minlength=3)


values = tf.constant([0.1, 0.4, 0.9])
for number in range(8):
    edges = [0.2, 0.5 + number / 10]
    print(histogram(values, edges if number % 2 else tf.constant(edges)).numpy())
    print(histogram(values, tf.constant(edges)).numpy())
""",
            repaired="""\
import tensorflow as tf


@tf.function
def histogram(values, edges):
    return tf.math.bincount(tf.searchsorted(edges, values), minlength=3)


values = tf.constant([0.1, 0.4, 0.9])
for number in range(8):
    edges = [0.2, 0.5 + number / 10]
    print(histogram(values, tf.convert_to_tensor(edges if number % 2 else tf.constant(edges), tf.float32)).numpy())
    print(histogram(values, tf.constant(edges)).numpy())
""",
        ),
    ),
)
