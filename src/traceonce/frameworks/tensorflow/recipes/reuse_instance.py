"""Make an object once and reuse it: advice, since what the objects do not share is the author's to know."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import Cause, CauseCode, FunctionId, Verdict
from traceonce.facts.event import package_path
from traceonce.fix.candidate import KEPT, Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import callee_of, name_of, spell_call
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.frameworks.tensorflow.words import OBJECTS_DIFFER, TRACES_PER_OBJECT


def _class_of(function: FunctionId) -> str | None:
    """The class that a method belongs to, by its qualified name."""
    *owners, _ = name_of(function).split(".")
    return owners[-1] if owners else None


def _site_of(case: Case) -> str:
    """The user's line that calls it most often, or nothing."""
    sites = case.diagnosis.call_sites
    return f"{package_path(sites[0].file)}:{sites[0].line}" if sites else ""


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    causes = [cause for cause in diagnosis.causes if cause.code is CauseCode.NEW_INSTANCE]
    owner = _class_of(diagnosis.function)
    if not causes or owner is None or diagnosis.function.library or diagnosis.verdict is not Verdict.RETRACING:
        return
    differing = _what_differs(causes)
    place = f" around {_site_of(case)}" if _site_of(case) else ""
    instance = re.sub(r"\.[^.]*$", "", callee_of(diagnosis.function))
    lines = [f"{instance} = {owner}(…)  # once, before the loop or the function{place}", spell_call(case)]
    note = TRACES_PER_OBJECT()
    traces: int | None = predict_traces(case.events, one_object=True)
    if differing:
        lines[-1] = f"{spell_call(case)[:-1]}{', ' if not lines[-1].endswith('()') else ''}{', '.join(differing)})"
        note = OBJECTS_DIFFER(names=[f"self.{name}" for name in differing])
        traces = None
    yield Candidate(
        "reuse_instance",
        "advice",
        (CauseCode.NEW_INSTANCE,),
        None,
        traces,
        "\n".join(lines),
        (note,),
        effects=frozenset() if differing else KEPT,
    )


def _what_differs(causes: list[Cause]) -> list[str]:
    """The attributes that one object could not have two values of, by name."""
    paths = [path for cause in causes for path in cause.differs]
    return list(dict.fromkeys(re.sub(r"\W+", "_", path.removeprefix("self.")) for path in paths))


RECIPE = Recipe(
    name="reuse_instance",
    title="Reuse one object",
    what="Creates the object once, outside the loop, and calls its method there.",
    why="A `tf.function` method has traces per object: a new object per call means a new trace per call.",
    beware="All calls share the object's state. Anything that differed between the objects must become an "
    "argument of the method.",
    propose=_propose,
    examples=(
        Example(
            title="A scorer created for every batch",
            function="Scorer.score",
            traces_before=5,
            traces_after=1,
            program='''\
import tensorflow as tf


class Scorer:
    @tf.function
    def score(self, x):
        return tf.reduce_sum(x * 2.0)


for number in range(5):
    scorer = Scorer()
    print(float(scorer.score(tf.ones([3]) * number)))
''',
            advice="""\
scorer = Scorer(…)  # once, before the loop or the function around train.py:12
scorer.score(x)""",
        ),
    ),
)  # fmt: skip
