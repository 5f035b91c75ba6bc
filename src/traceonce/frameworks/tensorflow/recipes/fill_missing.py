"""What comes with some calls only (a tensor or None, a key of a dict) is filled in for the others with zeros or ones.

What fills it must mean nothing to the function: the run shows whether it does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from traceonce.facts import CauseCode, Leaf, Signature
from traceonce.facts.signature import PARAMETERS
from traceonce.fix.candidate import Candidate, Change, Declined, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import leaves_at, top
from traceonce.fix.signatures.prediction import SignatureChange, predict_traces
from traceonce.fix.signatures.spelling import spell_changes
from traceonce.frameworks.tensorflow.recipes.cover import quoted
from traceonce.frameworks.tensorflow.recipes.input_signature import propose_signatures
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import NAME as RELAX
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import propose_relaxed
from traceonce.frameworks.tensorflow.words import MISSING_IS_FILLED
from traceonce.words.notes.declined import EVALUATED_TWICE

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits

NAME = "fill_missing"
_TREATED = frozenset({CauseCode.KIND, CauseCode.STRUCTURE})
_FILLERS = ("zeros", "ones")
_NO_NUMBERS = ("string", "resource", "variant")
_SIMPLE = r"[\w.]+"  # what may be evaluated twice


class _Gap(NamedTuple):
    """A tensor that some calls lack, by its path; `holder` is the dict that it is a key of, None for a parameter."""

    path: str
    holder: str | None
    key: str
    dtype: str
    shape: tuple[int, ...]

    def filler(self, kind: str) -> str:
        return f"tf.{kind}([{', '.join(map(str, self.shape))}], tf.{self.dtype})"


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or any(event.signed for event in case.events):
        return
    gaps = [*_nones(case.signatures), *_keys(case.signatures)]
    if not gaps:
        return
    now = predict_traces(case.events)
    codes = tuple(sorted(case.codes & _TREATED))
    notes = (MISSING_IS_FILLED(names=[gap.path for gap in gaps]),)
    before = _filled(gaps)
    left = predict_traces(case.events, before)
    for kind in _FILLERS:
        change = _filling(case, gaps, kind)
        call = spell_changes(case, _shown(gaps, kind))
        effects = frozenset(Effect("filled", gap.path, kind) for gap in gaps)
        try:
            yield from propose_signatures(case, f"{NAME}+input_signature", before, (change,), notes, call, effects)
        except Declined:
            yield from propose_relaxed(case, f"{NAME}+{RELAX}", before, (change,), _TREATED, notes, call, effects)
        if left < now:
            yield Candidate(NAME, "review", codes, change, left, call, notes, effects=effects)


def _nones(signatures: Sequence[Signature]) -> Iterator[_Gap]:
    """Parameters that are None or a tensor."""
    paths = dict.fromkeys(leaf.path for signature in signatures for leaf in signature.leaves if leaf.kind == "none")
    for path in paths:
        leaves = leaves_at(signatures, path)
        tensors = [leaf for leaf in leaves if leaf.kind == "tensor"]
        known = _common(tensors)
        if known is not None and top(path) == path and all(leaf.kind in ("none", "tensor") for leaf in leaves):
            yield _Gap(path, None, path, *known)


def _keys(signatures: Sequence[Signature]) -> Iterator[_Gap]:
    """Keys that a dict, given as a parameter, has in some calls only."""
    seen: dict[str, list[tuple[str, ...]]] = {}
    for container in (container for signature in signatures for container in signature.structure):
        if container.type_name == "dict" and top(container.path) == container.path:
            seen.setdefault(container.path, []).append(container.keys)
    for path, keys in seen.items():
        if len(keys) != len(signatures):
            continue
        for key in dict.fromkeys(key for some in keys for key in some):
            known = _common(leaves_at(signatures, f"{path}[{key}]"))
            if all(key in some for some in keys):
                continue
            if known is None:
                return  # something that nests, or is no tensor
            yield _Gap(f"{path}[{key}]", path, key, *known)


def _common(tensors: Sequence[Leaf]) -> tuple[str, tuple[int, ...]] | None:
    """The dtype of all, and their shape with 1 for each size that varies, so that it goes with any."""
    if not tensors or any(leaf.kind != "tensor" or leaf.type_name or leaf.shape is None for leaf in tensors):
        return None
    dtypes = {leaf.dtype for leaf in tensors}
    shapes = [leaf.shape or () for leaf in tensors]
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None or dtype in _NO_NUMBERS or len({len(shape) for shape in shapes}) > 1:
        return None
    sizes = [{shape[axis] for shape in shapes} for axis in range(len(shapes[0]))]
    return dtype, tuple(next(iter(some)) or 1 if len(some) == 1 else 1 for some in sizes)


def _filled(gaps: Sequence[_Gap]) -> SignatureChange:
    def fill(signature: Signature) -> Signature:
        present = {leaf.path for leaf in signature.leaves if leaf.kind != "none"}
        missing = [gap for gap in gaps if gap.path not in present]
        gone = {gap.path for gap in missing}
        leaves = [leaf for leaf in signature.leaves if leaf.path not in gone]
        leaves += [Leaf(gap.path, "tensor", dtype=gap.dtype, shape=gap.shape) for gap in missing]
        keys = {gap.holder: [each.key for each in missing if each.holder == gap.holder] for gap in missing}
        structure = tuple(
            msgspec.structs.replace(each, keys=tuple(sorted({*each.keys, *keys[each.path]})))
            if each.path in keys and each.type_name != PARAMETERS
            else each
            for each in signature.structure
        )
        return msgspec.structs.replace(
            signature, leaves=tuple(sorted(leaves, key=lambda leaf: leaf.path)), structure=structure
        )

    return fill


def _shown(gaps: Sequence[_Gap], kind: str) -> dict[str, str]:
    shown = {gap.path: f"{gap.filler(kind)} if {gap.path} is None else {gap.path}" for gap in gaps if not gap.holder}
    return {**shown, **{path: f"{_entries(some, kind, path)}" for path, some in _by_holder(gaps).items()}}


def _by_holder(gaps: Sequence[_Gap]) -> Mapping[str, list[_Gap]]:
    found: dict[str, list[_Gap]] = {}
    for gap in gaps:
        if gap.holder is not None:
            found.setdefault(gap.holder, []).append(gap)
    return found


def _entries(gaps: Sequence[_Gap], kind: str, value: str) -> str:
    return f"{{{', '.join(f'{quoted(gap.key)}: {gap.filler(kind)}' for gap in gaps)}, **{value}}}"


def _filling(case: Case, gaps: Sequence[_Gap], kind: str) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for holder, some in _by_holder(gaps).items():
            for argument in find_arguments(case, edits, holder):
                wrap_argument(edits, argument, _entries(some, kind, "value"))
        for gap in gaps:
            if gap.holder is None:
                _fill_parameter(case, edits, gap, kind)

    return change


def _fill_parameter(case: Case, edits: Edits, gap: _Gap, kind: str) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, find_call, wrap_argument

    given = find_arguments(case, edits, gap.path)
    for argument in given:
        kinds = argument.site.arguments.get(gap.path, ())
        code = argument.module.code(argument.node.value)
        if kinds and "NoneType" not in kinds:
            continue
        if code == "None":
            wrap_argument(edits, argument, gap.filler(kind))
        elif re.fullmatch(_SIMPLE, code):
            wrap_argument(edits, argument, f"{gap.filler(kind)} if value is None else value")
        else:
            place = f"{argument.module.file}:{argument.module.line(argument.node)}"
            raise Declined(EVALUATED_TWICE(code=code, place=place))
    calls = [argument.call for argument in given]
    for site in case.sites:
        call, module = find_call(case, edits, site), edits.module(site.file)
        if call not in calls:
            calls.append(call)
            edits.amend(module, call, _giving(gap.path, edits.expression(module, gap.filler(kind), call)))


def _giving(name: str, value: cst.BaseExpression) -> Callable[[cst.Call], cst.Call]:
    from traceonce.fix.source.keywords import with_keyword

    return lambda call: with_keyword(call, name, value)


_MASK = Example(
    title="An optional mask",
    program="""\
import tensorflow as tf


@tf.function
def total(x, mask=None):
    if mask is not None:
        x = x * mask
    return tf.reduce_sum(x)


for number in range(2, 6):
    mask = tf.sequence_mask([1] * number, 2, tf.float32) if number % 2 else None
    print(float(total(tf.ones([number, 2]), mask)))
""",
    function="total",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None, 2], tf.float32)])
def total(x, mask=None):
    if mask is not None:
        x = x * mask
    return tf.reduce_sum(x)


for number in range(2, 6):
    mask = tf.sequence_mask([1] * number, 2, tf.float32) if number % 2 else None
    print(float(total(tf.ones([number, 2]), tf.ones([1, 2], tf.float32) if mask is None else mask)))
""",
    traces_after=1,
)

_KEYS = Example(
    title="Optional keys in a dict",
    program="""\
import tensorflow as tf


@tf.function
def score(row):
    total = row["base"]
    if "bonus" in row:
        total += row["bonus"]
    return total - row["malus"] if "malus" in row else total


one = tf.constant(1.0)
rows = [{"base": one}, {"base": one, "bonus": one}, {"base": one, "malus": one}]
for row in [*rows, {"base": one, "bonus": one, "malus": one}, *rows]:
    print(float(score(row)))
""",
    function="score",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function(input_signature=[
    {
        "base": tf.TensorSpec([], tf.float32),
        "bonus": tf.TensorSpec([], tf.float32),
        "malus": tf.TensorSpec([], tf.float32),
    },
])
def score(row):
    total = row["base"]
    if "bonus" in row:
        total += row["bonus"]
    return total - row["malus"] if "malus" in row else total


one = tf.constant(1.0)
rows = [{"base": one}, {"base": one, "bonus": one}, {"base": one, "malus": one}]
for row in [*rows, {"base": one, "bonus": one, "malus": one}, *rows]:
    print(float(score({"bonus": tf.zeros([], tf.float32), "malus": tf.zeros([], tf.float32), **row})))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name=NAME,
    title="Fill in missing values",
    what="Passes a tensor of zeros (or ones) where a call passes None, or a dict without a key that other calls have.",
    why="None is not a tensor, and a dict with other keys has another structure. Each combination has its own "
    "trace, multiplied by the number of shapes.",
    beware="The placeholder must be neutral, like a mask of ones or a bonus of zeros. A test for None, or for "
    "the key, is then always true.",
    propose=propose,
    treats_arguments=True,
    examples=(_MASK, _KEYS),
)
