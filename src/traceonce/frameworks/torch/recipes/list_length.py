"""Lists of varying length: advice, since what stands for one tensor of all of them is for the author to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.frameworks.torch.recipes.varying_values import reasons
from traceonce.frameworks.torch.words import COMPILES_PER_LENGTH

_LENGTH = re.compile(r"len\((.+)\)")
_PADDED = """\
lengths = torch.tensor([len(each) for each in {path}])
padded = torch.nn.utils.rnn.pad_sequence({path}, batch_first=True)
mask = torch.arange(padded.shape[1]) < lengths[:, None]  # what is real: for sums, means, softmaxes over dimension 1"""


def propose(case: Case) -> Iterator[Candidate]:
    for cause in case.diagnosis.causes:
        match = _LENGTH.fullmatch(cause.path) if cause.code is CauseCode.STRUCTURE else None
        if match is not None and not case.diagnosis.function.library and not _is_another_matter(case, match[1]):
            lengths = enumerate_values(cause.values or (cause.was, cause.now))
            notes = (COMPILES_PER_LENGTH(path=match[1], lengths=lengths),)
            yield Candidate("list_length", "advice", (CauseCode.STRUCTURE,), None, None, _as_one(case, match[1]), notes)


def _is_another_matter(case: Case, path: str) -> bool:
    """A dict with other keys; or a list that the function loops over, for which a tensor would be unrolled as well."""
    containers = [each for signature in case.signatures for each in signature.structure if each.path == path]
    looped = any(re.search(rf"  # for .+ in {re.escape(path)}:", each) for each in reasons(case))
    return looped or any(each.type_name == "dict" for each in containers)


def _as_one(case: Case, path: str) -> str:
    """How to make one tensor of the list: by what its elements were in every call that was compiled for."""
    element = re.compile(rf"{re.escape(path)}\[\d+\]")
    lists = [[leaf for leaf in signature.leaves if element.fullmatch(leaf.path)] for signature in case.signatures]
    leaves = [leaf for of_one in lists for leaf in of_one]
    shapes = [leaf.shape for leaf in leaves if leaf.kind == "tensor" and leaf.shape is not None]
    if leaves and all(leaf.kind == "python" and leaf.type_name in ("int", "float") for leaf in leaves):
        return f"torch.tensor({path})"
    if not leaves or len(shapes) < len(leaves):
        return f"# as many in {path} at every call"
    if all(len({leaf.shape for leaf in of_one}) <= 1 for of_one in lists):
        return f"torch.stack({path})"
    if all(shapes) and all(len({(leaf.shape or ())[1:] for leaf in of_one}) <= 1 for of_one in lists):
        return _PADDED.format(path=path)
    return f"# as many in {path} at every call, as their shapes differ in more than the first dimension"


RECIPE = Recipe(
    name="list_length",
    title="Pass one tensor instead of a list",
    what="Passes a list of tensors as one tensor: stacked if the shapes match, padded with a mask if the first "
    "dimension differs. Otherwise, always pass the same number of tensors.",
    why="Compiled code is specialized on the length of a list: every new length recompiles, up to the limit of "
    "8, and neither `dynamic=True` nor `dynamic_sources` changes that. The first dimension of a tensor can be "
    "dynamic.",
    beware="Only tensors of the same shape can be stacked; others need padding, which the function must ignore.",
    propose=propose,
    examples=(
        Example(
            title="A varying number of tensors",
            function="total",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager")
def total(parts):
    return sum(part.sum() for part in parts)


for number in range(1, 13):
    print(total([torch.ones(3)] * number).item())
''',
            advice="torch.stack(parts)",
        ),
    ),
)  # fmt: skip
