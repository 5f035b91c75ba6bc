"""None or a tensor, keys that are there at times, dtypes that differ: advice, where no change is proved.

What stands for something that is missing, and what precision is needed, is for the author to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Effect, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import is_argument, parameter_of
from traceonce.frameworks.torch.words import SAME_IN_EVERY_CALL


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library or case.diagnosis.verdict.is_ignorable:
        return
    for cause in case.diagnosis.causes:
        parameter = parameter_of(cause.path)
        if parameter is not None and is_argument(case, parameter):
            snippet = _snippet(case, cause)
            if snippet is not None:
                notes = (SAME_IN_EVERY_CALL(path=cause.path),)
                path = cause.path.removesuffix(".dtype")
                effects = frozenset({Effect("cast", path, "float32")}) if cause.code is CauseCode.DTYPE else frozenset()
                yield Candidate(
                    "uniform_argument", "advice", (cause.code,), None, None, snippet, notes, effects=effects
                )
                return


def _snippet(case: Case, cause: Cause) -> str | None:
    path = re.sub(r"^len\((.+)\)$", r"\1", cause.path)
    if cause.code is CauseCode.STRUCTURE:
        keys = _keys(case, path)
        missing = ", ".join(f"{key}: …" for key in keys)
        return f"{path} = {{{missing}}} | {path}  # before the call: … changes nothing in the result" if keys else None
    if cause.code is CauseCode.KIND and "None" in {cause.was, cause.now, *cause.values}:
        return f"{path} = … if {path} is None else {path}  # before the call: a tensor that changes nothing"
    if cause.code is CauseCode.DTYPE:
        return f"{path.removesuffix('.dtype')} = {path.removesuffix('.dtype')}.to(torch.float32)  # before the call"
    return None


def _keys(case: Case, path: str) -> list[str]:
    """The keys that a dict has in some calls only, as they are written."""
    found = [
        container.keys
        for signature in case.signatures
        for container in signature.structure
        if container.path == path and container.type_name == "dict"
    ]
    everywhere = set.intersection(*map(set, found)) if found else set()
    return [key for key in dict.fromkeys(key for keys in found for key in keys) if key not in everywhere]


RECIPE = Recipe(
    name="uniform_argument",
    title="Pass the same kind of argument on every call",
    what="Shows how to pass an argument in one form: all keys present, a tensor instead of None, one dtype.",
    why="Every combination of keys and None values recompiles; so does every dtype.",
    beware="The placeholder must not change the result: ones for a factor, zeros for a summand, an all-true mask.",
    propose=propose,
    examples=(
        Example(
            title="Optional keys",
            function="loss",
            traces_before=4,
            program='''\
import torch


@torch.compile(backend="eager")
def loss(batch):
    x = batch["x"]
    if "weight" in batch:
        x = x * batch["weight"]
    if "bias" in batch:
        x = x + batch["bias"]
    return x.sum()


for number in range(12):
    batch = {"x": torch.ones(3)}
    if number % 2:
        batch["weight"] = torch.ones(3)
    if number % 3:
        batch["bias"] = torch.ones(3)
    print(loss(batch).item())
''',
            advice="batch = {'weight': …, 'bias': …} | batch  # before the call: … changes nothing in the result",
        ),
    ),
)  # fmt: skip
