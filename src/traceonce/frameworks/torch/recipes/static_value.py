"""A text that is compiled for by its value: advice, since what it means is for the author."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.words import NUMBER_COMPILED_IN, TEXT_COMPILED_IN

# Where the limit holds for one call of `torch.compile`, on every thread; a setting is that of one thread from 2.12 on.
ARGUMENT_SINCE = (2, 13)


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library or case.diagnosis.verdict.is_ignorable:
        return
    for cause in case.diagnosis.causes:
        if cause.code in (CauseCode.VALUE, CauseCode.GUARD) and cause.type_name in ("str", "int", "float", "bool"):
            is_text = cause.type_name == "str"
            note = TEXT_COMPILED_IN(path=cause.path) if is_text else NUMBER_COMPILED_IN(path=cause.path)
            yield Candidate("static_value", "advice", (cause.code,), None, None, _snippet(case), (note,))
            return


def _snippet(case: Case) -> str:
    limit = 2 * case.diagnosis.traces
    version = tuple(int(part) for part in re.findall(r"\d+", case.environment.get("torch", ""))[:2])
    if version >= ARGUMENT_SINCE:
        return f"torch.compile(…, recompile_limit={limit})  # where there are no more values than that"
    return f"torch._dynamo.config.recompile_limit = {limit}  # where there are no more values than that"


RECIPE = Recipe(
    name="static_value",
    title="A value that is compiled in",
    what="Names the string, flag or number that is specialized, and your options.",
    why="Only sizes and numbers can be dynamic, and not a number that decides what is computed (an index into a "
    "list of modules, `scale_factor`). Every other value recompiles, up to the limit of 8; then the function "
    "runs uncompiled. A higher limit does not reduce compilations: it helps only if there are few values.",
    beware="`torch._dynamo.reset()` does not help: it discards the compiled code, and everything recompiles.",
    propose=propose,
    examples=(
        Example(
            title="The name of each layer",
            function="report",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager")
def report(x, name):
    return x * len(name)


for number in range(12):
    print(report(torch.ones(2), "layer " + str(number)).sum().item())
''',
            advice="torch.compile(…, recompile_limit=16)  # where there are no more values than that",
        ),
    ),
)  # fmt: skip
