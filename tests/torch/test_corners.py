"""What is compiled in an unusual way: partials, regions, views, what goes over a graph break, modules left alone."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.source_lines import line_of
from tests.torch.compiled import only, told
from traceonce.api import Watch
from traceonce.frameworks.torch.signatures import SignatureReader
from traceonce.knowledge.cause_records import records_of


@pytest.fixture(autouse=True)
def _empty(dynamo: Any) -> None:
    """What a test compiles is its own."""


def named(name: str, x: Any) -> Any:
    return x + len(name)


def other(name: str, x: Any) -> Any:
    return x - len(name)


class Scale:
    def __init__(self, by: int) -> None:
        self.by = by

    def times(self, x: Any, name: str = "") -> Any:
        return x * self.by + len(name)


def test_a_partial_is_its_function_and_what_it_holds_is_an_argument(torch: Any) -> None:
    with traceonce.watch() as seen:
        for name in ("a", "bb", "ccc"):
            torch.compile(functools.partial(named, name), backend="eager")(torch.ones(3))  # the call
        torch.compile(functools.partial(named, "a"), backend="eager")(torch.ones(3).double())
    diagnosis = only(seen)
    assert told(diagnosis) == [("value", "name", "'a'", "'bb'"), ("dtype", "x.dtype", "float32", "float64")]
    assert (diagnosis.function.name, diagnosis.function.line) == ("named", line_of(named, "def named"))
    assert (diagnosis.traces, diagnosis.calls, diagnosis.causes[0].values) == (4, 4, ("'a'", "'bb'", "'ccc'"))
    site = diagnosis.call_sites[0]
    here = line_of(test_a_partial_is_its_function_and_what_it_holds_is_an_argument, "# the call")
    assert (Path(site.file).name, site.line) == (Path(__file__).name, here)


def test_partials_of_methods_by_keyword_and_of_other_functions(torch: Any) -> None:
    """All of them share one code of PyTorch's; one is no retrace of another."""
    with traceonce.watch() as seen:
        for by, name in ((2, "a"), (2, "bb"), (3, "bb")):
            torch.compile(functools.partial(Scale(by).times, name=name), backend="eager")(torch.ones(3))
        torch.compile(functools.partial(other, "a"), backend="eager")(torch.ones(3))
        torch.compile(functools.partial(named, "a"), backend="eager")(torch.ones(3))
    causes = {diagnosis.function.name: told(diagnosis) for diagnosis in seen.diagnoses}
    assert causes == {
        "Scale.times": [("value", "name", "'a'", "'bb'"), ("guard", "self.by", "2", "3")],
        "other": [],
        "named": [],
    }


def test_a_view_and_then_no_view(torch: Any) -> None:
    """PyTorch's words are an error about None; which argument is meant is known from the calls."""
    step = torch.compile(lambda scale, batch: batch["x"] * scale, backend="eager", dynamic=True)
    table, scale = torch.ones(12, 4), torch.ones(4)
    with traceonce.watch() as seen:
        step(scale, {"x": table[:6]})
        step(scale, {"x": table[6:9].clone()})
    diagnosis = only(seen)
    assert told(diagnosis) == [("guard", "batch['x']._base", "a view", "no view")]
    assert "sometimes a view" in (diagnosis.causes[0].note or "")
    assert records_of(diagnosis) == ["torch/recompile-view"]


def test_regions_are_no_retraces_of_one_another(torch: Any) -> None:
    def forward(x: Any) -> Any:
        return x + 1

    with traceonce.watch() as seen:
        regions = [torch.compile(forward, backend="eager", isolate_recompiles=True) for _ in range(4)]
        for region in regions:
            region(torch.ones(3))
        regions[1](torch.ones(3).double())
        torch.compile(forward, backend="eager")(torch.ones(3))
    diagnosis = only(seen)
    assert told(diagnosis) == [("dtype", "x.dtype", "float32", "float64")]
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.calls) == (6, 1, 6)
    assert any("5 different graphs" in note for note in diagnosis.notes)


def over_a_break(torch: Any, function: Any, arguments: list[Any], **options: Any) -> Watch:
    step = torch.compile(function, backend="eager", **options)
    with traceonce.watch() as seen:
        for argument in arguments:
            step(argument)
    return seen


def test_a_size_that_is_known_after_a_graph_break(torch: Any) -> None:
    def picked(x: Any) -> Any:
        return torch.nonzero(x).sin()  # the break

    rows = [torch.tensor([1.0] * number + [0.0] * (9 - number)) for number in (3, 4, 5)]
    diagnosis = only(over_a_break(torch, picked, rows, dynamic=False))
    (cause,) = diagnosis.causes
    assert (cause.code.value, cause.was, cause.now) == ("shape", "3", "4")
    assert cause.path.endswith("at the graph break).shape[0]")
    place = f"test_corners.py:{line_of(test_a_size_that_is_known_after_a_graph_break, '# the break')}"
    assert (cause.note or "").endswith(place)


def test_a_number_that_is_known_after_a_graph_break(torch: Any) -> None:
    def cut(n: Any) -> Any:
        return torch.ones(9)[: int(n.item())] * 2

    seen = over_a_break(torch, cut, [torch.tensor(number) for number in (3, 4, 5)], dynamic=False)
    diagnosis = only(seen)
    (cause,) = diagnosis.causes
    assert (cause.code.value, cause.was, cause.now, cause.values) == ("guard", "3", "4", ("3", "4", "5"))
    assert cause.path.endswith("at the graph break)")
    assert "crosses the graph break at" in (cause.note or "")
    assert records_of(diagnosis) == ["torch/graph-break-item", "torch/graph-break"]


def test_what_is_compiled_after_a_graph_break_is_paid_for(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(x: Any) -> Any:
        y = x + 1
        print(end="")
        return y * 2

    seen = over_a_break(torch, broken, [torch.ones(3), torch.ones(5)])
    diagnosis = only(seen)
    first, rest, again, rest_again = seen.events
    assert [event.phase for event in seen.events] == ["first", "internal", "retrace", "internal"]
    assert (rest.parent, rest_again.parent) == (first.id, again.id)
    assert diagnosis.seconds == pytest.approx(sum(event.seconds or 0.0 for event in seen.events))
    assert diagnosis.lost_seconds >= (again.exclusive_seconds or 0.0) + (rest_again.exclusive_seconds or 0.0) - 1e-6


def test_which_guard_failed_is_asked_once(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch asks when it compiles, and we before: the answer is the same, and its logs say what they said."""
    guards, asked = torch._dynamo.guards, []
    helper = guards.get_guard_fail_reason_helper

    def ask(*args: Any) -> Any:
        asked.append(args)
        return helper(*args)

    monkeypatch.setattr(guards, "get_guard_fail_reason_helper", ask)
    step = torch.compile(named, backend="eager")
    with traceonce.watch() as seen, torch._dynamo.config.patch(error_on_recompile=True):
        step("a", torch.ones(3))
        with pytest.raises(torch._dynamo.exc.RecompileError, match="name == 'a'"):
            step("bb", torch.ones(3))
        assert len(asked) == 1
    assert told(only(seen)) == [("value", "name", "'a'", "'bb'")]
    assert guards.get_guard_fail_reason_helper is ask


def test_modules_that_compile_leaves_alone_are_named(torch: Any) -> None:
    class Mine(torch.nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
        def forward(self, x: Any) -> Any:
            return x + 1

    with traceonce.watch() as seen:
        for module in (torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.ReLU(), Mine()), Mine()):
            module.compile(backend="eager")
            module(torch.ones(2, 4))
    texts = [notice.text for notice in seen.recording.notices if "compiles nothing" in notice.text]
    assert [text.partition("(")[0] for text in texts] == ["Linear.compile"]
    assert {event.function.short_name for event in seen.events} == {"forward"}
    assert all("Mine" in event.function.name for event in seen.events)


def test_arguments_are_read_past_modes_and_classes_of_the_users(torch: Any) -> None:
    asked: list[str] = []

    class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]  # PyTorch is untyped here
        def __torch_function__(self, function: Any, kinds: Any, arguments: Any = (), named: Any = None) -> Any:
            if not torch.compiler.is_compiling():
                asked.append(str(function))
            return function(*arguments, **(named or {}))

    class Own(torch.Tensor):  # type: ignore[misc]
        @classmethod
        def __torch_function__(cls, function: Any, kinds: Any, arguments: Any = (), named: Any = None) -> Any:
            if not torch.compiler.is_compiling():
                asked.append(str(function))
            return super().__torch_function__(function, kinds, arguments, named or {})

    def read() -> list[Any]:
        reader = SignatureReader(torch)
        code = _code_of(lambda x: x)
        with Mode():
            return [reader.read(code, {"x": value}).leaves for value in (plain, own)]

    plain, own = torch.ones(3, requires_grad=True), torch.ones(2, 3).as_subclass(Own)
    asked.clear()
    ((first,), (second,)) = read()
    assert not asked
    assert (first.dtype, first.shape, first.stride, first.requires_grad) == ("float32", (3,), (1,), True)
    assert (second.type_name, second.shape, second.stride, second.requires_grad) == ("Own", (2, 3), (3, 1), False)


def _code_of(function: Any) -> Any:
    return function.__code__


def test_no_frame_of_ours_is_in_an_error_of_any_run(torch: Any) -> None:
    def backend(graph: Any, _: Any) -> Any:
        def run(*arguments: Any) -> Any:
            if fail:
                raise ValueError("on purpose")
            return graph(*arguments)

        return run

    fail = False
    step = torch.compile(lambda x: x + 1, backend=backend)
    with traceonce.watch():
        for number in range(6):
            fail = number > 2
            with pytest.raises(ValueError, match="on purpose") if fail else contextlib.nullcontext() as raised:
                step(torch.ones(3))
            if raised is not None:
                files = [entry.path for entry in raised.traceback]
                assert not [file for file in files if "traceonce/frameworks" in str(file)]
