"""Code that is run again and again, to be run once: it moves out with what it needs, or an object keeps it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import libcst as cst

from traceonce.facts import Note
from traceonce.fix.candidate import Declined
from traceonce.fix.hoisting.collisions import collides, fresh_name
from traceonce.fix.hoisting.homes import Home, Reach, find_home, is_private_to_class, needed_at_once
from traceonce.fix.hoisting.placement import New, cut_out, indented, place, take_out, written
from traceonce.fix.source.binders import binders, binders_seen
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.framework_names import all_sources
from traceonce.fix.source.module import Function, Module, walk
from traceonce.fix.source.scopes import method_of, scope_of
from traceonce.fix.source.wrappers import is_partial, meaning, readers
from traceonce.words.notes.declined import (
    AT_THE_TOP_ALREADY,
    BELONGS_TO_CLASS,
    BOUND_AT_SEVERAL_PLACES,
    CLASS_DEFINED_AGAIN,
    MADE_FROM_CALL,
    NOT_IN_A_METHOD,
    OBJECT_CANNOT_KEEP_IT,
    ONCE_PER_OBJECT_ALREADY,
    READS_OF_FUNCTION,
    READS_OF_LOOP,
    WRITTEN_AT_SEVERAL_PLACES,
)


class Movable(NamedTuple):
    """A definition, or an expression. `statement` is there where all of it is to move: a definition, or ``name = …``.

    `name` is what it is called, or will be. `makings`: what makes an object that it reads moves along, too.
    """

    module: Module
    node: cst.CSTNode
    name: str
    statement: cst.BaseStatement | None = None
    makings: bool = False


class Relocation(NamedTuple):
    """The definitions that it needs and that can move with it, and how far they can go."""

    helpers: list[Any]
    reach: Reach


def movable_definition(module: Module, definition: cst.FunctionDef) -> Movable:
    if isinstance(scope_of(module, definition), cst.ClassDef):
        raise Declined(CLASS_DEFINED_AGAIN())
    return Movable(module, definition, definition.name.value, definition)


def movable_expression(
    module: Module, node: cst.BaseExpression, wanted_name: str, taken: Iterable[str] = ()
) -> Movable:
    """An expression, with its whole statement where that only gives it a name that is bound nowhere else.

    `taken` are names that the same change gives to other things.
    """
    _check_calls(module, node)
    statement = module.statement(node)
    target = assigned_name(statement)
    if target is not None and value_of(statement) is node and len(binders_seen(module, target, statement)) == 1:
        assert isinstance(statement, cst.BaseStatement)
        return Movable(module, node, target, statement)
    return Movable(module, node, fresh_name(module, wanted_name, taken))


def _check_calls(module: Module, node: cst.BaseExpression) -> None:
    """An expression that is run once must not hold a call that could give another thing each time."""
    for part in _run_at_once(node):
        if isinstance(part, cst.Call) and part is not node and not (isinstance(node, cst.Call) and part is node.func):
            meant = meaning(module, part.func)
            known = is_partial(module, part.func) or any(map(makes_a_value, meant))
            if not known:
                raise Declined(MADE_FROM_CALL(name=module.code(part.func)))


def makes_a_value(name: str) -> bool:
    """Does a call of this function give the same each time? What has a state (a variable, a layer) does not."""
    return name.startswith(_pure()) and not name.rpartition(".")[2][:1].isupper() and "random" not in name


@cache
def _pure() -> tuple[str, ...]:
    return tuple(name for source in all_sources() for name in source.pure)


def _run_at_once(node: cst.CSTNode) -> list[cst.CSTNode]:
    inner = () if isinstance(node, cst.Lambda) else node.children
    return [node, *(part for child in inner for part in _run_at_once(child))]


def assigned_name(statement: Any) -> str | None:
    """`name`, where the statement is ``name = …`` and nothing else."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        assign = statement.body[0]
        if isinstance(assign, cst.Assign) and len(assign.targets) == 1:
            target = assign.targets[0].target
            return target.value if isinstance(target, cst.Name) else None
    return None


def value_of(statement: Any) -> cst.CSTNode:
    return statement if isinstance(statement, cst.FunctionDef) else statement.body[0].value


def _name(statement: Any) -> cst.Name:
    name = statement.name if isinstance(statement, cst.FunctionDef) else statement.body[0].targets[0].target
    assert isinstance(name, cst.Name)
    return name


def plan(thing: Movable, passed: Collection[str] = ()) -> Relocation:
    """How far out it can go, taking along the functions that are in its way, if those are defined once.

    `passed` are names that it will be given, so that they need not mean the same where it goes.
    """
    module, helpers = thing.module, list[Any]()
    while True:
        parts = [*map(value_of, helpers), thing.node]
        own = {_name(helper).value for helper in helpers}
        own |= {thing.name} if isinstance(thing.statement, cst.FunctionDef) else set()  # it may call itself
        reads = {name for part in parts for name in module.free_names(part)} - own - {*passed}
        needs = {name for part in parts for name in needed_at_once(part)} - own
        if any(map(is_private_to_class, parts)):
            reads.add("__class__")
        reach = find_home(module, thing.node, reads, needs)
        more = [] if reach.barrier is None else [_sole_maker(thing, name) for name in sorted(reach.names)]
        if not more or None in more or any(other is helper for other in more for helper in helpers):
            return Relocation(helpers, reach)
        helpers += more


def _sole_maker(thing: Movable, name: str) -> cst.CSTNode | None:
    function = sole_function(thing.module, thing.node, name)
    return function or (sole_making(thing.module, thing.node, name) if thing.makings else None)


def sole_making(module: Module, at: cst.CSTNode, name: str) -> cst.CSTNode | None:
    """``name = Make(…)``, where that is the only thing that gives it a value."""
    found = binders_seen(module, name, at)
    statement = module.statement(found[0]) if len(found) == 1 else None
    is_call = assigned_name(statement) == name and isinstance(value_of(statement), cst.Call)
    return statement if is_call else None


def sole_function(module: Module, at: cst.CSTNode, name: str) -> cst.CSTNode | None:
    """The definition of a name, where that is a function, or a lambda, and the only thing of that name there."""
    found = binders_seen(module, name, at)
    statement = module.statement(found[0]) if len(found) == 1 else None
    if isinstance(statement, cst.FunctionDef):
        return statement if found[0] is statement else None
    is_lambda = assigned_name(statement) == name and isinstance(value_of(statement), cst.Lambda)
    return statement if is_lambda else None


def move_out(
    edits: Edits,
    *things: Movable,
    prefix: str = "traced",
    passed: Collection[str] = (),
    after: Sequence[cst.BaseStatement] = (),
) -> None:
    """Put each at its outermost home. An expression that is written at several places gets one home, and one name.

    They come `after` these new statements; `passed` are names that they do not need there.
    """
    placed: dict[Home, list[New]] = {}
    done: list[tuple[Movable, Home]] = []
    moved: list[Any] = []
    taken = {thing.name for thing in things if thing.statement is None}
    for thing in things:
        module, (helpers, reach) = thing.module, plan(thing, passed)
        home = reach.home
        if home is None:
            raise Declined(why_not(module, reach))
        same = next((earlier for earlier in done if _is_written_alike(earlier[0], thing)), None)
        if same is not None:
            if same[1] != home:
                raise Declined(WRITTEN_AT_SEVERAL_PLACES(code=module.code(thing.node)))
            edits.replace(module, thing.node, cst.Name(same[0].name))
            continue
        done.append((thing, home))
        own = [] if thing.statement is None else [thing.statement]
        statements = [each for each in (*left_behind(module, helpers, home), *own) if each not in moved]
        moved += statements
        new = placed.setdefault(home, written(after))
        for statement in sorted(statements, key=module.line):
            new += move_statement(edits, module, statement, home, prefix, taken)
        if thing.statement is None:
            made = cut_out(edits, module, thing.node, cst.Name(thing.name))
            new.append(assignment(edits, module, thing.name, made))
    modules = {home: thing.module for thing, home in done}
    for home, new in placed.items():
        place(edits, modules[home], home, new)


def _is_written_alike(one: Movable, other: Movable) -> bool:
    bare = one.statement is None and other.statement is None
    return bare and one.module is other.module and one.node.deep_equals(other.node)


def move_statement(
    edits: Edits, module: Module, statement: Any, home: Home, prefix: str, taken: set[str], *, rename: bool = True
) -> Iterator[New]:
    """Take a statement out, to be placed at its home; under another name where it would meet its own name there.

    A definition keeps its name all the same, since that is what reports call it by: it is made by a function.
    `rename`: what reads it follows.
    """
    name, scope = _name(statement).value, scope_of(module, statement)
    if len(binders_seen(module, name, statement)) != 1:
        raise Declined(BOUND_AT_SEVERAL_PLACES(name=name))
    if name not in taken and not collides(module, name, scope, home.scope):
        taken.add(name)
        yield take_out(edits, module, statement)
        return
    new_name = fresh_name(module, f"{prefix}_{name}", taken)
    maker = fresh_name(module, f"make_{name}", taken)
    taken |= {new_name, maker}
    is_definition = isinstance(statement, cst.FunctionDef)
    for use in uses(module, statement) if rename else ():
        if not (is_definition and module.holds(statement, use)):
            edits.replace(module, use, cst.Name(new_name))
    taken_out = take_out(edits, module, statement)
    if not is_definition:
        yield taken_out
        return
    (function,) = edits.statements(module, f"def {maker}():\n    return {name}")
    yield New(function, lambda: _filled(function, taken_out))
    yield from written(edits.statements(module, f"{new_name} = {maker}()"))


def _filled(function: Any, definition: New) -> cst.BaseStatement:
    """The function with a definition before its `return`."""
    first, last = indented([definition, *written(function.body.body)])
    comments = [line for line in getattr(first, "leading_lines", ()) if line.comment is not None]
    body = [first.with_changes(leading_lines=comments), last]
    filled: cst.BaseStatement = function.with_changes(body=cst.IndentedBlock(body=body))
    return filled


def assignment(edits: Edits, module: Module, target: str, made: Callable[[], cst.BaseExpression]) -> New:
    (like,) = edits.statements(module, f"{target} = made")
    return New(like, lambda: edits.statements(module, f"{target} = made", made=made())[0])


def why_not(module: Module, reach: Reach) -> Note:
    """Why it cannot move, and what to do instead."""
    if reach.barrier is None:
        return AT_THE_TOP_ALREADY()
    names, line = ", ".join(sorted(reach.names)), module.line(reach.barrier)
    if isinstance(reach.barrier, cst.ClassDef):
        return BELONGS_TO_CLASS(line=line)
    if isinstance(reach.barrier, Function):
        return READS_OF_FUNCTION(names=names, line=line)
    return READS_OF_LOOP(names=names, line=line)


def left_behind(module: Module, helpers: Sequence[Any], home: Home) -> list[Any]:
    """The helpers that are not known at the new home unless they move, too."""
    return [
        helper
        for helper in helpers
        if scope_of(module, helper) is not home.scope or module.holds(home.statement, helper)
    ]


def uses(module: Module, statement: Any) -> list[cst.Name]:
    name = _name(statement)
    return [name, *(reader for reader in readers(module, name) if reader is not name)]


def keep_on_instance(edits: Edits, thing: Movable, prefix: str) -> None:
    """Make it once for each object, the first time that the method needs it."""
    module, (helpers, reach) = thing.module, plan(thing)
    method, owner = method_of(module, thing.node) or (None, None)
    if method is None or owner is None:
        raise Declined(NOT_IN_A_METHOD())
    myself = method.params.params[0].name.value
    if reach.barrier is not method or reach.names != {myself}:
        raise Declined(why_not(module, reach))
    if method.name.value == "__init__":
        raise Declined(ONCE_PER_OBJECT_ALREADY())
    if any(scope_of(module, binder) is owner for binder in binders(module, "__slots__")):
        raise Declined(OBJECT_CANNOT_KEEP_IT(name=owner.name.value))
    attribute = fresh_name(module, f"_{prefix}_{thing.name.removeprefix(prefix).strip('_')}")
    kept = f"{myself}.{attribute}"
    init = _where_objects_begin(owner) if _is_method(module, owner, thing.node, myself) else None
    if init is not None:  # the method is there from the start, and so can be what keeps it
        made: Any = thing.node
        first = init.params.params[0].name.value
        edits.append(module, init, *edits.statements(module, f"{first}.{attribute} = {first}.{made.attr.value}"))
        edits.replace(module, thing.node, edits.expression(module, kept))
        return
    home = reach.home or Home(module.statement(thing.node), method)
    _keep_when_needed(edits, thing, home, left_behind(module, helpers, home), myself, attribute)


def _keep_when_needed(edits: Edits, thing: Movable, home: Home, moved: list[Any], myself: str, attribute: str) -> None:
    module, kept = thing.module, f"{myself}.{attribute}"
    inner = [take_out(edits, module, statement) for statement in moved]
    behind: list[New] = []
    if isinstance(thing.statement, cst.FunctionDef):
        for_good = home.statement is not thing.statement
        inner.append(take_out(edits, module, thing.statement, for_good=for_good))
        inner += written(edits.statements(module, f"{kept} = {thing.name}"))
        behind = written(edits.statements(module, f"{thing.name} = {kept}"))
    else:
        made = cut_out(edits, module, thing.node, edits.expression(module, kept))
        inner.append(assignment(edits, module, kept, made))
    (check,) = edits.statements(module, f'if not hasattr({myself}, "{attribute}"):\n    pass')
    whole = New(check, lambda: check.with_changes(body=cst.IndentedBlock(body=indented(inner))))
    place(edits, module, home, [whole, *behind])


def _is_method(module: Module, owner: cst.ClassDef, node: cst.CSTNode, myself: str) -> bool:
    """Is it ``self.loss``, with `loss` a method of the class?"""
    if not isinstance(node, cst.Attribute) or module.code(node.value) != myself:
        return False
    found = [binder for binder in binders(module, node.attr.value) if scope_of(module, binder) is owner]
    return len(found) == 1 and isinstance(found[0], cst.FunctionDef) and not found[0].decorators


def _where_objects_begin(owner: cst.ClassDef) -> cst.FunctionDef | None:
    """The ``__init__`` of the class, where it runs to its end."""
    for statement in owner.body.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value == "__init__" and statement.params.params:
            returns = any(isinstance(part, cst.Return) for part in walk(statement.body))
            return None if returns else statement
    return None
