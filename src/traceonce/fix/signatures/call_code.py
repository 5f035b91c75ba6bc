"""Code and numbers of a snippet, as the author of the program would write them, from what was seen of the calls."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping

from traceonce.facts import FunctionId, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORDS
from traceonce.fix.case import Case
from traceonce.fix.signatures.leaves import at_their_defaults, top

_ASSIGNABLE = ("dict", "list")


def name_of(function: FunctionId) -> str:
    """Its name without the functions around it: ``Gpt.train_step``."""
    return function.name.partition(" [")[0].rpartition("<locals>.")[2]


def callee_of(function: FunctionId) -> str:
    """What stands before the parenthesis of a call: ``train_step``, or ``gpt.train_step`` for a method of Gpt."""
    *owners, name = name_of(function).split(".")
    name = _identifier(name, "function")
    if not owners:
        return name
    owner = _identifier(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owners[-1]).lower().strip("_"), "instance")
    return owner if name == "__call__" else f"{owner}.{name}"


def _identifier(text: str, otherwise: str) -> str:
    return text if text.isidentifier() and not keyword.iskeyword(text) else otherwise


def parameters_of(case: Case) -> tuple[str, ...]:
    """The parameters in their order, as far as they are known, without `self`."""
    last = _last(case)
    declared = next((container.keys for container in last.structure if container.path == ""), None)
    found = declared if declared is not None else tuple(dict.fromkeys(top(leaf.path) for leaf in last.leaves))
    return tuple(name for name in found if name.isidentifier() and name != "self")


def arguments_of(case: Case, given: Mapping[str, str] | None = None) -> list[str]:
    """The arguments of a call, each by its own name, or as `given`, without those that never left their defaults."""
    given = given or {}
    containers = {container.path: container for container in _last(case).structure}
    keyword_only = containers["*"].keys if "*" in containers else ()
    stars = {ARGUMENTS: "*", KEYWORDS: "**"}
    resting = at_their_defaults(case.signatures) if case.signatures else ()
    arguments = []
    for name in parameters_of(case):
        star = stars.get(containers[name].type_name, "") if name in containers else ""
        if name in given:
            arguments.append(f"{name}={given[name]}" if name in keyword_only else given[name])
        elif name not in resting:
            arguments.append(f"{name}={name}" if name in keyword_only else star + name)
    return arguments


def spell_call(case: Case, given: Mapping[str, str] | None = None, callee: str | None = None) -> str:
    """A call of the function: ``train_step(padded(x, axis=1), step)``."""
    return f"{callee or callee_of(case.diagnosis.function)}({', '.join(arguments_of(case, given))})"


def spell_changes(case: Case, given: Mapping[str, str]) -> str:
    """A call with other things given: parameters in the call itself, what lies deeper (``batch['x']``) before it.

    Where what holds it cannot be assigned to, as in a tuple, it is said beside the call.
    """
    kinds = {container.path: container.type_name for container in _last(case).structure}
    deeper = {path: code for path, code in given.items() if top(path) != path}
    lines, said = [], []
    for path, code in deeper.items():
        if kinds.get(_holder(path)) in _ASSIGNABLE:
            lines.append(f"{path} = {code}")
        else:
            said.append(f"{code} for {path}")
    call = spell_call(case, {path: code for path, code in given.items() if path not in deeper})
    return "\n".join([*lines, f"{call}  # with {', '.join(said)}" if said else call])


def quoted(key: str) -> str:
    """A key of a dict, in the quotes that formatters prefer."""
    return f'"{key[1:-1]}"' if key.startswith("'") and '"' not in key and "\\" not in key else key


def _holder(path: str) -> str:
    """``batch`` of ``batch['x']`` and of ``batch.x``."""
    return path[: max(path.rfind("["), path.rfind("."))]


def _last(case: Case) -> Signature:
    return case.signatures[-1] if case.signatures else Signature()
