"""After eight compilations of one function PyTorch warns once, and runs every other call eagerly."""

import torch

from traceonce.knowledge.experiment import Logs, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it

symptom = Logs(text=r"torch\._dynamo hit config\.recompile_limit")

LANGUAGES = [f"language {number}" for number in range(12)]


@cases("a value out of a few", "a counter", "layers of several widths")
def failure(use):
    @torch.compile
    def embed(x, language):
        return x + LANGUAGES.index(language)

    class Model(torch.nn.Module):
        step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    class Block(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(width), requires_grad=False)

        def forward(self, x):
            return (x + self.weight).sum()

    if use == "a value out of a few":
        return [embed(torch.ones(3), language) for language in LANGUAGES]
    if use == "a counter":
        model = torch.compile(Model())
        return [model(torch.ones(3)) for _ in range(12)]
    blocks = [torch.compile(Block(width)) for width in range(2, 14)]
    return [block(torch.ones(width)) for width, block in enumerate(blocks, 2)]


@cases("a value out of a few")
def workaround_tensor(use):
    @torch.compile
    def embed(x, language):
        return x + language

    return [embed(torch.ones(3), torch.tensor(LANGUAGES.index(language))) for language in LANGUAGES]


@cases("a counter")
def workaround_buffer(use):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("step", torch.zeros(()))

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(12)]


@cases("a value out of a few")
def workaround_limit_of_this_function(use):
    @torch.compile(recompile_limit=12)  # there are twelve languages, and there will be no more
    def embed(x, language):
        return x + LANGUAGES.index(language)

    return [embed(torch.ones(3), language) for language in LANGUAGES]


@cases("layers of several widths")
def workaround_isolate_recompiles(use):
    class Block(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(width), requires_grad=False)

        def forward(self, x):
            return (x + self.weight).sum()

    blocks = [torch.compile(Block(width), isolate_recompiles=True) for width in range(2, 14)]
    return [block(torch.ones(width)) for width, block in enumerate(blocks, 2)]


@cases("a counter")
def dead_end_raise_the_limit(use):
    torch._dynamo.config.recompile_limit = 11

    class Model(torch.nn.Module):
        step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(12)]


@cases("a value out of a few")
def dead_end_dynamic(use):
    @torch.compile(dynamic=True)
    def embed(x, language):
        return x + LANGUAGES.index(language)

    return [embed(torch.ones(3), language) for language in LANGUAGES]


@cases("a counter")
def dead_end_reset_once(use):
    class Model(torch.nn.Module):
        step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    outputs = [model(torch.ones(3)) for _ in range(2)]
    torch._dynamo.reset()
    return [*outputs, *(model(torch.ones(3)) for _ in range(10))]


@cases("a value out of a few")
def dead_end_compile_it_again(use):
    def embed(x, language):
        return x + LANGUAGES.index(language)

    return [torch.compile(embed)(torch.ones(3), language) for language in LANGUAGES]


@cases("a value out of a few")
def dead_end_fullgraph(use):
    @torch.compile(fullgraph=True)
    def embed(x, language):
        return x + LANGUAGES.index(language)

    return [embed(torch.ones(3), language) for language in LANGUAGES]


def message_lengths():
    @torch.compile(dynamic=False)
    def score(tokens):
        return tokens.sum()

    return [score(torch.ones(length)) for length in range(2, 12)]


def message_list():
    @torch.compile
    def merge(parts):
        return sum(parts)

    return [merge([torch.ones(2) for _ in range(count)]) for count in range(1, 11)]


def message_fails_hard():
    torch._dynamo.config.fail_on_recompile_limit_hit = True

    @torch.compile
    def embed(x, language):
        return x + LANGUAGES.index(language)

    return [embed(torch.ones(3), language) for language in LANGUAGES]
