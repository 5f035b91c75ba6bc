"""CUDA graphs recorded again for each size: what PyTorch itself counts, on a machine without a GPU.

`cudagraphify_impl`, which asks for a CUDA graph for each combination of open sizes and warns at nine, is PyTorch's own;
only what records, its manager of CUDA graphs, is stood in for by one that runs the graph.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import traceonce
from tests.source_lines import line_of
from tests.torch.compiled import only, told
from traceonce.facts import Reason, Verdict

Backend = Callable[[Any, Any], Any]


@pytest.fixture
def reduce_overhead(torch: Any, dynamo: Any, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """A backend that does with a graph what Inductor does for `mode="reduce-overhead"`."""
    from torch._inductor import cudagraph_trees

    class Runs:
        def add_function(self, model: Any, inputs: Any, *rest: Any) -> tuple[Any, Any]:
            return model, model(list(inputs))

    manager = types.SimpleNamespace(get_tree_manager=Runs)
    monkeypatch.setattr(cudagraph_trees, "get_container", lambda device: manager)

    def backend(graph: Any, examples: Any) -> Any:
        compile_id = torch._guards.CompileContext.current_compile_id()
        run: list[Any] = []

        def call(*inputs: Any) -> Any:
            given = list(inputs)
            for backward in (False, True):
                if len(run) < 2:
                    run.append(
                        cudagraph_trees.cudagraphify_impl(
                            lambda values: graph(*values),
                            given,
                            (),
                            device_index=0,
                            is_backward=backward,
                            is_inference=not backward,
                            compile_id=compile_id,
                        )
                    )
            run[1](given)
            return run[0](given)

        return call

    return backend


def test_each_size_has_a_cuda_graph_of_its_own(torch: Any, reduce_overhead: Backend, caplog: Any) -> None:
    """PyTorch compiles twice, and warns at the ninth size."""
    step = torch.compile(lambda x, scale: x.sum() * scale, backend=reduce_overhead)
    with traceonce.watch() as seen:
        for size in range(2, 13):
            step(torch.ones(size, 4), 2.0)
            step(torch.ones(size, 4), 2.0)
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.compiles) == (2, 11)
    assert (diagnosis.verdict, diagnosis.reason) == (Verdict.RECOMPILING, Reason.COMPILED_FOR_SHAPES)
    again = next(cause for cause in diagnosis.causes if cause.code.value == "compile")
    assert (again.path, again.was, again.now, again.count) == ("x.shape[0]", "3", "4", 9)
    assert again.call_site is not None
    assert again.call_site.line == line_of(test_each_size_has_a_cuda_graph_of_its_own, "step(torch.ones")
    text = seen.report()
    assert "recorded a CUDA graph 11 times under 2 compilations" in text
    assert "cudagraph_skip_dynamic_graphs = True" in text
    assert not [event for event in seen.events if event.kind == "compile" and event.seconds is not None]


def test_a_few_sizes_are_no_alarm(torch: Any, reduce_overhead: Backend) -> None:
    """Buckets: each has its CUDA graph, and that is what they are for."""
    step = torch.compile(lambda x: x * 3, backend=reduce_overhead, dynamic=True)
    with traceonce.watch() as seen:
        for turn in range(12):
            step(torch.ones((16, 32, 64, 128)[turn % 4]))
    assert (only(seen).traces, only(seen).compiles) == (1, 4)
    assert only(seen).verdict is Verdict.BOUNDED
    assert told(only(seen)) == [("compile", "x.shape[0]", "16", "32")]


def test_nothing_of_it_is_left(torch: Any, reduce_overhead: Backend) -> None:
    from torch._inductor import cudagraph_trees

    before = cudagraph_trees.cudagraphify
    with traceonce.watch():
        torch.compile(lambda x: x * 5, backend=reduce_overhead)(torch.ones(3))
        assert cudagraph_trees.cudagraphify is not before
    assert cudagraph_trees.cudagraphify is before
