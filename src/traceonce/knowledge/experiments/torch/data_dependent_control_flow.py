"""An `if` on a tensor needs its value, and while a function is traced there is none."""

import torch

from traceonce.knowledge.experiment import Raises

torch.compiler.set_default_backend("eager")  # what counts is what can be traced, not what the compiler makes of it

symptom = Raises(type="Unsupported", text=r"Data-dependent branching|Data dependent operator")


def failure():
    @torch.compile(fullgraph=True)
    def clip(x):
        if x.norm() > 2.0:
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def right():
    def clip(x):
        if x.norm() > 2.0:
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def workaround_where():
    @torch.compile(fullgraph=True)
    def clip(x):
        return torch.where(x.norm() > 2.0, x / x.norm(), x)

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def workaround_cond():
    @torch.compile(fullgraph=True)
    def clip(x):
        return torch.cond(x.norm() > 2.0, lambda x: x / x.norm(), lambda x: x.clone(), (x,))

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def workaround_without_fullgraph():
    @torch.compile  # a graph break at the condition: what stands before and after it is compiled
    def clip(x):
        if x.norm() > 2.0:
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def dead_end_bool():
    @torch.compile(fullgraph=True)
    def clip(x):
        if bool(x.norm() > 2.0):
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def dead_end_item():
    @torch.compile(fullgraph=True)
    def clip(x):
        if x.norm().item() > 2.0:
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def dead_end_dynamic():
    @torch.compile(fullgraph=True, dynamic=True)
    def clip(x):
        if x.norm() > 2.0:
            return x / x.norm()
        return x

    return [clip(torch.ones(3) * number) for number in (1.0, 5.0)]


def message_while():
    @torch.compile(fullgraph=True)
    def halve(x):
        while x.sum() > 1:
            x = x / 2
        return x

    return halve(torch.ones(4))


def message_assert():
    class Checked(torch.nn.Module):
        def forward(self, x):
            return x if torch.isfinite(x).all() else torch.zeros_like(x)

    return torch.compile(Checked(), fullgraph=True)(torch.ones(4))


def message_and():
    @torch.compile(fullgraph=True)
    def both(x, y):
        return x if x.any() and y.any() else y

    return both(torch.ones(4), torch.ones(4))
