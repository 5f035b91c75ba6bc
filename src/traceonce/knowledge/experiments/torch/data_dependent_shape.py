"""A size that only the data knows has no value while it is traced: nothing can be decided by it."""

import torch

from traceonce.knowledge.experiment import Raises

torch.compiler.set_default_backend("eager")  # what counts is what can be traced, not what the compiler makes of it

symptom = Raises(type="UserError", text=r"Could not guard on data-dependent expression")


def failure():
    @torch.compile(fullgraph=True)
    def mean_of_positive(x):
        positive = x[x > 0]
        if positive.shape[0] == 0:
            return x.new_zeros(())
        return positive.sum() / positive.shape[0]

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def right():
    def mean_of_positive(x):
        positive = x[x > 0]
        if positive.shape[0] == 0:
            return x.new_zeros(())
        return positive.sum() / positive.shape[0]

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def workaround_mask():
    @torch.compile(fullgraph=True)
    def mean_of_positive(x):
        inside = x > 0
        return (x * inside).sum() / inside.sum().clamp(min=1)

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def workaround_without_the_condition():
    @torch.compile(fullgraph=True)
    def mean_of_positive(x):
        positive = x[x > 0]
        return positive.sum() / max(positive.shape[0], 1)

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def workaround_without_fullgraph():
    @torch.compile  # a graph break where the size is made: from there on it is a number
    def mean_of_positive(x):
        positive = x[x > 0]
        if positive.shape[0] == 0:
            return x.new_zeros(())
        return positive.sum() / positive.shape[0]

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def dead_end_check():
    @torch.compile(fullgraph=True)
    def mean_of_positive(x):
        positive = x[x > 0]
        torch._check(positive.shape[0] >= 0)
        if positive.shape[0] == 0:
            return x.new_zeros(())
        return positive.sum() / positive.shape[0]

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def dead_end_dynamic():
    @torch.compile(fullgraph=True, dynamic=True)
    def mean_of_positive(x):
        positive = x[x > 0]
        if positive.shape[0] == 0:
            return x.new_zeros(())
        return positive.sum() / positive.shape[0]

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def dead_end_count_nonzero():
    @torch.compile(fullgraph=True)
    def mean_of_positive(x):
        count = torch.count_nonzero(x > 0).item()
        if count == 0:
            return x.new_zeros(())
        return x.clamp(min=0).sum() / count

    return [mean_of_positive(torch.tensor(values)) for values in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0])]


def message_item_in_a_condition():
    @torch.compile(fullgraph=True)
    def scale(loss):
        return loss * 0.1 if loss.item() > 10 else loss

    return scale(torch.tensor(12.0))


def message_nonzero():
    class Detector(torch.nn.Module):
        def forward(self, scores):
            found = scores.nonzero()
            return found[:4] if found.shape[0] > 4 else found

    return torch.compile(Detector(), fullgraph=True)(torch.ones(6))


def message_comparison():
    @torch.compile(fullgraph=True)
    def keep(tokens, lengths):
        longest = lengths.max().item()
        return tokens[:longest] if longest < tokens.shape[0] else tokens

    return keep(torch.ones(5), torch.tensor([2, 3]))
