"""Whose line: the user's `torch.compile`, for the function that was given to it and for those inside of it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import traceonce
from tests.source_lines import line_of
from traceonce.report.together import bring_together


def test_a_decorator_a_module_and_what_breaks_cut_out_of_it(torch: Any) -> None:
    class Block(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
        def forward(self, x: Any, k: float) -> Any:
            torch._dynamo.graph_break()
            return x * k

    class Net(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
        def __init__(self) -> None:
            super().__init__()
            self.block = Block()

        def forward(self, x: Any, k: float) -> Any:
            x = self.block(x, k)
            torch._dynamo.graph_break()
            return x + k

    net = Net()
    with traceonce.watch() as seen:
        model = torch.compile(net, backend="eager")  # of the net
        for k in (1.0, 2.5, 4.0):
            model(torch.ones(2), k)
    here = test_a_decorator_a_module_and_what_breaks_cut_out_of_it
    made = {d.function.name.rpartition(".")[0].rpartition(".")[2]: d for d in seen.diagnoses}
    assert set(made) == {"Net", "Block"}
    for diagnosis in made.values():
        assert diagnosis.made_at is not None
        assert (Path(diagnosis.made_at.file).name, diagnosis.made_at.line) == (
            Path(__file__).name,
            line_of(here, "# of"),
        )
    assert (made["Net"].inner, made["Block"].inner) == (False, True)
    (together,) = bring_together(seen.diagnoses)
    assert (together.head, together.parts) == (made["Net"], (made["Block"],))
    assert f"{Path(__file__).name}:{line_of(here, '# of')}, defined at" in str(seen)
    assert "inside: 1 more function" in str(seen)


def test_a_decorated_function_and_an_optimizer(torch: Any) -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any) -> Any:
            return function(*args)

        return wrapper

    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.ones(2)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with traceonce.watch() as seen:

        @torch.compile(backend="eager")  # of the average
        @logged
        def average(x: Any) -> Any:
            return x.mean()

        average(torch.ones(2))
        torch.compile(optimizer.step, backend="eager")()
    here = test_a_decorated_function_and_an_optimizer
    own = next(d for d in seen.diagnoses if not d.function.library)
    assert own.made_at is not None
    assert own.made_at.line == line_of(here, "# of")
    library = [d for d in seen.diagnoses if d.function.library]
    assert library
    assert {d.known_as for d in library} == {"optimizer.step (SGD)"}
    assert {d.made_at.line for d in library if d.made_at} == {line_of(here, "compile(opt")}
