"""Which dtypes Python numbers can have as tensors, and which lists can be given as one tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from traceonce.facts import Leaf, Note, Signature
from traceonce.facts.signature import number
from traceonce.fix.signatures.leaves import at_their_defaults, by_path, top
from traceonce.fix.signatures.prediction import FLAG, LIFTABLE
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR, INT32_LIMITS

_BITS = {"int32": 32, "int64": 64}
WIDE = "float64"
FLOATS = ("float16", "bfloat16", "float32", "float64")  # from narrow to wide
_EXACT = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}  # whole numbers up to here are exact
_ORDER = ("uint8", "int8", "int16", "int32", "int64", *FLOATS)


def number_paths(signatures: Sequence[Signature]) -> dict[str, tuple[str, ...]]:
    """The dtypes that the Python numbers at each path can have as tensors, the first choice first.

    1. Beside tensors: their dtype (a float is refused by an integer spec, so there is none for it).
    2. Floats: the dtype of the other floating tensors, float32 without any; then float64, since the body may have
    tensors of its own. 3. Ints: int32, then as floats, then int64, since a small number may grow in the body (int64
    first where int32 is too small for the number itself), then float64. 4. Bools that vary, as bools: AutoGraph makes a
    `tf.cond` of what branches on them. What no dtype holds has no choice.
    """
    left_out = at_their_defaults(signatures) if signatures else frozenset()
    floating = float_dtype(signatures)
    return {
        path: _choices(leaves, floating)
        for path, leaves in by_path(signatures).items()
        if top(path) not in left_out and " " not in path and any(_is_number(leaf) or _is_flag(leaf) for leaf in leaves)
    }


def assign_alike(choices: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    """A dtype for each number, in the same way for all: the first choice, then floats, wide integers, wide floats."""
    first = {path: dtypes[0] for path, dtypes in choices.items()}
    found = [first]
    fractions = any(name in FLOATS for name in first.values())  # whole numbers alone have int64
    for wanted in (FLOATS, ("int64",), *([(WIDE,)] if fractions else [])):
        chosen = {
            path: next((each for each in dtypes if each in wanted), first[path]) for path, dtypes in choices.items()
        }
        if chosen not in found:
            found.append(chosen)
    return found


def note_lifted(dtypes: Mapping[str, str]) -> Iterator[Note]:
    """What becomes of the numbers at these paths."""
    names = sorted(dtypes, key=top)
    if names:
        yield BECOMES_TENSOR(names=names)
    wrapping = [name for name in names if dtypes[name] == "int32"]
    if wrapping:
        yield INT32_LIMITS(names=wrapping)


def float_dtype(signatures: Iterable[Signature]) -> str:
    """The floating dtype of the tensors among the arguments; float32 where there is none or more than one."""
    leaves = (leaf for signature in signatures for leaf in signature.leaves)
    found = {leaf.dtype for leaf in leaves if leaf.kind in ("tensor", "variable", "spec") and leaf.dtype in FLOATS}
    return str(found.pop()) if len(found) == 1 else "float32"


def widest(dtypes: Iterable[str]) -> str | None:
    """The dtype among these that all of the others can be cast to with the least loss; None where there is none."""
    known = list(dtypes)
    return max(known, key=_ORDER.index) if known and all(name in _ORDER for name in known) else None


def stacked_lists(signatures: Sequence[Signature]) -> dict[str, Leaf]:
    """Lists whose length varies and whose items are alike: the tensor, open in front, that each could be given as."""
    lengths: dict[str, set[tuple[str, ...]]] = {}
    for container in (c for signature in signatures for c in signature.structure):
        if container.type_name in ("list", "tuple"):
            lengths.setdefault(container.path, set()).add(container.keys)
    found: dict[str, Leaf] = {}
    for path in (path for path, keys in lengths.items() if len(keys) > 1):
        items = [leaf for s in signatures for leaf in s.leaves if leaf.path.startswith(f"{path}[")]
        leaf = _stack(path, items, float_dtype(signatures))
        if leaf is not None:
            found[path] = leaf
    return found


def stack(signature: Signature, lists: Mapping[str, Leaf]) -> Signature:
    """The request with these lists given as one tensor each."""
    inside = tuple(f"{path}[" for path in lists)
    leaves: list[Leaf] = [leaf for leaf in signature.leaves if not leaf.path.startswith(inside)]
    structure = tuple(c for c in signature.structure if c.path not in lists and not c.path.startswith(inside))
    return Signature((*leaves, *lists.values()), structure, signature.context)


def _stack(path: str, items: Sequence[Leaf], floating: str) -> Leaf | None:
    direct = all(leaf.path.count("[") == path.count("[") + 1 and leaf.path.endswith("]") for leaf in items)
    if not items or not direct:
        return None
    if all(_is_number(leaf) for leaf in items):
        choices = _choices(items, floating)
        return Leaf(path, "tensor", dtype=choices[0], shape=(None,)) if choices else None
    plain = {(leaf.kind, leaf.dtype, leaf.shape, leaf.type_name, leaf.name) for leaf in items}
    first = items[0]
    if len(plain) > 1 or first.kind != "tensor" or first.type_name or first.name or first.shape is None:
        return None
    return Leaf(path, "tensor", dtype=first.dtype, shape=(None, *first.shape))


def _is_number(leaf: Leaf) -> bool:
    return leaf.kind == "python" and leaf.type_name in LIFTABLE


def _is_flag(leaf: Leaf) -> bool:
    return leaf.kind == "python" and leaf.type_name == FLAG


def _is_flag_tensor(leaf: Leaf) -> bool:
    return leaf.kind == "tensor" and leaf.dtype == FLAG and leaf.shape == ()


def _fits(value: complex | None, bits: int) -> bool:
    return isinstance(value, int) and -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)


def _choices(leaves: Sequence[Leaf], floating: str) -> tuple[str, ...]:
    if any(_is_flag(leaf) for leaf in leaves):
        varies = len({leaf.value for leaf in leaves}) > 1
        return (FLAG,) if varies and all(_is_flag(leaf) or _is_flag_tensor(leaf) for leaf in leaves) else ()
    numbers = [leaf for leaf in leaves if _is_number(leaf)]
    tensors = [leaf for leaf in leaves if leaf.kind == "tensor"]
    if len(numbers) + len(tensors) < len(leaves):
        return ()
    values = [number(leaf) for leaf in numbers]
    if None in values:  # its text was shortened: too long a number for any dtype
        return ()
    floats = any(leaf.type_name == "float" for leaf in numbers)
    integers = tuple(name for name, bits in _BITS.items() if all(_fits(value, bits) for value in values))
    beside = {leaf.dtype for leaf in tensors}
    if beside:
        dtype = next(iter(beside))
        scalar = all(leaf.shape == () and not leaf.name for leaf in tensors)
        fits = len(beside) == 1 and scalar and dtype is not None and (dtype in FLOATS or dtype in integers)
        return (str(dtype),) if fits else ()
    wide = () if floating == WIDE else (WIDE,)
    if floats:
        return (floating, *wide)
    exact = all(abs(value or 0) <= _EXACT[floating] for value in values)
    wide = wide if all(abs(value or 0) <= _EXACT[WIDE] for value in values) else ()
    return (*integers[:1], *([floating] if exact else []), *integers[1:], *wide) if integers else ()
