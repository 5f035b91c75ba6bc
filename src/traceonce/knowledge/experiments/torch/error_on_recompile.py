"""With `error_on_recompile` every recompilation is an error, the one to dynamic shapes as well."""

import torch

from traceonce.knowledge.experiment import Raises

torch.compiler.set_default_backend("eager")  # what counts is when it compiles, not what the compiler makes of it

symptom = Raises(type="RecompileError", text=r"Recompiling function \w+ in")


def failure():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    return [score(torch.ones(2, length)) for length in (5, 7, 4)]


def right():
    return [torch.ones(2, length).tanh().sum(dim=1) for length in (5, 7, 4)]


def workaround_mark_dynamic():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    outputs = []
    for length in (5, 7, 4):
        tokens = torch.ones(2, length)
        torch._dynamo.mark_dynamic(tokens, 1)
        outputs.append(score(tokens))
    return outputs


def workaround_dynamic():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile(dynamic=True)
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    return [score(torch.ones(2, length)) for length in (5, 7, 4)]


def workaround_after_the_warm_up():
    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    for length in (3, 6):
        score(torch.ones(2, length))
    with torch._dynamo.config.patch(error_on_recompile=True):
        return [score(torch.ones(2, length)) for length in (5, 7, 4)]


def dead_end_warm_up_once():
    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    score(torch.ones(2, 3))
    with torch._dynamo.config.patch(error_on_recompile=True):
        return [score(torch.ones(2, length)) for length in (5, 7, 4)]


def dead_end_try_again():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    outputs = []
    for length in (5, 7, 4):
        try:
            outputs.append(score(torch.ones(2, length)))
        except torch._dynamo.exc.RecompileError:
            outputs.append(score(torch.ones(2, length)))
    return outputs


def dead_end_reset_once():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    torch._dynamo.reset()
    return [score(torch.ones(2, length)) for length in (5, 7, 4)]


def message_flag():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def forward(x, training):
        return x * 2 if training else x

    return [forward(torch.ones(2), training) for training in (True, False)]


def message_in_a_module():
    torch._dynamo.config.error_on_recompile = True
    model = torch.compile(torch.nn.Linear(4, 2))
    return [model(torch.ones(3, 4)), model(torch.ones(3, 4).requires_grad_())]


def message_dtype():
    torch._dynamo.config.error_on_recompile = True

    @torch.compile
    def encode(x):
        return x + 1

    return [encode(torch.ones(2)), encode(torch.ones(2, dtype=torch.int32))]
