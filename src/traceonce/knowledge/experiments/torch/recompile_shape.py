"""A size that was compiled in as a constant: every other size is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=5, cause="shape", path="tokens.shape[1]", cured=2)

LENGTHS = [5, 7, 4, 9, 6]


@cases("dynamic=False", "a loop over the length")
def failure(use):
    @torch.compile(dynamic=False)
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    @torch.compile
    def decay(tokens):
        total = torch.zeros(tokens.shape[0])
        for position in range(tokens.shape[1]):
            total = 0.9 * total + tokens[:, position]
        return total

    function = score if use == "dynamic=False" else decay
    return [function(torch.ones(2, length).cumsum(dim=1)) for length in LENGTHS]


@cases("dynamic=False")
def workaround_leave_it_automatic(use):
    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    return [score(torch.ones(2, length).cumsum(dim=1)) for length in LENGTHS]


@cases("dynamic=False")
def workaround_mark_dynamic(use):
    @torch.compile
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    outputs = []
    for length in LENGTHS:
        tokens = torch.ones(2, length).cumsum(dim=1)
        torch._dynamo.mark_dynamic(tokens, 1)
        outputs.append(score(tokens))
    return outputs


@cases("dynamic=False")
def workaround_dynamic(use):
    @torch.compile(dynamic=True)
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    return [score(torch.ones(2, length).cumsum(dim=1)) for length in LENGTHS]


@cases("dynamic=False")
def workaround_pad(use):
    @torch.compile(dynamic=False)
    def score(tokens, inside):
        return (tokens.tanh() * inside).sum(dim=1)

    outputs = []
    for length in LENGTHS:
        tokens = torch.ones(2, length).cumsum(dim=1)
        padded = torch.nn.functional.pad(tokens, (0, 9 - length))
        outputs.append(score(padded, torch.arange(9) < length))
    return outputs


@cases("a loop over the length")
def workaround_without_the_loop(use):
    @torch.compile
    def decay(tokens):
        ages = torch.arange(tokens.shape[1] - 1, -1, -1)
        return (tokens * 0.9**ages).sum(dim=1)

    return [decay(torch.ones(2, length).cumsum(dim=1)) for length in LENGTHS]


@cases("a loop over the length")
def dead_end_dynamic_with_a_loop(use):
    @torch.compile(dynamic=True)
    def decay(tokens):
        total = torch.zeros(tokens.shape[0])
        for position in range(tokens.shape[1]):
            total = 0.9 * total + tokens[:, position]
        return total

    return [decay(torch.ones(2, length).cumsum(dim=1)) for length in LENGTHS]


@cases("a loop over the length")
def dead_end_mark_dynamic_with_a_loop(use):
    @torch.compile
    def decay(tokens):
        total = torch.zeros(tokens.shape[0])
        for position in range(tokens.shape[1]):
            total = 0.9 * total + tokens[:, position]
        return total

    outputs = []
    for length in LENGTHS:
        tokens = torch.ones(2, length).cumsum(dim=1)
        torch._dynamo.mark_dynamic(tokens, 1)
        outputs.append(decay(tokens))
    return outputs


@cases("dynamic=False")
def dead_end_reset(use):
    @torch.compile(dynamic=False)
    def score(tokens):
        return tokens.tanh().sum(dim=1)

    outputs = []
    for length in LENGTHS:
        torch._dynamo.reset()
        outputs.append(score(torch.ones(2, length).cumsum(dim=1)))
    return outputs


def message_images():
    @torch.compile(dynamic=False)
    def brightness(images):
        return images.mean(dim=(1, 2, 3))

    return [brightness(torch.ones(2, 3, side, side)) for side in (8, 16, 24)]


def message_in_a_module():
    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.project = torch.nn.Linear(4, 2)

        def forward(self, frames):
            return self.project(frames).mean(dim=1)

    encoder = torch.compile(Encoder())
    return [encoder(torch.ones(3, length, 4)) for length in (10, 12, 17)]


def message_in_a_dictionary():
    @torch.compile(dynamic=False)
    def loss(batch):
        return (batch["logits"] * batch["mask"]).sum()

    return [loss({"logits": torch.ones(2, n), "mask": torch.ones(2, n)}) for n in (4, 6, 8)]
