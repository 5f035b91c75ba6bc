"""Grad mode, inference mode and autocast are guarded: the same call under another one is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="context")


@cases("no_grad", "inference_mode", "autocast")
def failure(mode):
    @torch.compile
    def score(x):
        return (x @ x).tanh()

    x = torch.ones(4, 4)
    score(x)  # a warm-up, or a training step
    modes = {"no_grad": torch.no_grad(), "inference_mode": torch.inference_mode(), "autocast": torch.autocast("cpu")}
    with modes[mode]:
        return score(x).float()


@cases("no_grad", "inference_mode", "autocast")
def workaround_warm_up_as_it_will_run(mode):
    @torch.compile
    def score(x):
        return (x @ x).tanh()

    x = torch.ones(4, 4)
    modes = {"no_grad": torch.no_grad(), "inference_mode": torch.inference_mode(), "autocast": torch.autocast("cpu")}
    with modes[mode]:
        score(x)
        return score(x).float()


@cases("no_grad", "inference_mode", "autocast")
def workaround_mode_inside(mode):
    modes = {"no_grad": torch.no_grad, "inference_mode": torch.no_grad, "autocast": lambda: torch.autocast("cpu")}

    @torch.compile
    def score(x):
        with modes[mode]():
            return (x @ x).tanh().float()

    x = torch.ones(4, 4)
    score(x)
    return score(x)


@cases("no_grad")
def dead_end_eval(mode):
    model = torch.nn.Tanh().eval()
    score = torch.compile(lambda x: model(x @ x))
    x = torch.ones(4, 4)
    score(x)
    with torch.no_grad():
        return score(x)


@cases("inference_mode")
def dead_end_inference_after_no_grad(mode):
    @torch.compile
    def score(x):
        return (x @ x).tanh()

    with torch.no_grad():
        score(torch.ones(4, 4))
    with torch.inference_mode():
        return score(torch.ones(4, 4))


@cases("no_grad")
def dead_end_dynamic(mode):
    @torch.compile(dynamic=True)
    def score(x):
        return (x @ x).tanh()

    x = torch.ones(4, 4)
    score(x)
    with torch.no_grad():
        return score(x)


def message_validation():
    model = torch.compile(torch.nn.Linear(4, 2))
    outputs = [model(torch.ones(3, 4)).sum()]
    with torch.no_grad():
        outputs.append(model(torch.ones(3, 4)).sum())
    return outputs


def message_made_under_inference_mode():
    @torch.compile
    def embed(x):
        return x * 2

    outputs = [embed(torch.ones(3))]
    with torch.inference_mode():
        outputs.append(embed(torch.ones(3)))
    return outputs


def message_mixed_precision():
    model = torch.compile(torch.nn.Linear(4, 2))
    outputs = []
    for enabled in (False, True):
        with torch.autocast("cpu", enabled=enabled):
            outputs.append(model(torch.ones(3, 4)).float())
    return outputs


def message_deterministic():
    @torch.compile
    def pool(x):
        return x.cumsum(dim=0)

    outputs = [pool(torch.ones(3))]
    torch.use_deterministic_algorithms(True)
    outputs.append(pool(torch.ones(3)))
    return outputs
