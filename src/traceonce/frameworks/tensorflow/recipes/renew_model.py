"""A model that is built and trained again is trained in the first one like it, which takes over the fresh variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import libcst as cst

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.hoisting.collisions import fresh_name
from traceonce.fix.hoisting.factory import Made, done_to, find_made
from traceonce.fix.hoisting.homes import Home, is_run_again
from traceonce.fix.hoisting.placement import place, written
from traceonce.fix.recipes.library_report import site_of
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.fix.source.scopes import is_label, scope_of
from traceonce.frameworks.tensorflow.recipes.keep_object import receiver, uses_of
from traceonce.frameworks.tensorflow.words import (
    COMPILED_AS_BEFORE,
    HELPER_NAME_TAKEN,
    MODEL_ESCAPES,
    MODEL_TAKES_OVER,
    NOT_COMPILED_AGAIN,
)
from traceonce.words.notes.declined import MADE_NOWHERE_SEEN, MADE_ONCE_ALREADY

_MODELS, _FUNCTION = "_KEPT_MODELS", "_kept_model"
HELPER = r'''
_KEPT_MODELS = []


def _kept_model(fresh):
    """The first model that was built and compiled like this one, with the variables of this one: it is traced once."""
    makeup = _makeup_of(fresh)
    kept = next((model for model, known in _KEPT_MODELS if makeup is not None and known == makeup), None)
    if kept is None:
        _KEPT_MODELS.append((fresh, makeup))
        return fresh
    variables, values = [*kept.variables], [*fresh.variables]
    if fresh.compiled:
        for model in (kept, fresh):
            model.optimizer.build(model.trainable_variables)
        variables += kept.optimizer.variables
        values += fresh.optimizer.variables
        kept.reset_metrics()
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
    kept.stop_training = False
    return kept


def _makeup_of(model):
    """How a model is built and compiled, without the names that Keras counts; None where that does not tell all."""
    if not model.built or any(not type(part).__module__.startswith("keras.") for part in (model, *model.layers)):
        return None
    if any(hasattr(layer, "layers") for layer in model.layers):
        return None
    config = model.get_config()
    text, compiled = (json.dumps(each, sort_keys=True, default=repr) for each in (config, model.get_compile_config()))
    if '"class_name": "function"' in text + compiled or "__lambda__" in text + compiled:
        return None
    compiled = re.sub(r'"learning_rate": [-+.e0-9]+', "", compiled)  # it is a variable
    compiled = re.sub(r'("name": "\w+?)_[0-9]+"', r'\1"', compiled)
    for number, part in enumerate([config, *(layer["config"] for layer in config["layers"])]):
        text = text.replace(json.dumps(part["name"]), f'"part {number}"')
    return type(model), text, compiled
'''.lstrip()

_COMPILED, _COMPILE = "_COMPILED", "_compile_anew"
COMPILER = r'''
_COMPILED = weakref.WeakKeyDictionary()


def _compile_anew(model, *args, **options):
    """Compiles a model; where that changes no more than the learning rate, what it has traced is kept."""
    given = inspect.signature(model.compile).bind(*args, **options).arguments
    given["optimizer"] = optimizer = tf.keras.optimizers.get(given.get("optimizer", "rmsprop"))
    text = json.dumps(given, sort_keys=True, default=tf.keras.utils.serialize_keras_object)
    text = re.sub(r'"learning_rate": [-+.e0-9]+', "", text)  # it is a variable
    text = re.sub(r'("name": "\w+?)_[0-9]+"', r'\1"', text)
    frozen = [id(variable) for variable in model.non_trainable_variables]
    known = not any(word in text for word in ('"registered_name": "', '"class_name": "function"', "__lambda__"))
    if not known or _COMPILED.get(model) != (text, frozen):
        model.compile(**given)
        _COMPILED[model] = (text, frozen) if known else None
        return
    for each in (model.optimizer, optimizer):
        each.build(model.trainable_variables)
    for variable, value in zip(model.optimizer.variables, optimizer.variables, strict=True):
        variable.assign(value)
    model.reset_metrics()
    model.stop_training = False
'''.lstrip()


def propose(case: Case) -> Iterator[Candidate]:
    """Only for models of Keras's: what makes up one of the user's own cannot be told."""
    function = case.diagnosis.function
    if CauseCode.NEW_FUNCTION not in case.codes or function.package != "keras" or function.name.endswith("]"):
        return

    def change(edits: Edits) -> None:
        done: list[cst.Call] = []
        for module, call in uses_of(case, edits):
            made = find_made(module, receiver(module, call))
            if not any(made.node is other for other in done):
                done.append(made.node)
                _take_over(edits, made, call)

    place = f" before {site_of(case.diagnosis)}" if case.diagnosis.call_sites else ""
    snippet = f"model = {_FUNCTION}(model)  # once it is built and compiled,{place}: the first model like it"
    yield Candidate("renew_model", "review", (CauseCode.NEW_FUNCTION,), change, None, snippet, (MODEL_TAKES_OVER(),))
    anew = f"{_COMPILE}(model, …)  # for model.compile(…): keeps its traces if it is compiled the same"
    compiled = partial(_compile_kept, case)
    yield Candidate("renew_model", "review", (CauseCode.NEW_FUNCTION,), compiled, None, anew, (COMPILED_AS_BEFORE(),))


def _compile_kept(case: Case, edits: Edits) -> None:
    """``model.compile(…)``, run again for one model, as a call that keeps what was traced."""
    for file in dict.fromkeys(site.file for site in case.diagnosis.call_sites):
        module = edits.module(file)
        lines = [site.line for site in case.diagnosis.call_sites if site.file == file]
        used = {
            module.code(node.func.value)
            for node in module.nodes(cst.Call)
            if isinstance(node.func, cst.Attribute) and any(_is_at(module, node, line) for line in lines)
        }
        compiling = [
            node
            for node in module.nodes(cst.Call)
            if _is_compile(node) and module.code(node.func.value) in used  # type: ignore[attr-defined]
        ]
        if not any(is_run_again(module, node) for node in compiling) and len(compiling) < 2:
            raise Declined(NOT_COMPILED_AGAIN(file=file))
        _check_names(module, (_COMPILED, _COMPILE))
        for call in compiling:
            edits.replace(module, call, _through_helper)
        _add_helper(edits, module, compiling[0], COMPILER, ("inspect", "json", "re", "weakref"))


def _is_at(module: Module, node: cst.CSTNode, line: int) -> bool:
    return bool(module.place(node).start.line <= line <= module.place(node).end.line)


def _is_compile(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "compile"


def _through_helper(call: cst.Call) -> cst.Call:
    """``model.compile(…)`` as ``_compile_anew(model, …)``."""
    assert isinstance(call.func, cst.Attribute)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    first = cst.Arg(call.func.value, comma=comma if call.args else cst.MaybeSentinel.DEFAULT)
    return call.with_changes(func=cst.Name(_COMPILE), args=[first, *call.args])


def _take_over(edits: Edits, made: Made, call: cst.Call) -> None:
    module, name = made.module, made.name
    if name is None:
        raise Declined(MADE_NOWHERE_SEEN(code=module.code(made.node)))
    if not is_run_again(module, made.node):
        raise Declined(MADE_ONCE_ALREADY(code=module.code(made.node)))
    _check_names(module, (_MODELS, _FUNCTION, "_makeup_of"))
    _check_uses(module, made, name)
    last = module.statement(made.node)
    for statement in done_to(module, made, call):
        last = statement
    edits.insert_after(module, last, *edits.statements(module, f"{name} = {_FUNCTION}({name})"))
    _add_helper(edits, module, last, HELPER, ("json", "re"))


def _check_names(module: Module, names: Iterable[str]) -> None:
    for taken in names:
        if fresh_name(module, taken) != taken:
            raise Declined(HELPER_NAME_TAKEN(name=taken, file=module.file))


def _add_helper(edits: Edits, module: Module, at: cst.CSTNode, code: str, imports: Iterable[str]) -> None:
    top: Any = next(outer for outer in (at, *module.ancestors(at)) if module.parent(outer) is module.tree)
    place(edits, module, Home(top, module.tree), written(edits.statements(module, code)))
    for each in imports:
        edits.add_import(module, each)


def _check_uses(module: Module, made: Made, name: str) -> None:
    """Nobody may keep the model: they would all have the same one."""
    scope = scope_of(module, made.node)
    for node in module.nodes(cst.Name):
        if node.value != name or is_label(module, node) or scope_of(module, node) is not scope:
            continue
        outer = module.parent(node)
        method = module.parent(outer) if isinstance(outer, cst.Arg) else None
        kept = isinstance(outer, cst.Return | cst.Yield | cst.Element | cst.DictElement | cst.Assign | cst.Tuple)
        if isinstance(method, cst.Call) and isinstance(method.func, cst.Attribute):
            kept = method.func.attr.value in ("append", "add", "insert", "put", "extend", "setdefault")
        if kept:
            raise Declined(MODEL_ESCAPES(name=name, line=module.line(node)))


_FOLDS = Example(
    title="A model for each fold",
    program="""\
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
x = np.linspace(-1.0, 1.0, 8, dtype="float32")[:, None]
for fold in range(3):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    print(round(model.train_on_batch(x, x * fold), 4))
""",
    function="one_step_on_data",
    traces_before=3,
    repaired=f"""\
import json
import numpy as np
import re
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
x = np.linspace(-1.0, 1.0, 8, dtype="float32")[:, None]

{HELPER}

for fold in range(3):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    model = _kept_model(model)
    print(round(model.train_on_batch(x, x * fold), 4))
""",
    traces_after=1,
)

_RATES = Example(
    title="One model, compiled for each learning rate",
    program="""\
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
x = np.linspace(-1.0, 1.0, 8, dtype="float32")[:, None]
for rate in (0.1, 0.05, 0.02):
    model.compile(tf.keras.optimizers.SGD(rate, momentum=0.9), loss="mse")
    print(rate, round(model.train_on_batch(x, x * 3), 4))
""",
    function="one_step_on_data",
    traces_before=3,
    repaired=f"""\
import inspect
import json
import numpy as np
import re
import tensorflow as tf
import weakref

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
x = np.linspace(-1.0, 1.0, 8, dtype="float32")[:, None]

{COMPILER}

for rate in (0.1, 0.05, 0.02):
    _compile_anew(model, tf.keras.optimizers.SGD(rate, momentum=0.9), loss="mse")
    print(rate, round(model.train_on_batch(x, x * 3), 4))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="renew_model",
    title="Reuse one model",
    what="Where a Keras model is rebuilt and recompiled (per fold, per setting), reuses the first equally built "
    "one with the weights, optimizer state and seeds of the fresh one. Where one model is recompiled with only another "
    "learning rate, keeps its traces and resets the optimizer.",
    why="Each model traces its own train, test and predict steps. Building a model is cheap by comparison.",
    beware="There is now one model instead of many: do not store the models in a list or compare two of them. "
    "Custom layers and losses and nested models are not recognized as equal.",
    propose=propose,
    examples=(_FOLDS, _RATES),
)
