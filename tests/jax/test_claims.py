"""What the knowledge base claims of JAX is run here, all of it; its messages match, and nothing harmless does."""

from __future__ import annotations

import pytest

from tests.record_claims import matched, problems, run_all, run_failing, signatures_that_miss, workarounds
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.harvest import messages
from traceonce.knowledge.match import Index
from traceonce.knowledge.verify import refuted

FEWEST = 18

# What JAX prints while nothing is wrong, or while something is wrong that is none of ours.
HARMLESS = """\
An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.
WARNING:2026-11-16 01:43:50,190:jax._src.xla_bridge:987: An NVIDIA GPU may be present on this machine, but
E1116 01:29:08.185209    7937 cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit
I0000 00:00:1763208781.638855   14398 service.cc:152] XLA service 0x55d0c8 initialized for platform Host
Finished tracing + transforming train_step for pjit in 0.0042 sec
Compiling jit(train_step) with global shapes and types (ShapedArray(float32[16,4]),).
Finished XLA compilation of jit(train_step) in 0.0312 sec
Persistent compilation cache hit for 'jit_train_step' with key 'jit_train_step-0f3c'
UserWarning: Some donated buffers were not usable: float32[3].
UserWarning: Explicitly requested dtype float64 requested in zeros is not available, and will be truncated to float32.
jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 68719476736 bytes.
TypeError: dot_general requires contracting dimensions to have the same shape, got (3,) and (4,).
TypeError: add got incompatible shapes for broadcasting: (3,), (5,).
TypeError: Gradient only defined for scalar-output functions. Output had shape: (2,).
TypeError: cond branches must have equal output types but they differ.
ValueError: vmap got inconsistent sizes for array axes to be mapped
TRACING CACHE MISS at train.py:5:16 (<module>): never seen function: encode id=140089613016960 defined at train.py:3
{ lambda ; a:f32[3]. let b:f32[3] = pjit[name=encode jaxpr={ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }] a }
"""


@pytest.fixture(scope="module")
def collection() -> Collection:
    return Collection()


@pytest.fixture(scope="module")
def index(collection: Collection) -> Index:
    return Index(collection)


def test_every_record_in_a_run_of_all_its_trials() -> None:
    measured = run_all("jax")
    assert len(measured) >= FEWEST
    assert problems(measured) == []


@pytest.mark.parametrize("name", ["recompile-structure", "stale-global"])
def test_a_claim_that_is_false_is_refuted(name: str) -> None:
    """The test above can fail."""
    measured = run_failing(f"jax/{name}", "jax")
    assert {problem.claim for problem in refuted(measured)} >= workarounds(measured)
    assert all(list(messages(seen)) for _, seen in measured.of("failure"))


def test_every_record_was_run_with_three_versions(collection: Collection) -> None:
    records = [record for record in collection if record.domain == "jax"]
    assert {len(record.versions) for record in records} == {3}
    assert {record.verification_tier for record in records} == {"verified"}


def test_no_harmless_line_of_jax_matches(index: Index) -> None:
    assert matched(HARMLESS, index) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_signature_finds_its_record_first(index: Index, language: str) -> None:
    assert dict(signatures_that_miss(index, "jax", language)) == {}
