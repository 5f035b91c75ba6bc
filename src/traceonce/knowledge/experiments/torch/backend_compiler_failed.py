"""The function was traced, and the backend that should compile the graph raised an error."""

import torch

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="BackendCompilerFailed", text=r"^backend='\w+' raised:|^\w+: No working C\+\+ compiler found")


def _only_additions(graph, inputs):
    for node in graph.graph.nodes:
        if node.op == "call_function" and "add" not in str(node.target):
            raise NotImplementedError(f"cannot compile {node.target}")
    return graph.forward


@cases("a backend of one's own", "no C++ compiler")
def failure(use):
    def step(x):
        return (x + 1) * 2

    if use == "no C++ compiler":
        torch._inductor.config.cpp.cxx = ("a-compiler-that-is-not-there",)
        return torch.compile(step)(torch.ones(3))
    return torch.compile(step, backend=_only_additions)(torch.ones(3))


@cases("a backend of one's own", "no C++ compiler")
def right(use):
    return (torch.ones(3) + 1) * 2


@cases("a backend of one's own")
def workaround_backend_that_falls_back(use):
    def additions_or_eager(graph, inputs):
        try:
            return _only_additions(graph, inputs)
        except NotImplementedError:
            return graph.forward

    @torch.compile(backend=additions_or_eager)
    def step(x):
        return (x + 1) * 2

    return step(torch.ones(3))


@cases("a backend of one's own", "no C++ compiler")
def workaround_aot_eager(use):
    @torch.compile(backend="aot_eager")  # traces and guards as ever, needs no compiler, and is no faster than eager
    def step(x):
        return (x + 1) * 2

    return step(torch.ones(3))


@cases("no C++ compiler")
def dead_end_suppress_errors(use):
    torch._inductor.config.cpp.cxx = ("a-compiler-that-is-not-there",)
    torch._dynamo.config.suppress_errors = True  # no error, and nothing compiled either

    @torch.compile
    def step(x):
        return (x + 1) * 2

    return step(torch.ones(3))


@cases("a backend of one's own")
def dead_end_reset(use):
    def step(x):
        return (x + 1) * 2

    torch._dynamo.reset()
    return torch.compile(step, backend=_only_additions)(torch.ones(3))


def message_in_a_module():
    def exporting(graph, inputs):
        raise RuntimeError("unsupported operator: aten::linear")

    return torch.compile(torch.nn.Linear(4, 2), backend=exporting)(torch.ones(3, 4))


def message_bad_return():
    def forgetful(graph, inputs):
        graph.recompile()

    return torch.compile(lambda x: x * 2, backend=forgetful)(torch.ones(3))


def message_assertion():
    def checked(graph, inputs):
        assert len(inputs) > 1, "expected two inputs"
        return graph.forward

    @torch.compile(backend=checked)
    def double(x):
        return x * 2

    return double(torch.ones(3))
