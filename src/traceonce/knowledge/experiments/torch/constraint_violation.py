"""A dimension was marked dynamic, and the code makes it a constant."""

import torch

from traceonce.knowledge.experiment import Raises, cases

torch.compiler.set_default_backend("eager")  # what counts is what can be traced, not what the compiler makes of it

symptom = Raises(type="ConstraintViolationError", text=r"Constraints violated \(")


@cases("a number in the code", "a weight")
def failure(use):
    weight = torch.ones(4, 2)

    @torch.compile
    def heads(x):
        return x.reshape(3, 2, 2).sum(dim=1)

    @torch.compile
    def project(x):
        return x @ weight

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0 if use == "a number in the code" else 1)
    return heads(x) if use == "a number in the code" else project(x)


@cases("a number in the code", "a weight")
def right(use):
    x = torch.ones(3, 4)
    return x.reshape(3, 2, 2).sum(dim=1) if use == "a number in the code" else x @ torch.ones(4, 2)


@cases("a number in the code")
def workaround_say_it_by_the_shape(use):
    @torch.compile
    def heads(x):
        return x.reshape(x.shape[0], 2, 2).sum(dim=1)

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0)
    return heads(x)


@cases("a weight")
def workaround_mark_what_varies(use):
    weight = torch.ones(4, 2)

    @torch.compile
    def project(x):
        return x @ weight

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0)  # the rows: the columns have to fit the weight
    return project(x)


@cases("a number in the code", "a weight")
def workaround_maybe_mark_dynamic(use):
    weight = torch.ones(4, 2)

    @torch.compile
    def heads(x):
        return x.reshape(3, 2, 2).sum(dim=1)

    @torch.compile
    def project(x):
        return x @ weight

    x = torch.ones(3, 4)
    torch._dynamo.maybe_mark_dynamic(x, 0 if use == "a number in the code" else 1)
    return heads(x) if use == "a number in the code" else project(x)


@cases("a number in the code")
def dead_end_dynamic(use):
    @torch.compile(dynamic=True)
    def heads(x):
        return x.reshape(3, 2, 2).sum(dim=1)

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0)
    return heads(x)


@cases("a number in the code")
def dead_end_range(use):
    @torch.compile
    def heads(x):
        return x.reshape(3, 2, 2).sum(dim=1)

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    return heads(x)


@cases("a weight")
def dead_end_check(use):
    weight = torch.ones(4, 2)

    @torch.compile
    def project(x):
        torch._check(x.shape[1] <= 64)
        return x @ weight

    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 1)
    return project(x)


def message_loop():
    @torch.compile
    def total(x):
        result = 0
        for row in x:
            result = result + row
        return result

    x = torch.ones(5, 2)
    torch._dynamo.mark_dynamic(x, 0)
    return total(x)


def message_in_a_module():
    model = torch.compile(torch.nn.Linear(4, 2))
    x = torch.ones(3, 4)
    torch._dynamo.mark_dynamic(x, 1)
    return model(x)


def message_equal_sizes():
    @torch.compile
    def add(x, y):
        return x + y

    x, y = torch.ones(6, 2), torch.ones(6, 2)
    torch._dynamo.mark_dynamic(x, 0)
    return add(x, y)
