"""Writes the reading of sizes at run time into the body of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import libcst as cst

from traceonce.facts import FunctionId
from traceonce.fix.candidate import Declined
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.frameworks.tensorflow.dynamic_shapes.plan import Plan, plan_sizes
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import OpenShapes, Reach
from traceonce.frameworks.tensorflow.dynamic_shapes.shape_expressions import shape_of
from traceonce.frameworks.tensorflow.words import NO_OPEN_SIZE_READ, NO_OTHER_SIZE_READ

Rewrite: TypeAlias = Callable[[Any], Any]


def read_sizes_at_run_time(
    edits: Edits, function: FunctionId, open_shapes: OpenShapes, reaches: Sequence[Reach], floating: str
) -> None:
    """Change the body with the last of `reaches`; decline where one before it would do the same."""
    module, definition = find_definition(function, edits)
    plans = [plan_sizes(module, definition, open_shapes, reach) for reach in reaches]
    if not plans[-1]:
        raise Declined(NO_OPEN_SIZE_READ())
    if plans[-1] in plans[:-1]:
        raise Declined(NO_OTHER_SIZE_READ())
    write_plan(edits, module, plans[-1], floating)


def write_plan(edits: Edits, module: Module, plan: Plan, floating: str) -> None:
    _Writer(edits, module, plan, floating).write()


class _Writer:
    def __init__(self, edits: Edits, module: Module, plan: Plan, floating: str) -> None:
        self.edits = edits
        self.module = module
        self.plan = plan
        self.floating = floating

    def write(self) -> None:
        for node, base in self.plan.sizes.items():
            self.edits.replace(self.module, node, self._size(node, base))
        for node, base in self.plan.shapes.items():
            self.edits.replace(self.module, node, self._spell("tf.shape(x)", node, base))
        for node, (base, opened) in self.plan.unpacked.items():
            parts = [f"tf.shape(x)[{axis}]" if is_open else f"x.shape[{axis}]" for axis, is_open in enumerate(opened)]
            code = "tf.unstack(tf.shape(x))" if all(opened) else ", ".join(parts)
            self.edits.replace(self.module, node, self._spell(code, node, base))
        for node in self.plan.casts - set(self.plan.sizes):
            self.edits.replace(self.module, node, self._cast(node))

    def _spell(self, code: str, node: cst.CSTNode, base: cst.BaseExpression) -> Rewrite:
        return lambda updated: self.edits.expression(self.module, code, node, x=shape_of(updated) or base)

    def _cast(self, node: cst.CSTNode) -> Rewrite:
        code = f"tf.cast(size, tf.{self.floating})"

        def rewrite(updated: Any) -> Any:
            bare = updated.with_changes(lpar=(), rpar=())
            return self.edits.expression(self.module, code, node, size=bare)

        return rewrite

    def _size(self, node: cst.CSTNode, base: cst.BaseExpression) -> Rewrite:
        cast = self._cast(node) if node in self.plan.casts else None

        def rewrite(updated: Any) -> Any:
            if isinstance(updated, cst.Call):  # len(x)
                new: Any = self.edits.expression(self.module, "tf.shape(x)[0]", node, x=updated.args[0].value)
            else:
                tensor = shape_of(updated.value) or base
                shape = self.edits.expression(self.module, "tf.shape(x)", node, x=tensor)
                new = updated.with_changes(value=shape)
            return cast(new) if cast is not None else new

        return rewrite
