"""The index of kept signatures answers as asking each of them would."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.handmade import container, none, python, ragged, signature, tensor, thing, unranked, variable
from traceonce.facts import Leaf, Signature
from traceonce.fix.signatures.trace_cache import TraceCache

SIZES = st.sampled_from([1, 2, None])
LEAVES = st.one_of(
    st.builds(lambda a, b: tensor("x", a, b), SIZES, SIZES),
    st.builds(lambda a, dtype: tensor("x", a, dtype=dtype), SIZES, st.sampled_from(["int32", "float32"])),
    st.builds(lambda a, name: tensor("x", a, name=name), SIZES, st.sampled_from([None, "images"])),
    st.just(unranked("x")),
    st.builds(lambda value: python("x", value), st.sampled_from([1, 1.0, True, 0, -0.0, math.nan, "1", "nan", 1j])),
    st.builds(lambda number: thing("x", number), st.integers(0, 2)),
    st.builds(lambda a, identity: variable("x", a, identity=identity), SIZES, st.integers(0, 1)),
    st.builds(lambda a, rank: ragged("x", a, None, rank=rank), SIZES, st.integers(1, 2)),
    st.just(none("x")),
    st.just(Leaf("x", "spec", type_name="Mode", value="'p'")),
    st.just(Leaf("x", "spec", type_name="Mode", unequal_by="Mode.__eq__")),
)
SIGNATURES = st.builds(
    lambda leaf, key, context: signature(leaf, tensor("y", 2), container("d", "dict", key), **context),
    LEAVES,
    st.sampled_from(["'a'", "'b'"]),
    st.sampled_from([{}, {"graph": "tf.Graph 1"}]),
)


def generalise(request: Signature, known: list[Signature]) -> Signature:
    for one in known:
        request = request.join(one) or request
    return request


@given(st.lists(SIGNATURES, max_size=8), SIGNATURES)
def test_the_index_answers_as_all_of_them_would(known: list[Signature], request: Signature) -> None:
    kept = TraceCache()
    for one in known:
        kept.add(one)
    assert kept.admits(request) == any(one.admits(request) for one in known)
    assert kept.generalise(request) == generalise(request, known)
