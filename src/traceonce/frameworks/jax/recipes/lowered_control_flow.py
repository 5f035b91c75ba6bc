"""`if`, `while` and `for … in range(n)` over values that a trace does not know, as `jax.lax.cond` and its like.

What is lowered is what depends on such a value, by the names that lead there; all else stays Python. In a branch or a
loop only plain names may be assigned: they are what goes in and comes out. A branch that returns takes the rest of its
block along. Nothing else may happen there, since both branches are traced, and a loop's body is traced once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.module import Module, walk
from traceonce.fix.source.names import bound_in, free_in
from traceonce.frameworks.jax.words import CONTROL_FLOW_BY_HAND, NO_CONTROL_FLOW

_KNOWN_OF_AN_ARRAY = ("shape", "ndim", "dtype", "size")
SHORT = 60  # characters of a choice that is written in one line
_ENDS = (cst.Return, cst.Raise)


def lower(edits: Edits, module: Module, definition: cst.FunctionDef, unknown: Collection[str]) -> int:
    """Lower what depends on these parameters of the function; how many places that were."""
    lowering = _Lowering(edits, module, definition, unknown)
    body = lowering.block(list(as_block(definition.body).body), lowering.parameters, last=True)
    if lowering.count:
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
                    self.tainted |= _names_assigned(node)
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
                if _leaves(statement):
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
            done[0] = _plain(done[0])
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
        whole_true = true if _ends(true) else [*true, *rest]
        whole_false = false if _ends(false) else [*false, *rest]
        if not (_returns(whole_true) and _returns(whole_false)):
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        self.count += 1
        test = self.test(statement.test)
        one, other = self._value_returned(whole_true), self._value_returned(whole_false)
        if one is not None and other is not None and self._is_short(test, one, other):
            made = self.choice(test, one, other)
            return _led_by(statement, [_line(cst.Return(made))])
        functions, names = [], []
        for wanted, branch in (("if_true", whole_true), ("if_false", whole_false)):
            self._check(branch, returns=True)
            rebound = sorted(_rebound(branch) & known)
            lowered = self.block(branch, known, last=True)
            functions.append(self._function(name := self._fresh(wanted), rebound, lowered))
            names.append((name, rebound))
        operands = names[0][1] + [each for each in names[1][1] if each not in names[0][1]]
        functions = [each.with_changes(params=_parameters(operands)) for each in functions]
        given = "".join(f", {each}" for each in operands)
        call = self._make(f"jax.lax.cond(test, {names[0][0]}, {names[1][0]}{given})", test=test)
        return _led_by(statement, [*functions, _line(cst.Return(call))])

    def _assigning(self, statement: cst.If, rest: list[Any], known: set[str]) -> list[Any]:
        """An `if` that gives names other values."""
        true, false = list(as_block(statement.body).body), self._other(statement)
        self._check(true)
        self._check(false)
        in_true, in_false = _bound(true), _bound(false)
        later = _read_in(rest) | (_read_in([self.definition.body]) if self._in_loop(statement) else set())
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
                return _led_by(statement, [_line(_assign(name, made))])
        operands = [name for name in outs if name in known]
        functions, names = [], []
        for wanted, branch in (("if_true", true), ("if_false", false)):
            lowered = self.block(branch, known)
            functions.append(self._function(name := self._fresh(wanted), operands, [*lowered, _return(outs)]))
            names.append(name)
        given = "".join(f", {each}" for each in operands)
        call = self._make(f"jax.lax.cond(test, {names[0]}, {names[1]}{given})", test=test)
        return _led_by(statement, [*functions, _line(_assign(", ".join(outs), call))])

    def _in_loop(self, statement: cst.CSTNode) -> bool:
        return any(isinstance(outer, cst.For | cst.While) for outer in self.module.ancestors(statement))

    def _other(self, statement: cst.If) -> list[Any]:
        if statement.orelse is None:
            return []
        if isinstance(statement.orelse, cst.If):  # elif
            return [statement.orelse]
        return list(as_block(statement.orelse.body).body)

    def _value_returned(self, branch: list[Any]) -> cst.BaseExpression | None:
        part = _only(branch)
        return self.expression(part.value) if isinstance(part, cst.Return) and part.value is not None else None

    def _value_given(self, branch: list[Any], name: str) -> cst.BaseExpression | None:
        """What the branch gives the name, where it does nothing else."""
        if not branch:
            return cst.Name(name)
        part = _only(branch)
        if isinstance(part, cst.Assign) and len(part.targets) == 1 and _is_name(part.targets[0].target, name):
            return self.expression(part.value)
        if isinstance(part, cst.AugAssign) and _is_name(part.target, name):
            value = _added(part)
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
            or statement.target.value in _read_in(rest)
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
            f"jax.lax.fori_loop(low, high, {name}, carry)", low=low, high=bounds[-1], carry=_tuple(carried)
        )
        return _led_by(statement, [function, _line(_assign(", ".join(carried), made))])

    def _while(self, statement: cst.While, rest: list[Any], known: set[str]) -> list[Any]:
        body = list(as_block(statement.body).body)
        if statement.orelse is not None:
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        carried = self._carried(statement, body, rest, known, set())
        self.count += 1
        self.tainted |= set(carried)
        go_on, name = self._fresh("goes_on"), self._fresh("body")
        unpacked = [_line(_assign(", ".join(carried), cst.Name(self._carry(carried))))] if len(carried) > 1 else []
        test = self._function(go_on, [self._carry(carried)], [*unpacked, _line(cst.Return(self.test(statement.test)))])
        function = self._function(name, [self._carry(carried)], self._loop_body(body, carried, known))
        made = self._make(f"jax.lax.while_loop({go_on}, {name}, carry)", carry=_tuple(carried))
        return _led_by(statement, [test, function, _line(_assign(", ".join(carried), made))])

    def _carried(
        self, statement: cst.CSTNode, body: list[Any], rest: list[Any], known: set[str], own: set[str]
    ) -> list[str]:
        self._check(body)
        assigned = _bound(body) - own
        carried = sorted(assigned & known)
        if not carried or (assigned - known) & _read_in(rest) or own & known & _read_in(rest):
            raise Declined(CONTROL_FLOW_BY_HAND(line=self.module.line(statement)))
        return carried

    def _carry(self, carried: Sequence[str]) -> str:
        return carried[0] if len(carried) == 1 else "carry"

    def _loop_body(self, body: list[Any], carried: Sequence[str], known: set[str]) -> list[Any]:
        unpacked = [_line(_assign(", ".join(carried), cst.Name("carry")))] if len(carried) > 1 else []
        return [*unpacked, *self.block(body, known), _return(carried)]

    # ---- what may be in a branch or a loop

    def _check(self, statements: Sequence[Any], *, returns: bool = False) -> None:
        """Plain names are assigned, and nothing else is done; nested functions are nobody's business."""
        for statement in statements:
            for node in _here(statement):
                unfit = isinstance(
                    node,
                    cst.Break | cst.Continue | cst.Yield | cst.Await | cst.Global | cst.Nonlocal | cst.Del | cst.Try
                    | cst.With | cst.Assert | cst.Raise | cst.Import | cst.ImportFrom | cst.ClassDef,
                )  # fmt: skip
                effect = isinstance(node, cst.Expr) and not isinstance(node.value, cst.BaseString)
                if unfit or effect or (isinstance(node, cst.Return) and not returns) or _stores_elsewhere(node):
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
        return _bare(self.expression(node))

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
        block = [_plain(each) if index == 0 else each for index, each in enumerate(body)]
        blank = [cst.EmptyLine(indent=False)]
        return cst.FunctionDef(
            name=cst.Name(name), params=_parameters(parameters), body=cst.IndentedBlock(block), leading_lines=blank
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


def _names_assigned(node: Any) -> set[str]:
    targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
    return {each.value for target in targets for each in walk(target) if isinstance(each, cst.Name)}


def _here(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """The node and what is in it, but for what is in functions."""
    yield node
    if not isinstance(node, cst.FunctionDef | cst.Lambda):
        for child in node.children:
            yield from _here(child)


def _stores_elsewhere(node: cst.CSTNode) -> bool:
    """Does it assign an attribute, or an element?"""
    if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.NamedExpr):
        return any(isinstance(part, cst.Attribute | cst.Subscript) for part in walk(node.target))
    return False


def _leaves(statement: cst.If) -> bool:
    return any(isinstance(node, cst.Return) for node in _here(statement))


def _ends(statements: Sequence[Any]) -> bool:
    """Does control never go past these statements?"""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, cst.SimpleStatementLine):
        return isinstance(last.body[-1], _ENDS)
    if isinstance(last, cst.If) and last.orelse is not None:
        other = [last.orelse] if isinstance(last.orelse, cst.If) else list(as_block(last.orelse.body).body)
        return _ends(list(as_block(last.body).body)) and _ends(other)
    return False


def _returns(statements: Sequence[Any]) -> bool:
    """Does it return a value whichever way it goes? An early `return` in it is lowered in its turn."""
    return _ends(statements)


def _only(statements: Sequence[Any]) -> Any:
    if len(statements) != 1 or not isinstance(statements[0], cst.SimpleStatementLine) or len(statements[0].body) != 1:
        return None
    return statements[0].body[0]


def _bound(statements: Sequence[Any]) -> set[str]:
    return {name for statement in statements for name in bound_in(statement)}


_rebound = _bound


def _read_in(statements: Sequence[Any]) -> set[str]:
    return {node.value for statement in statements for node in walk(statement) if isinstance(node, cst.Name)} | {
        name for statement in statements for name in free_in(statement)
    }


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


_OPERATORS: Mapping[type[cst.CSTNode], Callable[[], cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract, cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide, cst.PowerAssign: cst.Power, cst.ModuloAssign: cst.Modulo,
    cst.FloorDivideAssign: cst.FloorDivide, cst.MatrixMultiplyAssign: cst.MatrixMultiply,
}  # fmt: skip


def _added(part: cst.AugAssign) -> cst.BaseExpression | None:
    operator = _OPERATORS.get(type(part.operator))
    if operator is None:
        return None
    value = part.value
    if isinstance(value, cst.BinaryOperation | cst.IfExp | cst.UnaryOperation | cst.Comparison):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if not value.lpar else value
    return cst.BinaryOperation(left=part.target, operator=operator(), right=value)


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """Without the brackets that an `if` may have around its test."""
    return node.with_changes(lpar=[], rpar=[]) if len(node.lpar) == 1 and not isinstance(node, cst.Tuple) else node


def _line(part: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([part])


def _assign(target: str, value: cst.BaseExpression) -> cst.Assign:
    parsed = cst.parse_expression(target)
    return cst.Assign(targets=[cst.AssignTarget(parsed)], value=value)  # type: ignore[arg-type]  # a name, or names


def _return(names: Sequence[str]) -> cst.SimpleStatementLine:
    return _line(cst.Return(cst.parse_expression(", ".join(names))))


def _tuple(names: Sequence[str]) -> cst.BaseExpression:
    return cst.Name(names[0]) if len(names) == 1 else cst.parse_expression(f"({', '.join(names)})")


def _parameters(names: Sequence[str]) -> cst.Parameters:
    return cst.Parameters(params=[cst.Param(cst.Name(name)) for name in names])


def _plain(statement: Any) -> Any:
    """The first statement of a block, without blank lines above it."""
    lines = [line for line in getattr(statement, "leading_lines", ()) if line.comment is not None]
    return statement.with_changes(leading_lines=lines)


def _led_by(statement: Any, new: list[Any]) -> list[Any]:
    """The new statements, with the comments that stood above the old one, and a blank line behind functions."""
    first, *others = new
    lines = list(statement.leading_lines)
    if isinstance(first, cst.FunctionDef) and not lines:
        lines = [cst.EmptyLine(indent=False)]
    spaced = []
    after_function = isinstance(first, cst.FunctionDef)
    for each in others:
        needed = [cst.EmptyLine(indent=False)] if after_function or isinstance(each, cst.FunctionDef) else []
        spaced.append(each.with_changes(leading_lines=needed))
        after_function = isinstance(each, cst.FunctionDef)
    return [first.with_changes(leading_lines=lines), *spaced]
