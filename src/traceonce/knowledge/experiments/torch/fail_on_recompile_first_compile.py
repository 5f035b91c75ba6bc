"""Under the stance "fail_on_recompile" nothing is compiled at all, not even for the first time."""

import torch

from traceonce.knowledge.experiment import Raises, cases

torch.compiler.set_default_backend("eager")  # what counts is when it compiles, not what the compiler makes of it

symptom = Raises(type="RuntimeError", text=r"Detected recompile when torch\.compile stance is 'fail_on_recompile'")


@cases("a first call", "another shape")
def failure(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    if use == "another shape":
        score(torch.ones(3))
    with torch.compiler.set_stance("fail_on_recompile"):
        return score(torch.ones(4))


@cases("a first call", "another shape")
def right(use):
    return torch.ones(4).tanh().sum()


@cases("a first call")
def workaround_warm_up_as_it_is_called(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    score(torch.ones(4))
    with torch.compiler.set_stance("fail_on_recompile"):
        return score(torch.ones(4))


@cases("another shape")
def workaround_warm_up_with_two_sizes(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    for length in (3, 5):
        score(torch.ones(length))
    with torch.compiler.set_stance("fail_on_recompile"):
        return score(torch.ones(4))


@cases("another shape")
def workaround_eager_on_recompile(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    score(torch.ones(3))
    with torch.compiler.set_stance("eager_on_recompile"):
        return score(torch.ones(4))


@cases("a first call")
def dead_end_compile_before(use):
    def score(x):
        return x.tanh().sum()

    compiled = torch.compile(score)  # nothing is compiled here yet
    with torch.compiler.set_stance("fail_on_recompile"):
        return compiled(torch.ones(4))


@cases("a first call")
def dead_end_warm_up_without_grad(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    with torch.no_grad():
        score(torch.ones(4))
    with torch.compiler.set_stance("fail_on_recompile"):
        return score(torch.ones(4))


@cases("a first call")
def dead_end_reset_after_the_warm_up(use):
    @torch.compile
    def score(x):
        return x.tanh().sum()

    score(torch.ones(4))
    torch._dynamo.reset()
    with torch.compiler.set_stance("fail_on_recompile"):
        return score(torch.ones(4))


def message_in_a_module():
    model = torch.compile(torch.nn.Linear(4, 2))
    torch.compiler.set_stance("fail_on_recompile")
    return model(torch.ones(3, 4))


def message_dtype():
    @torch.compile
    def serve(x):
        return x * 2

    serve(torch.ones(3))
    with torch.compiler.set_stance("fail_on_recompile"):
        return serve(torch.ones(3, dtype=torch.float64))


def message_second_function():
    @torch.compile
    def encode(x):
        return x + 1

    @torch.compile
    def decode(x):
        return x - 1

    encode(torch.ones(3))
    with torch.compiler.set_stance("fail_on_recompile"):
        return decode(encode(torch.ones(3)))
