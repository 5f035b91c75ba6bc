"""One structure for all calls: a list of any length as one padded array with a mask, the same keys. Advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from traceonce.facts import CauseCode, Container, Leaf, Note, Signature, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import arguments_of, callee_of
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import SignatureChange, predict_traces
from traceonce.frameworks.jax.words import KEYS_FOR_ALL_CALLS, ONE_ARRAY_FOR_A_LIST

NAME = "uniform_structure"
HELPER = """\
def stacked(items):  # one array of the next power of two, and a mask of what is real
    size = 1 << (len(items) - 1).bit_length()
    missing = [jnp.zeros_like(items[0])] * (size - len(items))
    return jnp.stack([*items, *missing]), jnp.arange(size) < len(items)
"""


def propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.function.library or diagnosis.verdict not in (Verdict.RETRACING, Verdict.AVOIDABLE):
        return
    for cause in diagnosis.causes:
        if cause.code is not CauseCode.STRUCTURE:
            continue
        path = cause.path.removeprefix("len(").removesuffix(")") if cause.path.startswith("len(") else cause.path
        seen = [each for signature in case.signatures for each in signature.structure if each.path == path]
        if len(seen) != len(case.signatures) or not path.isidentifier():
            continue
        types = {container.type_name for container in seen}
        if types <= {"list", "tuple"}:
            yield from _stacked(case, path, seen)
        elif types == {"dict"}:
            yield from _with_all_keys(case, path, seen)


def _stacked(case: Case, path: str, seen: Sequence[Container]) -> Iterator[Candidate]:
    items = [leaf for signature in case.signatures for leaf in signature.leaves if leaf.path.startswith(f"{path}[")]
    kinds = {(leaf.kind, leaf.dtype, leaf.shape) for leaf in items}
    if len(kinds) != 1 or items[0].kind != "tensor" or len(items) != sum(len(each.keys) for each in seen):
        return
    first = items[0]

    def change(signature: Signature) -> Signature:
        kept = [leaf for leaf in signature.leaves if not leaf.path.startswith(f"{path}[")]
        length = len(signature.leaves) - len(kept)
        size = 1 << max(length - 1, 0).bit_length()
        whole = Leaf(path, "tensor", dtype=first.dtype, shape=(size, *(first.shape or ())))
        structure = tuple(each for each in signature.structure if each.path != path)
        return msgspec.structs.replace(signature, leaves=(*kept, whole), structure=structure)

    given = ", ".join([*arguments_of(case), "mask=mask"])
    call = f"{callee_of(case.diagnosis.function)}({given})  # jnp.sum({path}, axis=0, where=mask) / mask.sum()"
    snippet = f"{HELPER}\n{path}, mask = stacked({path})\n{call}"
    yield from _advice(case, change, snippet, ONE_ARRAY_FOR_A_LIST(path=path))


def _with_all_keys(case: Case, path: str, seen: Sequence[Container]) -> Iterator[Candidate]:
    keys = list(dict.fromkeys(key for container in seen for key in container.keys))
    missing = [key for key in keys if any(key not in container.keys for container in seen)]
    fillers: dict[str, Leaf] = {}
    for key in missing:
        found = leaves_at(case.signatures, f"{path}[{key}]")
        if not found or len({(leaf.kind, leaf.dtype, leaf.shape) for leaf in found}) != 1 or found[0].kind != "tensor":
            return
        fillers[key] = found[0]

    def change(signature: Signature) -> Signature:
        added = [leaf for leaf in fillers.values() if not leaves_at([signature], leaf.path)]
        leaves = tuple(sorted((*signature.leaves, *added), key=lambda leaf: leaf.path))
        structure = tuple(
            msgspec.structs.replace(each, keys=tuple(sorted(keys))) if each.path == path else each
            for each in signature.structure
        )
        return msgspec.structs.replace(signature, leaves=leaves, structure=structure)

    entries = ", ".join(f"{key}: jnp.ones({_shape(leaf)}, jnp.{leaf.dtype})" for key, leaf in fillers.items())
    call = f"{callee_of(case.diagnosis.function)}({', '.join(arguments_of(case))})"
    yield from _advice(case, change, f"{path} = {{{entries}, **{path}}}\n{call}", KEYS_FOR_ALL_CALLS(names=missing))


def _shape(leaf: Leaf) -> str:
    shape = leaf.shape or ()
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


def _advice(case: Case, change: SignatureChange, snippet: str, note: Note) -> Iterator[Candidate]:
    left = predict_traces(case.events, change)
    if left < case.diagnosis.traces:
        yield Candidate(NAME, "advice", (CauseCode.STRUCTURE,), None, left, snippet, (note,))


RECIPE = Recipe(
    name=NAME,
    title="Use one structure for all calls",
    what="Suggests stacking a list of varying length into one padded array with a mask, and passing the same "
    "dict keys on every call.",
    why="JAX traces per argument structure: a list of four arrays and a list of five differ, as do dicts with "
    "different keys.",
    beware="A placeholder for a missing value is data to the function. Only the author knows which value is "
    "neutral and where the mask belongs.",
    propose=propose,
    examples=(
        Example(
            title="A growing list of losses",
            function="average",
            traces_before=7,
            traces_after=4,
            program='''\
import jax
import jax.numpy as jnp


@jax.jit
def average(losses):
    return sum(losses) / len(losses)


losses = []
for step in range(7):
    losses.append(jnp.sqrt(jnp.float32(step)))
    print(step, round(float(average(losses)), 4))
''',
            advice=f'''\
{HELPER}
losses, mask = stacked(losses)
average(losses, mask=mask)  # jnp.sum(losses, axis=0, where=mask) / mask.sum()''',
        ),
        Example(
            title="An optional weight in some batches",
            function="loss",
            traces_before=2,
            traces_after=1,
            program='''\
import jax
import jax.numpy as jnp


@jax.jit
def loss(batch):
    error = (batch["x"] - batch["y"]) ** 2
    if "weight" in batch:
        error = error * batch["weight"]
    return jnp.mean(error)


for turn in range(8):
    batch = {"x": jnp.arange(4.0) + turn, "y": jnp.ones(4)}
    if turn % 3 == 2:
        batch["weight"] = jnp.arange(4.0)
    print(turn, loss(batch))
''',
            advice="""\
batch = {'weight': jnp.ones((4,), jnp.float32), **batch}
loss(batch)""",
        ),
    ),
)  # fmt: skip
