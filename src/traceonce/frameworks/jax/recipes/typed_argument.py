"""An array whose dtype flips, or is weak at times, comes in one dtype: `jnp.asarray(x, dtype)` where it is passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from traceonce.facts import CauseCode, Leaf
from traceonce.fix.candidate import Candidate, Change, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.prediction import SignatureChange, each_leaf, predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import NEVER_WEAK, NO_CALL_GIVES_ANOTHER_TYPE

NAME = "typed_argument"
_TREATED = frozenset({CauseCode.WEAK_TYPE, CauseCode.DTYPE})
_NAMED = {"bool": "bool_"}  # where jax.numpy has another name for it


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or case.diagnosis.function.library:
        return
    tried: list[dict[str, str]] = []
    for number in range(3):
        dtypes = {path: each[min(number, len(each) - 1)] for path, each in _targets(case).items()}
        if not dtypes or dtypes in tried:
            continue
        tried.append(dtypes)
        left = predict_traces(case.events, typed(dtypes))
        given = ", ".join(f"{path}={_code(path, dtype)}" for path, dtype in dtypes.items())
        snippet = f"{case.diagnosis.function.short_name}({given})"
        notes = tuple(NEVER_WEAK(path=path, dtype=dtype) for path, dtype in dtypes.items())
        causes = tuple(sorted(case.codes & _TREATED))
        yield Candidate(NAME, "review", causes, _change(case, dtypes), left, snippet, notes)


def _code(value: str, dtype: str) -> str:
    return f"jnp.asarray({value}, jnp.{_NAMED.get(dtype, dtype)})"


def _targets(case: Case) -> dict[str, list[str]]:
    """For each array that comes in several types: the dtypes to try, those that are not weak first, and wide first."""
    seen: dict[str, dict[tuple[str, bool], None]] = {}
    for leaf in (leaf for signature in case.signatures for leaf in signature.leaves):
        if leaf.kind == "tensor" and leaf.dtype is not None and not leaf.static:
            seen.setdefault(leaf.path, {})[leaf.dtype, leaf.weak] = None
    return {
        path: list(dict.fromkeys(dtype for dtype, _ in sorted(types, key=_rank)))
        for path, types in seen.items()
        if len(types) > 1
    }


def _rank(seen: tuple[str, bool]) -> tuple[bool, bool, int]:
    dtype, weak = seen
    digits = "".join(sign for sign in dtype if sign.isdigit())
    return weak, "float" not in dtype, -int(digits or 0)


def typed(dtypes: Mapping[str, str]) -> SignatureChange:
    """Arrays at these paths come in these dtypes."""

    def changed(leaf: Leaf) -> Leaf:
        if leaf.path not in dtypes or leaf.kind != "tensor":
            return leaf
        return msgspec.structs.replace(leaf, dtype=dtypes[leaf.path], weak=False, type_name=None)

    return each_leaf(changed)


def _change(case: Case, dtypes: Mapping[str, str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for path, dtype in dtypes.items():
            others = [
                argument
                for argument in find_arguments(case, edits, path)
                if argument.site.arguments.get(path) != (f"tensor {dtype}",)
            ]
            if not others:
                raise Declined(NO_CALL_GIVES_ANOTHER_TYPE(path=path))
            for argument in others:
                wrap_argument(edits, argument, _code("value", dtype))

    return change


RECIPE = Recipe(
    name=NAME,
    title="Pass one dtype",
    what="Wraps an argument in `jnp.asarray(…, dtype)` where its dtype, or its weak type, differs between calls.",
    why="Each dtype has its own trace, and so does a weak type: a Python number is weakly typed and adopts the "
    "dtype of the arrays it meets, while a computed result often is not. A loop that starts with `0.0` may be "
    "traced twice.",
    beware="Results follow the dtype of the arguments. A value that was weakly typed no longer adopts a narrower "
    "dtype; a cast to a narrower dtype loses precision.",
    propose=propose,
    fits_calls=True,
    treats_arguments=True,
    examples=(
        Example(
            title="Floats, arrays and integers in turn",
            function="scaled",
            traces_before=3,
            traces_after=1,
            program='''\
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, rate):
    return jnp.sum(x * rate)


x = jnp.ones(4)
for rate in (0.5, jnp.float32(0.25), 2, 0.75, jnp.float32(1.5), 3):
    print(float(scaled(x, rate)))
''',
            repaired='''\
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, rate):
    return jnp.sum(x * rate)


x = jnp.ones(4)
for rate in (0.5, jnp.float32(0.25), 2, 0.75, jnp.float32(1.5), 3):
    print(float(scaled(x, jnp.asarray(rate, jnp.float32))))
''',
        ),
    ),
)  # fmt: skip
