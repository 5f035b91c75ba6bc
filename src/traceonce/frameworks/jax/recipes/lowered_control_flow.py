"""`if`, `while` and `for … in range(n)` over values that a trace does not know, as `jax.lax.cond` and its like.

What is lowered is what depends on such a value, by the names that lead there; all else stays Python. In a branch or a
loop only plain names may be assigned: they are what goes in and comes out. A branch that returns takes the rest of its
block along. Nothing else may happen there, since both branches are traced, and a loop's body is traced once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.names import bound_in
from traceonce.frameworks.jax.recipes.statement_parts import (
    always_ends,
    as_line,
    assignment_of,
    first_in_block,
    has_return,
    in_place_of,
    is_name,
    names_assigned,
    names_bound,
    names_read,
    only_part,
    outside_functions,
    parameters_of,
    return_of,
    stores_elsewhere,
    tuple_of,
    value_added,
    without_brackets,
)
from traceonce.frameworks.jax.words import CONTROL_FLOW_BY_HAND, NO_CONTROL_FLOW

_KNOWN_OF_AN_ARRAY = ("shape", "ndim", "dtype", "size")
SHORT = 60  # characters of a choice that is written in one line


def lower(edits: Edits, module: Module, definition: cst.FunctionDef, unknown: Collection[str]) -> int:
    """Lower what depends on these parameters of the function; how many places that were."""
    lowering = _Lowering(edits, module, definition, unknown)
    body = lowering.block(list(as_block(definition.body).body), lowering.parameters, last=True)
    if lowering.count:
        if isinstance(body[0], cst.FunctionDef):
            body[0] = first_in_block(body[0])
        edits.replace(module, definition.body, as_block(definition.body).with_changes(body=body))
    return lowering.count


def lower_some(edits: Edits, module: Module, definitions: Iterable[tuple[cst.FunctionDef, Collection[str]]]) -> None:
    if not sum(lower(edits, module, definition, unknown) for definition, unknown in definitions):
        raise Declined(NO_CONTROL_FLOW())


class _Lowering:
    def __init__(self, edits: Edits, module: Module, definition: cst.FunctionDef, unknown: Collection[str]) -> None:
        self.edits = edits
        self.module = module
        self.definition = definition
        parameters = definition.params
        listed = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]
        self.parameters = {each.name.value for each in listed}
        self.tainted = set(unknown)
        self.taken: set[str] = set()
        self.count = 0

    # ---- what is not known while tracing

    def is_unknown(self, node: cst.CSTNode) -> bool:
        """Does the value of an expression depend on what is not known? The shape of an array is."""
        if isinstance(node, cst.Name):
            return node.value in self.tainted
        if isinstance(node, cst.Attribute):
            return node.attr.value not in _KNOWN_OF_AN_ARRAY and self.is_unknown(node.value)
        if isinstance(node, cst.Call):
            name = node.func.value if isinstance(node.func, cst.Name) else None
            if name in ("len", "isinstance", "hasattr", "callable", "type"):
                return False
            return any(self.is_unknown(part) for part in (node.func, *(each.value for each in node.args)))
        if isinstance(node, cst.Comparison):
            operators = [each.operator for each in node.comparisons]
            if all(isinstance(each, cst.Is | cst.IsNot) for each in operators):
                return False
        if isinstance(node, cst.Lambda):
            return False
        return any(self.is_unknown(child) for child in node.children)

    def _note(self, statement: cst.CSTNode) -> None:
        """What a statement assigns from something unknown is unknown."""
        for node in walk(statement):
            if isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.NamedExpr) and node.value is not None:
                if self.is_unknown(node.value) or (isinstance(node, cst.AugAssign) and self.is_unknown(node.target)):
                    self.tainted |= names_assigned(node)
            elif isinstance(node, cst.For | cst.CompFor) and self.is_unknown(node.iter):
                self.tainted |= bound_in(node.target) | {
                    each.value for each in walk(node.target) if isinstance(each, cst.Name)
                }

    # ---- statements

    def block(self, statements: list[Any], known: set[str], *, last: bool = False) -> list[Any]:
        """The statements, lowered; `known` are the names that have a value before them."""
        done: list[Any] = []
        known = set(known)
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if isinstance(statement, cst.If) and self.is_unknown(statement.test):
                if has_return(statement):
                    return [*done, *self._returning(statement, rest, known, last=last)]
                done += self._assigning(statement, rest, known)
            elif isinstance(statement, cst.While) and self.is_unknown(statement.test):
                done += self._while(statement, rest, known)
            elif isinstance(statement, cst.For) and self._is_unknown_range(statement.iter):
                done += self._for(statement, rest, known)
            elif isinstance(statement, cst.For | cst.While | cst.If | cst.With):
                done.append(self._inside(statement, known))
            else:
                done.append(self._expressions(statement))
            self._note(statement)
            known |= bound_in(statement)
        if done and isinstance(done[0], cst.FunctionDef):
            done[0] = first_in_block(done[0])
        return done

    def _inside(self, statement: Any, known: set[str]) -> Any:
        """A statement that stays Python: what is in its blocks."""
        self._note(statement)
        lowered = self.block(list(as_block(statement.body).body), known | bound_in(statement))
        changed = statement.with_changes(body=as_block(statement.body).with_changes(body=lowered))
        orelse = getattr(statement, "orelse", None)
        if isinstance(orelse, cst.Else):
            inner = self.block(list(as_block(orelse.body).body), known | bound_in(statement))
            changed = changed.with_changes(
                orelse=orelse.with_changes(body=as_block(orelse.body).with_changes(body=inner))
            )
        elif isinstance(orelse, cst.If):
            if self.is_unknown(orelse.test):
                raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(orelse)))
            changed = changed.with_changes(orelse=self._inside(orelse, known))
        return changed

    def _expressions(self, statement: Any) -> Any:
        """``a if test else b``, in a statement of one line."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return statement
        return statement.visit(_Conditionals(self))

    # ---- if

    def _returning(self, statement: cst.If, rest: list[Any], known: set[str], *, last: bool) -> list[Any]:
        """An `if` whose branch returns: what follows it belongs to the other branch."""
        if not last:
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        true = list(as_block(statement.body).body)
        false = self._other(statement)
        whole_true = true if always_ends(true) else [*true, *rest]
        whole_false = false if always_ends(false) else [*false, *rest]
        if not (always_ends(whole_true) and always_ends(whole_false)):
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        self.count += 1
        test = self.test(statement.test)
        one, other = self._value_returned(whole_true), self._value_returned(whole_false)
        if one is not None and other is not None and self._is_short(test, one, other):
            made = self.choice(test, one, other)
            return in_place_of(statement, [as_line(cst.Return(made))])
        functions, names = [], []
        for wanted, branch in (("if_true", whole_true), ("if_false", whole_false)):
            self._check(branch, returns=True)
            rebound = sorted(names_bound(branch) & known)
            lowered = self.block(branch, known, last=True)
            functions.append(self._function(name := self._fresh(wanted), rebound, lowered))
            names.append((name, rebound))
        operands = names[0][1] + [each for each in names[1][1] if each not in names[0][1]]
        functions = [each.with_changes(params=parameters_of(operands)) for each in functions]
        given = "".join(f", {each}" for each in operands)
        call = self._make(f"jax.lax.cond(test, {names[0][0]}, {names[1][0]}{given})", test=test)
        return in_place_of(statement, [*functions, as_line(cst.Return(call))])

    def _assigning(self, statement: cst.If, rest: list[Any], known: set[str]) -> list[Any]:
        """An `if` that gives names other values."""
        true, false = list(as_block(statement.body).body), self._other(statement)
        self._check(true)
        self._check(false)
        in_true, in_false = names_bound(true), names_bound(false)
        later = names_read(rest) | (names_read([self.definition.body]) if self._in_loop(statement) else set())
        outs = sorted(name for name in in_true | in_false if name in known or name in later)
        if any(name not in known and name not in in_true & in_false for name in outs) or not outs:
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        self.count += 1
        test = self.test(statement.test)
        if len(outs) == 1:
            name = outs[0]
            one, other = self._value_given(true, name), self._value_given(false, name)
            if one is not None and other is not None and self._is_short(test, one, other):
                made = self.choice(test, one, other)
                return in_place_of(statement, [as_line(assignment_of(name, made))])
        operands = [name for name in outs if name in known]
        functions, names = [], []
        for wanted, branch in (("if_true", true), ("if_false", false)):
            lowered = self.block(branch, known)
            functions.append(self._function(name := self._fresh(wanted), operands, [*lowered, return_of(outs)]))
            names.append(name)
        given = "".join(f", {each}" for each in operands)
        call = self._make(f"jax.lax.cond(test, {names[0]}, {names[1]}{given})", test=test)
        return in_place_of(statement, [*functions, as_line(assignment_of(", ".join(outs), call))])

    def _in_loop(self, statement: cst.CSTNode) -> bool:
        return any(isinstance(outer, cst.For | cst.While) for outer in self.module.ancestors(statement))

    def _other(self, statement: cst.If) -> list[Any]:
        if statement.orelse is None:
            return []
        if isinstance(statement.orelse, cst.If):  # elif
            return [statement.orelse]
        return list(as_block(statement.orelse.body).body)

    def _value_returned(self, branch: list[Any]) -> cst.BaseExpression | None:
        part = only_part(branch)
        return self.expression(part.value) if isinstance(part, cst.Return) and part.value is not None else None

    def _value_given(self, branch: list[Any], name: str) -> cst.BaseExpression | None:
        """What the branch gives the name, where it does nothing else."""
        if not branch:
            return cst.Name(name)
        part = only_part(branch)
        if isinstance(part, cst.Assign) and len(part.targets) == 1 and is_name(part.targets[0].target, name):
            return self.expression(part.value)
        if isinstance(part, cst.AugAssign) and is_name(part.target, name):
            value = value_added(part)
            return self.expression(value) if value is not None else None
        return None

    # ---- loops

    def _is_unknown_range(self, node: cst.BaseExpression) -> bool:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value != "range":
            return False
        return any(self.is_unknown(each.value) for each in node.args)

    def _for(self, statement: cst.For, rest: list[Any], known: set[str]) -> list[Any]:
        line, call = self.module.line(statement), statement.iter
        assert isinstance(call, cst.Call)
        body = list(as_block(statement.body).body)
        if (
            not isinstance(statement.target, cst.Name)
            or statement.orelse is not None
            or statement.asynchronous is not None
            or not 1 <= len(call.args) <= 2
            or any(each.star or each.keyword for each in call.args)
            or statement.target.value in names_read(rest)
        ):
            raise Declined(CONTROL_FLOW_BY_HAND(line=line))
        index = statement.target.value
        carried = self._carried(statement, body, rest, known, {index})
        self.count += 1
        self.tainted |= {index, *carried}
        bounds = [each.value for each in call.args]
        low = bounds[0] if len(bounds) == 2 else cst.Integer("0")
        name = self._fresh("body")
        function = self._function(name, [index, self._carry(carried)], self._loop_body(body, carried, known | {index}))
        made = self._make(
            f"jax.lax.fori_loop(low, high, {name}, carry)", low=low, high=bounds[-1], carry=tuple_of(carried)
        )
        return in_place_of(statement, [function, as_line(assignment_of(", ".join(carried), made))])

    def _while(self, statement: cst.While, rest: list[Any], known: set[str]) -> list[Any]:
        body = list(as_block(statement.body).body)
        if statement.orelse is not None:
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        carried = self._carried(statement, body, rest, known, set())
        self.count += 1
        self.tainted |= set(carried)
        go_on, name = self._fresh("goes_on"), self._fresh("body")
        unpacked = (
            [as_line(assignment_of(", ".join(carried), cst.Name(self._carry(carried))))] if len(carried) > 1 else []
        )
        test = self._function(
            go_on, [self._carry(carried)], [*unpacked, as_line(cst.Return(self.test(statement.test)))]
        )
        function = self._function(name, [self._carry(carried)], self._loop_body(body, carried, known))
        made = self._make(f"jax.lax.while_loop({go_on}, {name}, carry)", carry=tuple_of(carried))
        return in_place_of(statement, [test, function, as_line(assignment_of(", ".join(carried), made))])

    def _carried(
        self, statement: cst.CSTNode, body: list[Any], rest: list[Any], known: set[str], own: set[str]
    ) -> list[str]:
        self._check(body)
        assigned = names_bound(body) - own
        carried = sorted(assigned & known)
        if not carried or (assigned - known) & names_read(rest) or own & known & names_read(rest):
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        return carried

    def _carry(self, carried: Sequence[str]) -> str:
        return carried[0] if len(carried) == 1 else "carry"

    def _loop_body(self, body: list[Any], carried: Sequence[str], known: set[str]) -> list[Any]:
        unpacked = [as_line(assignment_of(", ".join(carried), cst.Name("carry")))] if len(carried) > 1 else []
        return [*unpacked, *self.block(body, known), return_of(carried)]

    # ---- what may be in a branch or a loop

    def _check(self, statements: Sequence[Any], *, returns: bool = False) -> None:
        """Plain names are assigned, and nothing else is done; nested functions are nobody's business."""
        for statement in statements:
            for node in outside_functions(statement):
                unfit = isinstance(
                    node,
                    cst.Break | cst.Continue | cst.Yield | cst.Await | cst.Global | cst.Nonlocal | cst.Del | cst.Try
                    | cst.With | cst.Assert | cst.Raise | cst.Import | cst.ImportFrom | cst.ClassDef,
                )  # fmt: skip
                effect = isinstance(node, cst.Expr) and not isinstance(node.value, cst.BaseString)
                if unfit or effect or (isinstance(node, cst.Return) and not returns) or stores_elsewhere(node):
                    raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))

    # ---- expressions

    def test(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A test as an array: `and`, `or`, `not` and chains of comparisons ask for a value."""
        if isinstance(node, cst.BooleanOperation):
            if not (self.is_unknown(node.left) and self.is_unknown(node.right)):
                raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(node)))
            name = "logical_and" if isinstance(node.operator, cst.And) else "logical_or"
            return self._make(f"jnp.{name}(one, other)", one=self.test(node.left), other=self.test(node.right))
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return self._make("jnp.logical_not(one)", one=self.test(node.expression))
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 2:
            first, second = node.comparisons
            one = cst.Comparison(left=node.left, comparisons=[first])
            other = cst.Comparison(left=first.comparator, comparisons=[second])
            return self._make("jnp.logical_and(one, other)", one=one, other=other)
        return without_brackets(self.expression(node))

    def expression(self, node: cst.BaseExpression) -> cst.BaseExpression:
        changed = node.visit(_Conditionals(self))
        assert isinstance(changed, cst.BaseExpression)
        return changed

    def choice(
        self, test: cst.BaseExpression, one: cst.BaseExpression, other: cst.BaseExpression
    ) -> cst.BaseExpression:
        """One value or the other."""
        made = self._make("jax.lax.cond(test)", test=test)
        assert isinstance(made, cst.Call)
        branches = [cst.Arg(cst.Lambda(params=cst.Parameters(), body=value)) for value in (one, other)]
        return made.with_changes(args=[*made.args, *branches])

    def _is_short(self, *parts: cst.BaseExpression) -> bool:
        return sum(len(self.module.code(part)) for part in parts) <= SHORT

    def _make(self, code: str, **parts: cst.BaseExpression) -> cst.BaseExpression:
        return self.edits.expression(self.module, code, self.definition, **parts)

    def _fresh(self, wanted: str) -> str:
        name = fresh_name(self.module, wanted, self.taken)
        self.taken.add(name)
        return name

    def _function(self, name: str, parameters: Sequence[str], body: Sequence[Any]) -> cst.FunctionDef:
        block = [first_in_block(each) if index == 0 else each for index, each in enumerate(body)]
        blank = [cst.EmptyLine(indent=False)]
        return cst.FunctionDef(
            name=cst.Name(name), params=parameters_of(parameters), body=cst.IndentedBlock(block), leading_lines=blank
        )


class _Conditionals(cst.CSTTransformer):
    """Lowers ``a if test else b``."""

    def __init__(self, lowering: _Lowering) -> None:
        super().__init__()
        self.lowering = lowering

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if not isinstance(original_node, cst.IfExp) or not self.lowering.is_unknown(original_node.test):
            return super().on_leave(original_node, updated_node)
        self.lowering.count += 1
        return self.lowering.choice(self.lowering.test(original_node.test), updated_node.body, updated_node.orelse)
