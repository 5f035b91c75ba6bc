"""Composite types of other people's making are taken apart to the field that differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import traceonce
from traceonce.facts import Verdict


def make_piece(tf: Any, *, identity_equality: bool) -> Any:
    """A composite tensor in the manner of graph libraries: nested dicts of features behind a private data spec."""
    from tensorflow.python.framework import composite_tensor, type_spec

    class PieceSpec(type_spec.TypeSpec):  # type: ignore[misc]  # untyped base
        def __init__(self, data_spec: Any, label: str) -> None:
            self._data_spec = data_spec
            self._label = label

        @property
        def value_type(self) -> Any:
            return Piece

        def _serialize(self) -> Any:
            return (self._data_spec, self._label)

        @property
        def _component_specs(self) -> Any:
            return self._data_spec

        def _to_components(self, value: Any) -> Any:
            return value.data

        def _from_components(self, components: Any) -> Any:
            return Piece(components, self._label)

    if identity_equality:
        PieceSpec.__eq__ = lambda self, other: self is other  # type: ignore[method-assign,assignment]
        PieceSpec.__hash__ = lambda self: 1  # type: ignore[method-assign,assignment]
        PieceSpec.is_subtype_of = lambda self, other: self is other  # type: ignore[method-assign]

    class Piece(composite_tensor.CompositeTensor):  # type: ignore[misc]  # untyped base
        def __init__(self, data: Any, label: str) -> None:
            self.data = data
            self.label = label

        @property
        def node_sets(self) -> Any:
            return self.data["node_sets"]

        @property
        def context(self) -> Any:
            return self.data["context"]

        @property
        def _type_spec(self) -> Any:
            specs = tf.nest.map_structure(type_spec.type_spec_from_value, self.data, expand_composites=False)
            return PieceSpec(specs, self.label)

    def build(rows: int, label: str = "a") -> Any:
        return Piece({"node_sets": {"p": {"h": tf.zeros([rows, 4])}}, "context": {"g": tf.zeros([1])}}, label)

    return build


def test_a_field_deep_inside(tf: Any) -> None:
    build = make_piece(tf, identity_equality=False)
    step = tf.function(lambda graph: tf.reduce_sum(graph.node_sets["p"]["h"]))
    with traceonce.watch() as seen:
        step(build(3))
        step(build(4))
        step(build(4, label="b"))
    (diagnosis,) = seen.diagnoses
    assert [(c.code.value, c.path, c.was, c.now) for c in diagnosis.causes] == [
        ("shape", "graph.node_sets['p']['h'].shape[0]", "3", "4"),
        ("spec", "graph.label", "'a'", "'b'"),
    ]
    assert not [notice for notice in seen.recording.notices if notice.error]


def test_a_spec_that_never_equals_itself(tf: Any) -> None:
    """Equal arguments, traced on every call; the class and its equality are named."""
    build = make_piece(tf, identity_equality=True)
    graph = build(3)
    step = tf.function(lambda graph: tf.reduce_sum(graph.node_sets["p"]["h"]))
    with traceonce.watch() as seen:
        for _ in range(4):
            step(graph)
    (diagnosis,) = seen.diagnoses
    assert diagnosis.traces == 4
    assert [(c.code.value, c.path, c.count) for c in diagnosis.causes] == [("unequal", "graph", 3)]
    assert __file__ in (diagnosis.causes[0].note or "")
    assert diagnosis.verdict is Verdict.RETRACING


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda tf, n: tf.IndexedSlices(tf.zeros([n, 2]), tf.zeros([n], tf.int32)), ("spec", "x.indices.shape[0]")),
        (lambda tf, n: tf.linalg.LinearOperatorDiag(tf.zeros([n])), ("shape", "x.diag.shape[0]")),
        (lambda tf, n: tf.experimental.Optional.from_value(tf.zeros([n])), ("shape", "x.element_spec.shape[0]")),
        (
            lambda tf, n: tf.data.Dataset.from_tensors(np.zeros([n], "float32")),
            ("shape", "x.element_spec.shape[0]"),
        ),
    ],
)
def test_composites_of_the_framework(tf: Any, make: Any, expected: tuple[str, str]) -> None:
    step = tf.function(lambda x: tf.constant(1))
    with traceonce.watch() as seen:
        step(make(tf, 3))
        step(make(tf, 3))
        step(make(tf, 4))
    diagnosis = seen["<lambda>"]
    assert diagnosis.traces == 2
    assert expected in [(c.code.value, c.path) for c in diagnosis.causes]
    assert not [notice for notice in seen.recording.notices if notice.error]
