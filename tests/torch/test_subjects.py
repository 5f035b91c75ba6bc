"""What was given to `torch.compile` has the name that PyTorch compiles it under, whatever decorates it."""

from __future__ import annotations

import functools
from typing import Any

import traceonce
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.replay.subjects import Subjects


def test_decorated_functions(torch: Any) -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any) -> Any:
            return function(*args)

        return wrapper

    @logged
    def average(x: Any) -> Any:
        return x.mean()

    @torch.no_grad()
    def total(x: Any) -> Any:
        return x.sum()

    subjects = Subjects(torch, Places((torch.__file__,)))
    for given, name in ((average, "wrapper"), (total, "total")):
        with traceonce.watch() as seen:
            torch.compile(given, backend="eager")(torch.ones(3))
        subject = subjects.of(given, given)
        assert subject is not None
        assert subject.function.short_name == name
        assert subject.function in {diagnosis.function for diagnosis in seen.diagnoses}
