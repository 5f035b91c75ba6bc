"""A call gives what the function makes of an argument, and uses of it, in the place of the argument itself.

``torch.stack(parts)`` in the body becomes ``parts``, and a call gives ``torch.stack(parts)``: a tensor, whose first
dimension can be left open, while every length of a list is compiled for. Likewise for ``name.startswith("mean")``,
which is a bool, and ``frame.float()``, which has one dtype.

1. Everything that the function reads of the argument must be one and the same expression, of nothing but the argument
   and of what is known at the call as well.
2. The expression must do nothing but give a value: methods of texts and of numbers, functions listed here.
3. It is done at every call then. So it must be one that the function does in every call, or one that cannot fail.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe, together
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_words
from traceonce.frameworks.torch.recipes.dynamic import drop_static
from traceonce.frameworks.torch.recipes.varying_values import is_argument, parameter_of
from traceonce.frameworks.torch.words import DERIVED_BEFORE_CALL, USED_IN_OTHER_WAYS
from traceonce.words.notes.declined import LEFT_OUT_IN_SOME_CALLS

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits
    from traceonce.fix.source.module import Function, Module
    from traceonce.fix.source.passed_arguments import Argument

NAME = "derived_argument"
# What makes one tensor of several, or one value of one: of arguments that it leaves alone.
_JOINS = {"stack", "cat", "concat", "concatenate", "vstack", "hstack", "dstack", "tensor", "as_tensor", "from_numpy"}
_FUNCTIONS = frozenset({f"torch.{name}" for name in _JOINS} | {"torch.nn.utils.rnn.pad_sequence", "numpy.stack"})
_PURE_MODULES = ("math.",)
_BUILT_IN = frozenset({"len", "str", "int", "float", "bool", "tuple", "list", "sum", "min", "max", "abs", "round"})
_CASTS = frozenset({"float", "double", "half", "bfloat16", "long", "int", "bool", "to", "type", "contiguous"})
_CANNOT_FAIL = "str"  # methods and comparisons of a text
LONGEST = 40  # characters of a new name


def propose(case: Case) -> Iterator[Candidate]:
    treated: dict[str, list[Cause]] = {}
    for cause in case.diagnosis.causes:
        parameter = parameter_of(cause.path)
        if parameter is not None and _may_be_derived(cause) and is_argument(case, parameter):
            treated.setdefault(parameter, []).append(cause)
    if len(treated) > 1:  # of two lists of one length, either alone leaves as many compilations
        yield from _candidates(case, treated)
    for parameter, causes in treated.items():
        yield from _candidates(case, {parameter: causes})


def _candidates(case: Case, treated: Mapping[str, Sequence[Cause]]) -> Iterator[Candidate]:
    """As it is; and without `dynamic=False`, under which a size of what is given then is compiled for as well."""

    def change(edits: Edits) -> None:
        for parameter, causes in treated.items():
            _derive(case, edits, parameter, is_text=all(cause.type_name == _CANNOT_FAIL for cause in causes))

    codes = tuple(sorted({cause.code for causes in treated.values() for cause in causes}))
    notes = tuple(DERIVED_BEFORE_CALL(name=parameter) for parameter in treated)
    snippet = f"# before the call: what {case.diagnosis.function.short_name} makes of {enumerate_words(list(treated))}"
    yield Candidate(NAME, "review", codes, change, None, snippet, notes)
    both = together(change, lambda edits: drop_static(case, edits))
    yield Candidate(f"{NAME}+dynamic", "review", codes, both, None, snippet, notes)


def _may_be_derived(cause: Cause) -> bool:
    if cause.code is CauseCode.VALUE:
        return cause.type_name in ("str", "int", "float")
    return cause.code in (CauseCode.STRUCTURE, CauseCode.DTYPE, CauseCode.KIND)


def _derive(case: Case, edits: Edits, parameter: str, *, is_text: bool) -> None:
    import libcst as cst

    from traceonce.fix.closures.parameters import check_other_calls
    from traceonce.fix.source.definitions import find_definition
    from traceonce.fix.source.names import each_parameter
    from traceonce.fix.source.passed_arguments import find_arguments

    module, definition = find_definition(case.diagnosis.function, edits)
    derived = _Derived(module, definition, parameter, is_text=is_text).find()
    arguments = find_arguments(case, edits, parameter)
    if len(arguments) < len(case.sites) or any(not isinstance(each.node, cst.Arg) for each in arguments):
        raise Declined(LEFT_OUT_IN_SOME_CALLS(path=parameter))
    check_other_calls(edits, case, [argument.call for argument in arguments])
    code = module.code(derived[0]).strip()
    name = parameter if _is_tensor(module, derived[0]) else _name_of(module, definition, code)
    for argument in arguments:
        _check_known(module, derived[0], parameter, argument.module, argument.call)
        made = functools.partial(_made_at, edits, argument, code, parameter)
        edits.replace(argument.module, argument.node.value, made)
        keyword = argument.node.keyword if isinstance(argument.node, cst.Arg) else None
        if name != parameter and keyword is not None:
            edits.replace(argument.module, keyword, cst.Name(name))
    for node in derived:
        edits.replace(module, node, cst.Name(name))
    if name != parameter:
        (declared,) = [each for each in each_parameter(definition.params) if each.name.value == parameter]
        edits.replace(module, declared.name, cst.Name(name))
        edits.amend(module, declared, lambda node: node.with_changes(annotation=None))


def _made_at(
    edits: Edits, argument: Argument, code: str, parameter: str, value: cst.BaseExpression
) -> cst.BaseExpression:
    return edits.expression(argument.module, code, argument.call, **{parameter: value})


def _is_tensor(module: Module, derived: cst.BaseExpression) -> bool:
    """Is it a tensor, for which the old name does?"""
    import libcst as cst

    from traceonce.fix.source.wrappers import meaning

    if not isinstance(derived, cst.Call):
        return False
    cast = isinstance(derived.func, cst.Attribute) and derived.func.attr.value in _CASTS
    return cast or bool(meaning(module, derived.func) & _FUNCTIONS)


def _name_of(module: Module, definition: Function, code: str) -> str:
    """`name_endswith_mean` for ``name.endswith("_mean")``."""
    from traceonce.fix.hoisting.collisions import fresh_name

    words = "_".join(re.findall(r"[A-Za-z0-9]+", code)).lower()
    return fresh_name(module, words[:LONGEST].rstrip("_"))


def _check_known(module: Module, derived: cst.CSTNode, parameter: str, there: Module, call: cst.CSTNode) -> None:
    """All other names in the expression must mean the same at the call."""
    from traceonce.fix.source.binders import binders_seen

    for name in sorted(module.free_names(derived) - {parameter} - _BUILT_IN):
        if there is not module or binders_seen(module, name, derived) != binders_seen(module, name, call):
            raise Declined(USED_IN_OTHER_WAYS(name=parameter, code=module.code(derived).strip()))


class _Derived:
    """What a function reads of one of its parameters."""

    def __init__(self, module: Module, definition: Function, parameter: str, *, is_text: bool) -> None:
        self._module = module
        self._definition = definition
        self._parameter = parameter
        self._is_text = is_text

    def find(self) -> list[cst.BaseExpression]:
        """The expressions, all alike, that hold every place at which the parameter is read."""
        import libcst as cst

        module = self._module
        reads = self._reads()
        found = [self._largest(read) for read in reads]
        texts = {module.code(each).strip() for each in found}
        if len(texts) != 1 or any(isinstance(each, cst.Name) for each in found):
            other = next((module.code(each).strip() for each in found), self._parameter)
            raise Declined(USED_IN_OTHER_WAYS(name=self._parameter, code=other))
        if not self._is_text and not any(self._is_always_done(each) for each in found):
            raise Declined(USED_IN_OTHER_WAYS(name=self._parameter, code=next(iter(texts))))
        return list(dict.fromkeys(found))

    def _reads(self) -> list[cst.Name]:
        """Up to where the name is given another value, in a statement at the top of the body (``x = x.float()``)."""
        import libcst as cst

        from traceonce.fix.source.module import walk
        from traceonce.fix.source.scopes import is_label

        module = self._module
        found: list[cst.Name] = []
        body = self._definition.body
        for statement in body.body if isinstance(body, cst.IndentedBlock) else [body]:
            names = [
                node
                for node in walk(statement)
                if isinstance(node, cst.Name) and node.value == self._parameter and not is_label(module, node)
            ]
            assigned = [node for node in names if isinstance(module.parent(node), cst.AssignTarget)]
            found += [node for node in names if node not in assigned]
            if assigned and isinstance(statement, cst.SimpleStatementLine):
                return found
            if self._parameter in module.names_bound_in(statement) - {"self"} if assigned else False:
                raise Declined(USED_IN_OTHER_WAYS(name=self._parameter, code=module.code(assigned[0]).strip()))
        return found

    def _largest(self, read: cst.Name) -> cst.BaseExpression:
        import libcst as cst

        node: cst.BaseExpression = read
        for outer in self._module.ancestors(read):
            if isinstance(outer, cst.Arg | cst.ComparisonTarget | cst.Index | cst.SubscriptElement | cst.Element):
                continue
            if isinstance(outer, cst.Attribute):  # what it is called on is seen with the call
                continue
            if not isinstance(outer, cst.BaseExpression) or not self._gives_a_value(outer):
                break
            node = outer
        return node

    def _gives_a_value(self, node: cst.BaseExpression) -> bool:
        """Is it made of the parameter and of literals alone, in a way that only gives a value?"""
        import libcst as cst

        if isinstance(node, cst.Call):
            return self._is_known_call(node)
        if isinstance(node, cst.Comparison | cst.UnaryOperation):
            return self._is_text and self._is_plain(node)
        return False

    def _is_known_call(self, call: cst.Call) -> bool:
        import libcst as cst

        from traceonce.fix.source.wrappers import meaning

        module = self._module
        others = [argument for argument in call.args if not self._holds_parameter(argument)]
        if any(argument.star for argument in call.args) or not all(self._is_literal(each.value) for each in others):
            return False
        if isinstance(call.func, cst.Attribute) and self._holds_parameter(call.func.value):
            return self._is_text or call.func.attr.value in _CASTS
        if any(name in _FUNCTIONS or name.startswith(_PURE_MODULES) for name in meaning(module, call.func)):
            return True
        return isinstance(call.func, cst.Name) and call.func.value in _BUILT_IN - module.names_bound_in(module.tree)

    def _is_plain(self, node: cst.CSTNode) -> bool:
        import libcst as cst

        from traceonce.fix.source.module import walk

        names = {each.value for each in walk(node) if isinstance(each, cst.Name)}
        return self._parameter in names and not self._module.free_names(node) - {self._parameter} - _BUILT_IN

    def _holds_parameter(self, node: cst.CSTNode) -> bool:
        return self._parameter in self._module.free_names(node)

    def _is_literal(self, node: cst.BaseExpression) -> bool:
        """A literal, or something that a package offers (`torch.float32`)."""
        import libcst as cst

        from traceonce.fix.source.wrappers import meaning

        if isinstance(node, cst.Attribute | cst.Name) and (
            meaning(self._module, node) or self._module.code(node) in ("True", "False", "None")
        ):
            return True
        return not self._module.free_names(node) and not isinstance(node, cst.Call | cst.Lambda)

    def _is_always_done(self, node: cst.CSTNode) -> bool:
        """Is it in a statement at the top of the body, and not behind a condition there?"""
        import libcst as cst

        for outer in self._module.ancestors(node):
            if outer is self._definition:
                return True
            if isinstance(outer, cst.IfExp | cst.BooleanOperation | cst.Lambda | cst.ListComp | cst.GeneratorExp):
                return False
            if isinstance(outer, cst.If | cst.For | cst.While | cst.Try | cst.With | cst.FunctionDef):
                return False
        return True


_STACKED = Example(
    title="A varying number of tensors, stacked",
    function="ensemble",
    traces_before=8,
    traces_after=2,
    program='''\
import torch


@torch.compile(backend="eager")
def ensemble(predictions):
    return torch.stack(predictions).mean(0).softmax(-1)


members = []
for number in range(12):
    members.append(torch.arange(3.0) * number)
    print(ensemble(members).tolist())
''',
    repaired='''\
import torch


@torch.compile(backend="eager")
def ensemble(predictions):
    return predictions.mean(0).softmax(-1)


members = []
for number in range(12):
    members.append(torch.arange(3.0) * number)
    print(ensemble(torch.stack(members)).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Pass the derived value",
    what="Moves what the function derives from an argument, such as `torch.stack(parts)` or "
    "`name.endswith('_mean')`, to the callers, which pass the result.",
    why="Every list length, string and dtype recompiles. The derived value is often a bool, a tensor of one "
    "dtype, or a tensor whose first dimension can be dynamic.",
    beware="The argument changes its meaning: callers outside the program must change too. The moved expression "
    "is no longer compiled.",
    propose=propose,
    examples=(_STACKED,),
)
