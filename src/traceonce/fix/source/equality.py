"""`__eq__` for a class, from what its `__hash__` compares, or from the fields that its `__init__` sets."""

from __future__ import annotations

import libcst as cst

from traceonce.fix.candidate import Declined
from traceonce.fix.source.edits import Edits, as_block
from traceonce.fix.source.module import Module, walk
from traceonce.words.notes.declined import FIELDS_NOT_CLEAR, HASH_NOT_CLEAR, OWN_EQUALITY

_EQ = """
def __eq__(self, other):
    return type(other) is type(self) and {theirs} == {mine}
"""
_HASH = """
def __hash__(self):
    return hash((type(self), {fields}))
"""
_BY_IDENTITY = {"self is other", "id(self) == id(other)", "other is self", "id(other) == id(self)", "False"}


def compare_contents(edits: Edits, module: Module, definition: cst.ClassDef) -> None:
    """Make objects of the class equal whose contents are. An `__eq__` that compares contents already is left to its
    author, unless `__hash__` says what they are.
    """
    eq, hashed = own_method(definition, "__eq__"), own_method(definition, "__hash__")
    key = _hash_key(hashed) if hashed is not None else None
    if key is not None:
        _write(
            edits, module, definition, eq, _EQ.format(mine=_of(module, key, "self"), theirs=_of(module, key, "other"))
        )
        return
    if hashed is not None and _only_return(hashed, module) not in ("id(self)", "hash(id(self))"):
        raise Declined(HASH_NOT_CLEAR(name=definition.name.value))
    if eq is not None and _only_return(eq, module) not in _BY_IDENTITY:
        raise Declined(OWN_EQUALITY(name=definition.name.value))
    fields = _fields(definition)
    mine, theirs = (_tuple([f"{owner}.{field}" for field in fields]) for owner in ("self", "other"))
    _write(edits, module, definition, eq, _EQ.format(mine=mine, theirs=theirs))
    _write(edits, module, definition, hashed, _HASH.format(fields=", ".join(f"self.{field}" for field in fields)))


def own_method(definition: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    for statement in as_block(definition.body).body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
            return statement
    return None


def _write(edits: Edits, module: Module, definition: cst.ClassDef, there: cst.FunctionDef | None, code: str) -> None:
    """The method, in the place of the one that is there."""
    (new,) = edits.statements(module, code, at=definition)
    if there is None:
        edits.append(module, definition, new.with_changes(leading_lines=[cst.EmptyLine(indent=False)]))
    else:
        edits.replace(module, there, new.with_changes(leading_lines=there.leading_lines))


def _returned(method: cst.FunctionDef) -> cst.BaseExpression | None:
    """What it returns, where that is all that it does."""
    body = [statement for statement in as_block(method.body).body if not _is_docstring(statement)]
    if len(body) != 1 or not isinstance(body[0], cst.SimpleStatementLine) or len(body[0].body) != 1:
        return None
    only = body[0].body[0]
    return only.value if isinstance(only, cst.Return) else None


def _only_return(method: cst.FunctionDef, module: Module) -> str | None:
    value = _returned(method)
    if value is None or not all(each.name.value in ("self", "other") for each in method.params.params):
        return None
    return module.code(value)


def _is_docstring(statement: cst.BaseStatement) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString)
    )


def _hash_key(method: cst.FunctionDef) -> cst.BaseExpression | None:
    """What stands in ``return hash(…)``, if it is made of attributes of `self` (and of its type) alone."""
    value = _returned(method)
    called = value.func if isinstance(value, cst.Call) else None
    if not isinstance(value, cst.Call) or not isinstance(called, cst.Name) or called.value != "hash":
        return None
    if len(value.args) != 1 or not method.params.params or method.params.params[0].name.value != "self":
        return None
    key = value.args[0].value
    attributes = [node for node in walk(key) if isinstance(node, cst.Attribute) and _is_self(node.value)]
    types = [node for node in walk(key) if isinstance(node, cst.Call) and _is_type_of_self(node)]
    mentioned = sum(map(_is_self, walk(key)))
    return key if attributes and mentioned == len(attributes) + len(types) else None


def _is_self(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value == "self"


def _is_type_of_self(call: cst.Call) -> bool:
    named = isinstance(call.func, cst.Name) and call.func.value == "type"
    return named and len(call.args) == 1 and _is_self(call.args[0].value)


def _of(module: Module, key: cst.BaseExpression, owner: str) -> str:
    code = module.code(key.visit(_Owner(owner)))  # type: ignore[arg-type]
    return code if isinstance(key, cst.Attribute | cst.Name | cst.Call) or key.lpar else f"({code})"


class _Owner(cst.CSTTransformer):
    def __init__(self, owner: str) -> None:
        super().__init__()
        self._owner = owner

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self._owner) if _is_self(original_node) else updated_node


def _fields(definition: cst.ClassDef) -> list[str]:
    """What `__init__` sets, each once: all of it plainly, and with nothing set by a base class."""
    name = definition.name.value
    method = own_method(definition, "__init__")
    if method is None or any(isinstance(node, cst.Name) and node.value == "super" for node in walk(method)):
        raise Declined(FIELDS_NOT_CLEAR(name=name))
    found: dict[str, None] = {}
    for node in walk(method.body):
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else []
        targets += [node.target] if isinstance(node, cst.AnnAssign) else []
        for target in targets:
            if isinstance(target, cst.Tuple | cst.List):
                raise Declined(FIELDS_NOT_CLEAR(name=name))
            if isinstance(target, cst.Attribute) and _is_self(target.value):
                found[target.attr.value] = None
    if not found:
        raise Declined(FIELDS_NOT_CLEAR(name=name))
    return list(found)


def _tuple(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"({', '.join(items)})"
