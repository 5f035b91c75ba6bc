"""What the knowledge base claims of PyTorch is run here, all of it; its messages match, and nothing harmless does."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.record_claims import matched, problems, run_all, run_failing, signatures_that_miss, workarounds
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.harvest import messages
from traceonce.knowledge.match import Index, match
from traceonce.knowledge.verify import refuted

FEWEST = 14

# What PyTorch prints while nothing is wrong, or while something is wrong that is none of ours.
HARMLESS = """\
I1116 00:56:21.440000 2506 torch/_dynamo/utils.py:1800] [0/0] Step 1: torchdynamo start tracing train_step train.py:12
I1116 00:56:21.440000 2506 torch/_dynamo/output_graph.py:1502] [0/0] Step 2: calling compiler function inductor
V1116 00:56:21.440000 2506 torch/_dynamo/guards.py:3180] [0/0] [__guards] GUARDS:
V1116 00:56:21.440000 2506 torch/_dynamo/output_graph.py:1340] [0/0] [__graph_code] TRACED GRAPH
I1116 00:56:21.440000 2506 torch/fx/experimental/symbolic_shapes.py:4606] [0/1] create_symbol s0 = 5 for L['x'].size()
TorchDynamo compilation metrics:
compiled 4 graphs in 12.3 s, 0 graph breaks
UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled.
FutureWarning: You are using `torch.load` with `weights_only=False`, which uses the default pickle module implicitly.
UserWarning: The given NumPy array is not writable, and PyTorch does not support non-writable tensors.
[rank0]:[W1116 00:56:21.440000000 ProcessGroupNCCL.cpp:4115] Warning: process group has NOT been destroyed
RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0
RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x3 and 2x3)
RuntimeError: Trying to backward through the graph a second time
RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
AttributeError: 'NoneType' object has no attribute 'size'
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB
torch.compile is not supported on Python 3.15+
Epoch 3 | train loss 0.412 | model.training == True
step == 100 and loss == 0.3
"""


@pytest.fixture(scope="module")
def collection() -> Collection:
    return Collection()


@pytest.fixture(scope="module")
def index(collection: Collection) -> Index:
    return Index(collection)


def test_every_record_in_a_run_of_all_its_trials() -> None:
    measured = run_all("torch")
    assert len(measured) >= FEWEST
    assert problems(measured) == []


@pytest.mark.parametrize("name", ["recompile-dtype"])
def test_a_claim_that_is_false_is_refuted(name: str) -> None:
    """The test above can fail."""
    measured = run_failing(f"torch/{name}", "torch")
    assert {problem.claim for problem in refuted(measured)} >= workarounds(measured)
    assert all(list(messages(seen)) for _, seen in measured.of("failure"))


def test_no_harmless_line_of_pytorch_matches(index: Index) -> None:
    assert matched(HARMLESS, index) == []


def test_messages_find_their_record_in_every_dress(index: Index) -> None:
    """At another time, place and frame of the compiler, behind a rank, without a prefix: the record comes first."""
    dresses: dict[str, Callable[[str], str]] = {
        "as it is": lambda text: text,
        "another frame": lambda text: re.sub(r"\[(\d+)/(\d+)\]", r"[1\1/2\2_1]", text),
        "another place": lambda text: re.sub(r"torch/\w+/(\w+)\.py:\d+\]", r"torch/_dynamo/\1.py:77]", text),
        "a rank": lambda text: "".join(f"[rank3]:{line}\n" for line in text.splitlines()),
        "no prefix": lambda text: re.sub(r"(?m)^[IWEV]\d{4} .*?\] \[\d+/\d+\](?: \[__\w+\])? ?", "", text),
    }
    wrong = []
    for record in index.records:
        examples = record.examples if record.domain == "torch" else []
        for example in (text for text in examples if "traceonce explain" not in text):  # our report names records
            for dress, change in dresses.items():
                found = match(change(example), index, limit=1)
                if not found or found[0].guess or found[0].record != record.id:
                    wrong.append((record.id, dress, found[0].record if found else None, change(example)[:200]))
    assert wrong == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_signature_finds_its_record_first(index: Index, language: str) -> None:
    assert dict(signatures_that_miss(index, "torch", language)) == {}
