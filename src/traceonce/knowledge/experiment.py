"""An experiment: the module that runs what a record claims. It is read as text here, and imported only where it runs.

>>> from traceonce.knowledge.experiment import Retraces, cases
>>> symptom = Retraces(traces=10, cause="value", path="step")
>>> def failure(): ...                # has the symptom
>>> def right(): ...                  # the right outputs, where the failure has none (Raises, Wrong)
>>> def workaround_tensor(): ...      # one for each workaround of the record, named there as its `experiment`
>>> def dead_end_relax(): ...         # one for each dead end
>>> def message_in_a_layer(): ...     # other programs with the same failure, run for the messages that they give

A trial takes nothing and returns its outputs: numbers, tensors, strings, in any nesting of lists and dictionaries. With
``@cases("a", "b")`` it is run once for each of these situations, which it gets as its argument. With ``@eager`` it may
do without a graph: elsewhere, code that is no longer traced does not count as cured.

The body of a workaround or a dead end, with what it uses of its module, is what the record shows as `how`: what is read
is what was run (`snippet.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import msgspec

from traceonce.errors import RecordError
from traceonce.knowledge.snippet import snippet
from traceonce.knowledge.symptom import Breaks, Grows, Logs, Raises, Recompiles, Retraces, Symptom, Wrong

__all__ = ["Breaks", "Grows", "Logs", "Raises", "Recompiles", "Retraces", "Wrong", "cases", "eager"]

F = TypeVar("F", bound=Callable[..., Any])
Role: TypeAlias = Literal["failure", "right", "workaround", "dead_end", "message", "claim"]


def cases(*names: str) -> Callable[[F], F]:
    """Run the trial once in each of these situations; it gets the name as its argument."""
    return lambda function: function


def eager(function: F) -> F:
    """This trial may leave the graph."""
    return function


class Trial(msgspec.Struct, frozen=True):
    """A function of an experiment. `body` is its source, without what only the experiment needs, and runs as it is."""

    name: str
    role: Role
    body: str
    cases: tuple[str, ...] = ()
    eager: bool = False


class Experiment(msgspec.Struct, frozen=True):
    """What a module of trials states."""

    path: Path
    symptom: Symptom
    trials: dict[str, Trial]

    @classmethod
    def read(cls, path: Path) -> Experiment:
        """Read the module without running it."""
        source, tree = read_module(path)
        trials = read_trials(source, tree, path)
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        stated = [node.value for node in assigned if ast.unparse(node.targets[0]) == "symptom"]
        if not stated:
            raise RecordError(f"{path}: does not say what to look for; add: symptom = Retraces(…), Raises(…), …")
        symptom = _symptom(stated[-1], path)
        if "failure" not in trials:
            raise RecordError(f"{path}: has no function failure(); add one that has the symptom.")
        if isinstance(symptom, (Raises, Wrong)) and "right" not in trials:
            raise RecordError(
                f"{path}: the failure gives no right outputs, and there is no function right() that does; add one."
            )
        return cls(path, symptom, trials)


def read_module(path: Path) -> tuple[str, ast.Module]:
    """The source of a module of trials, and its syntax tree."""
    try:
        source = path.read_text(encoding="utf-8")
        return source, ast.parse(source)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except (SyntaxError, ValueError) as error:
        raise RecordError(f"{path}: is not Python: {error}.") from None


def read_trials(source: str, tree: ast.Module, path: Path) -> dict[str, Trial]:
    """The functions of a module that are trials, by name."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: _trial(node, role, source, tree, path) for node in functions if (role := _role(node.name))}


def _role(name: str) -> Role | None:
    return next((role for role in get_args(Role) if name == role or name.startswith(f"{role}_")), None)


def _trial(node: ast.FunctionDef, role: Role, source: str, tree: ast.Module, path: Path) -> Trial:
    decorators = {ast.unparse(getattr(d, "func", d)): d for d in node.decorator_list}
    unknown = decorators.keys() - {"cases", "eager"}
    if unknown:
        raise RecordError(
            f"{path}:{node.lineno}: {node.name} is decorated with {unknown.pop()}; only cases and eager are."
        )
    of_cases = decorators.get("cases")
    names: tuple[str, ...] = ()
    if isinstance(of_cases, ast.Call):
        names = tuple(_literal(argument, path) for argument in of_cases.args)
    return Trial(node.name, role, snippet(node, names, tree, source), names, "eager" in decorators)


def _symptom(node: ast.expr, path: Path) -> Symptom:
    kinds = {kind.__name__: kind for kind in get_args(Symptom)}
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or name not in kinds or node.args:
        raise RecordError(f"{path}:{node.lineno}: the symptom must be one of {', '.join(kinds)}, with named arguments.")
    arguments = {keyword.arg: _literal(keyword.value, path) for keyword in node.keywords}
    try:
        return msgspec.convert({"kind": name, **arguments}, kinds[name])  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        raise RecordError(f"{path}:{node.lineno}: symptom: {error}.") from None


def _literal(node: ast.expr, path: Path) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise RecordError(f"{path}:{node.lineno}: {ast.unparse(node)} is not a plain value; write it out.") from None
