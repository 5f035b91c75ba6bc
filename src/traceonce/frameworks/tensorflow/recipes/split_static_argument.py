"""A value that chooses a graph: a tensor and a switch, or one function per value. Advice: the body must allow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from traceonce.facts import CauseCode, Container, Leaf, Signature, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import arguments_of, callee_of, name_of, parameters_of, spell_call
from traceonce.fix.signatures.leaves import leaves_at, top
from traceonce.fix.signatures.prediction import each_leaf, predict_traces
from traceonce.frameworks.tensorflow.recipes.cover import NoSignature, cover
from traceonce.frameworks.tensorflow.words import FUNCTION_PER_VALUE, FUNCTION_WITH_AND_WITHOUT, SWITCH_OVER_VALUES

MOST = 16  # values: more of them are data, and no switch
_MODES = ("str", "bytes", "int")


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.verdict is not Verdict.RETRACING or diagnosis.function.library:
        return
    for cause in diagnosis.causes:
        if top(cause.path) != cause.path or cause.path not in parameters_of(case):
            continue
        leaves = leaves_at(case.signatures, cause.path)
        if cause.code is CauseCode.VALUE and _is_mode(leaves):
            values = list(dict.fromkeys(leaf.describe() for leaf in leaves))
            yield from _per_value(case, cause.path, values)
            yield from _switch(case, cause.path, values)
        elif cause.code is CauseCode.KIND and {leaf.kind for leaf in leaves} == {"none", "tensor"}:
            yield from _with_and_without(case, cause.path)


def _is_mode(leaves: Sequence[Leaf]) -> bool:
    values = {leaf.describe() for leaf in leaves}
    whole = not any("…" in value for value in values)  # a long text is kept shortened
    return 2 <= len(values) <= MOST and whole and all(leaf.type_name in _MODES for leaf in leaves)


def _per_value(case: Case, path: str, values: Sequence[str]) -> Iterator[Candidate]:
    """Each value has its function, and so its signature. That helps only where other things vary beside the value."""
    if parameters_of(case)[-1] != path or len(values) >= case.diagnosis.traces:
        return
    try:
        signature = cover([_without(seen, path) for seen in case.signatures]).code
    except NoSignature:
        return
    table = f"{_short_name(case)}_by_{path}"
    arguments = [argument for argument in arguments_of(case) if argument not in (path, f"{path}={path}")]
    snippet = (
        f"{table} = {{\n"
        f"    {path}: tf.function(functools.partial({_python(case)}, {path}={path}), input_signature={signature})\n"
        f"    for {path} in ({', '.join(values)})\n"
        f"}}\n"
        f"{table}[{path}]({', '.join(arguments)})"
    )
    notes = (FUNCTION_PER_VALUE(path=path),)
    yield Candidate("split_static_argument", "advice", (CauseCode.VALUE,), None, len(values), snippet, notes)


def _switch(case: Case, path: str, values: Sequence[str]) -> Iterator[Candidate]:
    """One graph that has all of the values in it; not for a number that is another one in every call: it counts."""
    counts = all(value.lstrip("-").isdigit() for value in values)
    if counts and case.diagnosis.calls is not None and len(values) >= case.diagnosis.calls:
        return

    def indexed(leaf: Leaf) -> Leaf:
        return Leaf(path, "tensor", dtype="int32", shape=()) if leaf.path == path else leaf

    traces, relaxed = (predict_traces(case.events, each_leaf(indexed), relax=relax) for relax in (False, True))
    if min(traces, relaxed) >= case.diagnosis.traces:
        return
    options = "(reduce_retracing=True)" if relaxed < traces else ""
    name, choices = f"{_short_name(case)}_any", f"{path.upper()}S"
    owner = ["self"] if _is_method(case) else []
    parameters = [*owner, *arguments_of(case)]
    call = f"{_python(case, inside=True)}({', '.join(parameters)})"
    callee = f"{callee_of(case.diagnosis.function).partition('.')[0]}.{name}" if owner else name
    index = f"tf.constant({choices}.index({path}))"
    snippet = (
        f"{choices} = [{', '.join(values)}]\n\n"
        f"@tf.function{options}\n"
        f"def {name}({', '.join(_named(parameters, path, 'index'))}):\n"
        f"    return tf.switch_case(index, [lambda {path}={path}: {call} for {path} in {choices}])\n\n"
        f"{spell_call(case, {path: index}, callee).replace(f'{path}={index}', f'index={index}')}"
    )
    notes = (SWITCH_OVER_VALUES(path=path),)
    yield Candidate("split_static_argument", "advice", (CauseCode.VALUE,), None, min(traces, relaxed), snippet, notes)


def _with_and_without(case: Case, path: str) -> Iterator[Candidate]:
    """No signature admits None and a tensor, but each of two functions can have one."""
    if parameters_of(case)[-1] != path or case.diagnosis.traces <= 2:
        return
    having = [
        seen for seen in case.signatures if any(leaf.path == path and leaf.kind == "tensor" for leaf in seen.leaves)
    ]
    lacking = [_without(seen, path) for seen in case.signatures if seen not in having]
    try:
        with_it, without_it = cover(having).code, cover(lacking).code
    except NoSignature:
        return
    name, python = _short_name(case), _python(case)
    arguments = [argument for argument in arguments_of(case) if argument not in (path, f"{path}={path}")]
    with_call = spell_call(case, callee=f"{name}_with_{path}")
    snippet = (
        f"{name}_with_{path} = tf.function({python}, input_signature={with_it})\n"
        f"{name}_without_{path} = tf.function(functools.partial({python}, {path}=None), input_signature={without_it})\n"
        f"{name}_without_{path}({', '.join(arguments)}) if {path} is None else {with_call}"
    )
    notes = (FUNCTION_WITH_AND_WITHOUT(path=path),)
    yield Candidate("split_static_argument", "advice", (CauseCode.KIND,), None, 2, snippet, notes)


def _without(signature: Signature, path: str) -> Signature:
    """The signature of a function that has no such parameter."""
    leaves = tuple(leaf for leaf in signature.leaves if leaf.path != path)
    containers = [_without_key(container, path) for container in signature.structure]
    return msgspec.structs.replace(signature, leaves=leaves, structure=tuple(containers))


def _without_key(container: Container, path: str) -> Container:
    if container.path not in ("", "*", "="):
        return container
    keys = tuple(key for key in container.keys if key.partition("=")[0] != path)
    return msgspec.structs.replace(container, keys=keys)


def _is_method(case: Case) -> bool:
    return "." in name_of(case.diagnosis.function)


def _short_name(case: Case) -> str:
    return callee_of(case.diagnosis.function).rpartition(".")[2]


def _python(case: Case, *, inside: bool = False) -> str:
    """The function under the `tf.function`; of a method, the class's own where `self` is given, else the object's."""
    function = case.diagnosis.function
    called = f"{callee_of(function)}.__call__" if function.short_name == "__call__" else callee_of(function)
    return f"{name_of(function) if inside else called}.python_function"


def _named(parameters: Sequence[str], path: str, name: str) -> list[str]:
    return [name if parameter in (path, f"{path}={path}") else parameter for parameter in parameters]


RECIPE = Recipe(
    name="split_static_argument",
    title="One function per value, or a switch",
    what="Turns a string (or a number, or None) that selects what a function does into a tensor with "
    "`tf.switch_case`, or creates one function per value, once.",
    why="A signature cannot hold such a value, so it cannot relax the other arguments either: each value is "
    "traced for each shape.",
    beware="All branches of a switch are traced and must return tensors of the same dtype and structure. A table "
    "of functions has one graph per value: fine for a handful of values.",
    propose=_propose,
    examples=(
        Example(
            title="A statistic chosen by name",
            function="summarize",
            traces_before=4,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def summarize(x, name):
    if name == "sum":
        return tf.reduce_sum(x)
    if name == "mean":
        return tf.reduce_mean(x)
    return tf.reduce_max(x) if name == "max" else tf.reduce_min(x)


for name in ("sum", "mean", "max", "min"):
    print(float(summarize(tf.ones([3]), name)))
''',
            advice="""\
NAMES = ['sum', 'mean', 'max', 'min']

@tf.function
def summarize_any(x, index):
    return tf.switch_case(index, [lambda name=name: summarize.python_function(x, name) for name in NAMES])

summarize_any(x, tf.constant(NAMES.index(name)))""",
        ),
    ),
)  # fmt: skip
