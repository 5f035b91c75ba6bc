"""One structure for all calls: the same keys, one tensor for a list of any length, a list or a tuple. Advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import Cause, CauseCode, Container, Leaf, Note, Signature, Verdict
from traceonce.facts.signature import ARGUMENTS, KEYWORDS
from traceonce.fix.candidate import Candidate, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.signatures.call_code import spell_call
from traceonce.fix.signatures.leaves import leaves_at, top
from traceonce.fix.signatures.prediction import SignatureChange, predict_traces
from traceonce.frameworks.tensorflow.words import KEYS_MISSING, LENGTH_IS_A_TENSOR, LIST_AND_TUPLE_DIFFER

_SEQUENCES = ("list", "tuple", ARGUMENTS)
_MAPPINGS = ("dict", KEYWORDS)


class Uniform(NamedTuple):
    """How one place gets one structure: the code, why it is the author's to decide, and what it does to a request."""

    snippet: str
    note: Note
    change: SignatureChange
    effects: frozenset[Effect] = frozenset()
    relax: bool = False


def _propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.verdict not in (Verdict.RETRACING, Verdict.AVOIDABLE) or case.diagnosis.function.library:
        return
    for cause in case.diagnosis.causes:
        uniform = _make_uniform(case, cause) if cause.code is CauseCode.STRUCTURE else None
        if uniform is not None:
            traces = predict_traces(case.events, uniform.change, relax=uniform.relax)
            yield Candidate(
                "uniform_structure",
                "advice",
                (CauseCode.STRUCTURE,),
                None,
                traces,
                uniform.snippet,
                (uniform.note,),
                effects=uniform.effects,
            )


def _make_uniform(case: Case, cause: Cause) -> Uniform | None:
    path = cause.path.removeprefix("len(").removesuffix(")") if cause.path.startswith("len(") else cause.path
    seen = [container for signature in case.signatures for container in signature.structure if container.path == path]
    types = list(dict.fromkeys(container.type_name for container in seen))
    if len(seen) != len(case.signatures):
        return None
    if len(types) > 1:
        return _one_sequence(case, path, types[0]) if set(types) <= {"list", "tuple"} else None
    if types[0] in _MAPPINGS:
        return _all_keys(case, path, seen)
    return _one_tensor(case, path, seen) if types[0] in _SEQUENCES else None


def _one_sequence(case: Case, path: str, type_name: str) -> Uniform:
    snippet = _call_with(case, path, f"{type_name}({path})")

    def change(signature: Signature) -> Signature:
        return _with_container(signature, path, lambda old: msgspec.structs.replace(old, type_name=type_name))

    return Uniform(snippet, LIST_AND_TUPLE_DIFFER(type=type_name), change)


def _call_with(case: Case, path: str, code: str) -> str:
    """The call with `code` in the place of `path`."""
    return spell_call(case, {path: code}) if top(path) == path else f"{path} = {code}\n{spell_call(case)}"


def _all_keys(case: Case, path: str, seen: Sequence[Container]) -> Uniform | None:
    keys = list(dict.fromkeys(key for container in seen for key in container.keys))
    missing = [key for key in keys if any(key not in container.keys for container in seen)]
    spelt = {key: repr(key) if seen[0].type_name == KEYWORDS else key for key in keys}
    fillers: dict[str, Leaf] = {}
    for key in missing:
        found = leaves_at(case.signatures, f"{path}[{spelt[key]}]")
        if not found or _spell_filler(found[0]) is None:
            return None  # something that nests, or that only its author can make
        fillers[key] = found[0]
    entries = ", ".join(f"{spelt[key]}: {_spell_filler(leaf)}" for key, leaf in fillers.items())
    snippet = f"{path} = {{{entries}, **{path}}}\n{spell_call(case)}"
    note = KEYS_MISSING(names=[spelt[key] for key in missing])

    def change(signature: Signature) -> Signature:
        added = tuple(leaf for leaf in fillers.values() if not leaves_at([signature], leaf.path))
        whole = _with_container(signature, path, lambda old: msgspec.structs.replace(old, keys=tuple(sorted(keys))))
        leaves = tuple(sorted((*whole.leaves, *added), key=lambda leaf: leaf.path))
        return msgspec.structs.replace(whole, leaves=leaves)

    effects = frozenset(Effect("filled", leaf.path, _filler_kind(leaf)) for leaf in fillers.values())
    return Uniform(snippet, note, change, effects)


def _filler_kind(leaf: Leaf) -> str:
    return "zeros" if leaf.kind == "tensor" and leaf.dtype != "string" else str(_spell_filler(leaf))


def _spell_filler(leaf: Leaf) -> str | None:
    if leaf.kind == "tensor" and not leaf.type_name and leaf.shape is not None and None not in leaf.shape:
        shape = ", ".join(map(str, leaf.shape))
        return f'tf.fill([{shape}], "")' if leaf.dtype == "string" else f"tf.zeros([{shape}], tf.{leaf.dtype})"
    return leaf.value if leaf.kind == "python" and leaf.type_name in ("bool", "int", "float", "str") else None


def _one_tensor(case: Case, path: str, seen: Sequence[Container]) -> Uniform | None:
    """A list of any length as one tensor with a first dimension of that length."""
    items = [leaf for signature in case.signatures for leaf in signature.leaves if _is_item(leaf, path)]
    if len(items) != sum(len(container.keys) for container in seen) or any(not container.keys for container in seen):
        return None
    stacked = _stack(items)
    if stacked is None:
        return None
    code, dtype, shape = stacked
    lengths = enumerate_values(list(dict.fromkeys(len(container.keys) for container in seen)))
    call = _call_with(case, path, f"{code}({path})")
    sizes = ", ".join(["n", *map(str, shape)])
    what = f"{path}: one tensor [{sizes}] in place of {lengths} tensors"
    note = LENGTH_IS_A_TENSOR(path=path)

    def change(signature: Signature) -> Signature:
        leaves = [leaf for leaf in signature.leaves if not _is_item(leaf, path)]
        count = len(signature.leaves) - len(leaves)
        leaves.append(Leaf(path, "tensor", dtype=dtype, shape=(count, *shape)))
        structure = tuple(container for container in signature.structure if container.path != path)
        return Signature(tuple(sorted(leaves, key=lambda leaf: leaf.path)), structure, signature.context)

    return Uniform(
        f"@tf.function(reduce_retracing=True)  # {what}\n{call}",
        note,
        change,
        frozenset({Effect("stacked", path)}),
        relax=True,
    )


def _is_item(leaf: Leaf, path: str) -> bool:
    return leaf.path.startswith(f"{path}[") and leaf.path.endswith("]") and leaf.path[len(path) + 1 : -1].isdigit()


def _stack(items: Sequence[Leaf]) -> tuple[str, str, tuple[int | None, ...]] | None:
    """What makes one tensor of them, its dtype and the shape of one of them; None where they do not fit together."""
    first = items[0]
    if all(leaf.kind == "python" and leaf.type_name in ("int", "float") for leaf in items):
        return "tf.constant", "float32" if any(leaf.type_name == "float" for leaf in items) else "int32", ()
    fits = all(leaf.kind == "tensor" and (leaf.dtype, leaf.shape) == (first.dtype, first.shape) for leaf in items)
    if not fits or first.dtype is None or first.shape is None or first.type_name:
        return None
    return "tf.stack", first.dtype, first.shape


def _with_container(signature: Signature, path: str, change: Callable[[Container], Container]) -> Signature:
    structure = tuple(change(container) if container.path == path else container for container in signature.structure)
    return msgspec.structs.replace(signature, structure=structure)


RECIPE = Recipe(
    name="uniform_structure",
    title="Use one structure for all calls",
    what="Makes every call pass the same keys, one tensor instead of a list of any length, or always a list (or "
    "always a tuple).",
    why="Traces are keyed on argument structure: each set of keys and each length has its own trace.",
    beware="A placeholder for a missing key must be neutral, and a test for the key is always true. Use "
    "`tf.shape(x)[0]` instead of `len(x)` for the former list's length.",
    propose=_propose,
    examples=(
        Example(
            title="An optional bias",
            function="total",
            traces_before=6,
            traces_after=3,
            program='''\
import tensorflow as tf


@tf.function
def total(batch, scale):
    values = batch["x"] + batch["bias"] if "bias" in batch else batch["x"]
    return tf.reduce_sum(values) * scale


for scale in (1.0, 2.0, 3.0):
    total({"x": tf.ones([4])}, scale)
    total({"x": tf.ones([4]), "bias": tf.ones([4])}, scale)
''',
            advice="""\
batch = {'bias': tf.zeros([4], tf.float32), **batch}
total(batch, scale)""",
        ),
        Example(
            title="A list of any number of pictures",
            function="merge",
            traces_before=5,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def merge(pictures):
    total = tf.zeros([8])
    for picture in pictures:
        total += picture
    return total


for count in (2, 3, 4, 5, 6):
    merge([tf.ones([8])] * count)
''',
            advice="""\
@tf.function(reduce_retracing=True)  # pictures: one tensor [n, 8] in place of 2, 3, 4, 5, 6 tensors
merge(tf.stack(pictures))""",
        ),
    ),
)  # fmt: skip
