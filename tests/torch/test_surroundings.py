"""Recompilations by something that is no argument: globals, attributes, closures, modes, backends; and graph breaks."""

from __future__ import annotations

import dataclasses
import functools
import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.our_files import is_ours
from tests.source_lines import line_of
from tests.torch.compiled import only, own_problems, told
from traceonce.facts import Verdict

SCALE = 2
SETTINGS = {"rate": 0.5}


@dataclasses.dataclass
class Settings:
    width: int = 1


def compiled(torch: Any, function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="eager", **options)


@pytest.fixture(autouse=True)
def _empty(dynamo: Any) -> None:
    """What a test compiles is its own."""


def make_net(torch: Any) -> Any:
    class Net(torch.nn.Module):  # type: ignore[misc]  # PyTorch is untyped here
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)
            self.step = 0
            self.mode = "train"
            self.seen: list[int] = []

        def forward(self, x: Any) -> Any:
            return self.layer(x) * (2 if self.mode == "train" else 3) + self.step + len(self.seen)

    return Net()


def test_globals(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x: Any) -> Any:
        return x * SCALE * SETTINGS["rate"]

    step, x = compiled(torch, scaled), torch.ones(3)
    with traceonce.watch() as seen:
        step(x)
        monkeypatch.setitem(globals(), "SCALE", 3)
        step(x)
        monkeypatch.setitem(SETTINGS, "rate", 0.25)
        step(x)
    assert told(only(seen)) == [("guard", "SCALE", "2", "3"), ("guard", "SETTINGS['rate']", "0.5", "0.25")]


def test_the_attribute_of_a_module(torch: Any) -> None:
    net, x = make_net(torch), torch.ones(3, 4)
    step = compiled(torch, net)
    with traceonce.watch() as seen:
        step(x)
        net.step = 1
        step(x)  # the second
        net.mode = "eval"
        step(x)
        net.seen.append(1)
        step(x)
        net.layer = torch.nn.Linear(4, 8)
        step(x)
    diagnosis = only(seen)
    assert told(diagnosis) == [
        ("guard", "self.step", "0", "1"),
        ("guard", "self.mode", "'train'", "'eval'"),
        ("structure", "len(self.seen)", "0", "1"),
        ("shape", "self.layer.bias.shape[0]", "4", "8"),
    ]
    assert diagnosis.function.name == "make_net.<locals>.Net.forward"
    assert diagnosis.function.line == line_of(make_net, "def forward")
    assert seen.events[1].call_site is not None
    assert seen.events[1].call_site.line == line_of(test_the_attribute_of_a_module, "# the second")


def test_the_attribute_of_an_argument(torch: Any) -> None:
    step = compiled(torch, lambda x, settings: x * settings.width)
    with traceonce.watch() as seen:
        step(torch.ones(3), Settings(1))
        step(torch.ones(3), Settings(2))
    assert told(only(seen)) == [("guard", "settings.width", "1", "2")]


def test_a_variable_of_the_enclosing_function(torch: Any) -> None:
    def make(n: int) -> Any:
        return compiled(torch, lambda x: x + n)

    with traceonce.watch() as seen:
        for n in (1, 2):
            make(n)(torch.ones(3))
    diagnosis = only(seen)
    assert told(diagnosis) == [("guard", "n", "1", "2")]
    assert diagnosis.causes[0].note == "a variable of the enclosing function"


def test_a_fresh_lambda_shares_what_was_compiled(torch: Any) -> None:
    """PyTorch compiles code, not function objects: this is no recompilation, and none is told."""
    with traceonce.watch() as seen:
        for _ in range(5):
            compiled(torch, lambda x: x + 1)(torch.ones(3))
    assert (only(seen).traces, only(seen).calls, only(seen).verdict) == (1, 5, "ok")


def test_a_function_that_is_called(torch: Any) -> None:
    namespace: dict[str, Any] = {}
    step = compiled(torch, lambda x: namespace["helper"](x))
    with traceonce.watch() as seen:
        for body in ("x + 1", "x + 2"):
            namespace["helper"] = eval(f"lambda x: {body}")
            step(torch.ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.path) == ("identity", "namespace['helper']")
    assert cause.now == "the code at line 1"


def test_modes(torch: Any) -> None:
    step, x = compiled(torch, lambda x: x + 1), torch.ones(3)
    with traceonce.watch() as seen:
        step(x)
        with torch.no_grad():
            step(x)
        with torch.autocast("cpu"):
            step(x)
        with torch.inference_mode():
            step(x)
    assert told(only(seen)) == [
        ("context", "grad_mode", "True", "False"),
        ("context", "autocast(cpu)", "False", "True"),
        ("context", "inference_mode", "False", "True"),
    ]
    assert all(cause.finite for cause in only(seen).causes)


def test_variables_that_a_function_closes_over_are_named(torch: Any) -> None:
    def make(rate: float, name: str) -> Any:
        return lambda x: x * rate if name else x

    step = compiled(torch, lambda act, x: act(x) + 1, dynamic=False)
    with traceonce.watch() as seen:
        for rate in (0.1, 0.2, 0.3):
            step(make(rate, "a"), torch.ones(3))
    assert told(only(seen)) == [("guard", "rate (closed over by act)", "0.1", "0.2")]
    assert only(seen).causes[0].values == ("0.1", "0.2", "0.3")


def test_a_function_then_something_else(torch: Any) -> None:
    step = compiled(torch, lambda act, x: act(x) + 1)
    with traceonce.watch() as seen:
        step(_make_act(2), torch.ones(3))
        step(functools.partial(lambda k, x: x * k, 2), torch.ones(3))
    assert told(only(seen)) == [("kind", "act", "_make_act.<locals>.<lambda>", "partial object")]


def _make_act(k: int) -> Any:
    return lambda x: x * k


def test_the_dtype_of_autocast(torch: Any) -> None:
    step, x = compiled(torch, lambda x: x @ x), torch.ones(2, 2)
    with traceonce.watch() as seen:
        for dtype in (torch.bfloat16, torch.float16):
            with torch.autocast("cpu", dtype=dtype):
                assert step(x).dtype == dtype
    assert told(only(seen)) == [("context", "autocast(cpu)_dtype", "bfloat16", "float16")]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("way", ["entered", "read", "named"])
def test_a_dtype_of_autocast_that_no_guard_looks_at(torch: Any, dynamo: Any, backend: str, way: str) -> None:
    """What is silently wrong is told: and nothing where a backend asks anew, or where the code names the dtype."""

    def entered(x: Any) -> Any:
        with torch.autocast("cpu"):
            return x @ x

    def read(x: Any) -> Any:
        return x.to(torch.get_autocast_dtype("cpu"))

    def named(x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x

    plain = {"entered": entered, "read": read, "named": named}[way]
    step, x, wrong = torch.compile(plain, backend=backend), torch.ones(2, 2), False
    before = torch.get_autocast_dtype("cpu")
    try:
        with traceonce.watch() as seen:
            for dtype in (torch.bfloat16, torch.bfloat16, torch.float16):
                torch.set_autocast_dtype("cpu", dtype)
                wrong |= step(x).dtype != plain(x).dtype
    finally:
        torch.set_autocast_dtype("cpu", before)
    assert wrong is (way == "read" or (way == "entered" and backend == "aot_eager"))
    assert told(only(seen)) == ([("stale", "autocast(cpu)_dtype", "bfloat16", "float16")] if wrong else [])
    assert (only(seen).verdict is Verdict.STALE) is wrong
    assert only(seen).surely_wrong is (wrong and way == "entered")


def test_threads_and_default_dtype(torch: Any) -> None:
    step, x, threads = compiled(torch, lambda x: x + 1), torch.ones(3), torch.get_num_threads()
    try:
        with traceonce.watch() as seen:
            step(x)
            torch.set_num_threads(threads + 1)
            step(x)
            torch.set_default_dtype(torch.float64)
            step(x)
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(torch.float32)
    assert [(cause.code.value, cause.path, cause.now) for cause in only(seen).causes] == [
        ("context", "num_threads", str(threads + 1)),
        ("context", "default_dtype", "float64"),
    ]


def test_another_backend(torch: Any) -> None:
    def body(x: Any) -> Any:
        return x + 1

    with traceonce.watch() as seen:
        torch.compile(body, backend="eager")(torch.ones(3))
        torch.compile(body, backend="aot_eager")(torch.ones(3))
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.path) == ("context", "torch.compile(backend=…)")
    assert "'eager'" in cause.was
    assert "'aot_eager'" in cause.now


def test_a_reset_is_told_and_survived(torch: Any) -> None:
    step = compiled(torch, lambda x: x + 1)
    with traceonce.watch() as seen:
        step(torch.ones(3))
        torch._dynamo.reset()
        step(torch.ones(3))
        step(torch.ones(5))
    diagnosis = only(seen)
    assert told(diagnosis) == [
        ("context", "torch._dynamo.reset()", "compiled", "compiled code dropped"),
        ("shape", "x.shape[0]", "3", "5"),
    ]
    assert diagnosis.calls == 3


def test_the_nearest_compilation_decides(torch: Any) -> None:
    """The third call differs from the second in both arguments, from the first in one: that one is the cause."""
    step, x = compiled(torch, lambda x, name: x + len(name)), torch.ones(3)
    with traceonce.watch() as seen:
        step(x, "a")
        step(x, "bb")
        step(x.double(), "a")
    assert told(only(seen)) == [("value", "name", "'a'", "'bb'"), ("dtype", "x.dtype", "float32", "float64")]


def test_every_argument_that_fails_its_guards_is_told(torch: Any) -> None:
    """PyTorch stops at the first one. An argument that nothing was compiled for may differ as it likes."""
    step, one = compiled(torch, lambda x, y, k, unused: x.sum() + y["a"].sum() * k, dynamic=False), torch.ones(3)
    with traceonce.watch() as seen:
        step(one, {"a": one.clone()}, 2, "b")
        step(torch.ones(4), {"a": torch.ones(2, 2)}, 3, "c")
    assert sorted(told(only(seen))) == [
        ("rank", "y['a'].shape", "[3]", "[2,2]"),
        ("shape", "x.shape[0]", "3", "4"),
        ("value", "k", "2", "3"),
    ]


def test_to_ask_for_every_guard_leaves_the_compiled_code_as_it_was(torch: Any) -> None:
    step = compiled(torch, lambda x, y: x + y)
    with traceonce.watch() as seen:
        for size in (3, 4, 5, 4, 3):
            kinds = (torch.ones(size), torch.ones(size, dtype=torch.float64))
            assert (step(*kinds) == 2).all()
            assert (step(*kinds[::-1]) == 2).all()
    assert only(seen).traces == 4
    assert (step(torch.ones(9), torch.ones(9)) == 2).all()


def test_without_the_guards_of_each_argument_the_first_one_is_told(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from traceonce.frameworks.torch import probes

    def moved(*_: Any) -> Any:
        raise AttributeError("clone_manager")

    monkeypatch.setattr(probes, "_failure", moved)
    step = compiled(torch, lambda x, y: x.sum() + y.sum())
    with traceonce.watch() as seen:
        step(torch.ones(3), torch.ones(3))
        step(torch.ones(4), torch.ones(4))
    assert [cause.code.value for cause in only(seen).causes] == ["shape"]


@pytest.mark.parametrize("dynamic", [None, False])
def test_a_size_that_is_left_open_is_bounded(torch: Any, dynamic: bool | None) -> None:
    step = compiled(torch, lambda x: x + 1, dynamic=dynamic)
    with traceonce.watch() as seen:
        for size in range(2, 9):
            step(torch.ones(size))
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.verdict.value) == ((2, "bounded") if dynamic is None else (7, "retracing"))
    assert diagnosis.causes[0].finite is (dynamic is None)
    assert ("dynamic from this compilation on" in (diagnosis.causes[0].note or "")) is (dynamic is None)


def test_graph_breaks_are_told_and_their_parts_are_no_retraces(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(x: Any, k: int) -> Any:
        y = x + 1
        print(end="")  # the break
        return y * k

    step = compiled(torch, broken)
    with traceonce.watch() as seen:
        step(torch.ones(3), 1)
        step(torch.ones(3), 1)
        step(torch.ones(5), 1)
        step(torch.ones(3), 2)  # the rest of it alone
    diagnosis = only(seen)
    assert told(diagnosis) == [("shape", "x.shape[0]", "3", "5"), ("value", "k", "1", "2")]
    assert (diagnosis.traces, diagnosis.retraces, diagnosis.internal, diagnosis.calls) == (3, 2, 2, 4)
    here = line_of(test_graph_breaks_are_told_and_their_parts_are_no_retraces, "# the break")
    (text,) = diagnosis.graph_breaks
    assert text == f"Failed to trace builtin operator `print` (tests/torch/{Path(__file__).name}:{here})"
    lines = {site.line for site in diagnosis.call_sites}
    assert line_of(test_graph_breaks_are_told_and_their_parts_are_no_retraces, "# the rest of it") in lines
    assert here not in lines


def test_breaks_of_all_parts_are_listed(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(x: Any) -> Any:
        x = x + 1
        print(end="")  # first
        x = x * 2
        if x.sum() > 0:  # second
            x = x + 3
        return x

    with traceonce.watch() as seen:
        compiled(torch, broken)(torch.ones(3))
    first, second = (line_of(test_breaks_of_all_parts_are_listed, text) for text in ("# first", "# second"))
    here = f"tests/torch/{Path(__file__).name}"
    assert only(seen).graph_breaks == (
        f"Failed to trace builtin operator `print` ({here}:{first})",
        f"Data-dependent branching ({here}:{second})",
    )


def test_a_module_of_pytorch_itself(torch: Any) -> None:
    """All of them are compiled through one wrapper, and so share its cache: that is no retrace of either."""
    linear = compiled(torch, torch.nn.Linear(4, 4))
    sequence = compiled(torch, torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()))
    with traceonce.watch() as seen:
        linear(torch.ones(3, 4))
        linear(torch.ones(5, 4))
        sequence(torch.ones(3, 4))
    diagnoses = {diagnosis.function.name: diagnosis for diagnosis in seen.diagnoses}
    assert set(diagnoses) == {"Linear.forward", "Sequential.forward"}
    assert told(diagnoses["Linear.forward"]) == [("shape", "input.shape[0]", "3", "5")]
    assert diagnoses["Sequential.forward"].retraces == 0
    assert diagnoses["Linear.forward"].function.library


def test_a_library_that_compiles(torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's line is the call site, and the library's is told with it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    source = "import torch\n\ndef inner(x):\n    return x + 1\n\ninner = torch.compile(inner, backend='eager')\n\n"
    (folder / "compiling_library.py").write_text(source + "def outer(x):\n    return inner(x)\n")
    monkeypatch.syspath_prepend(str(folder))
    import compiling_library  # type: ignore[import-not-found]  # written above

    with traceonce.watch() as seen:
        compiling_library.outer(torch.ones(3))  # the user's line
    (event,) = seen.events
    assert event.function.name == "inner"
    assert event.function.library
    assert event.call_site is not None
    assert event.call_site.line == line_of(test_a_library_that_compiles, "# the user's line")
    assert (event.call_site.via or "").endswith("compiling_library.py:9")


def test_a_function_that_pytorch_gives_up_on(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A graph break inside a loop: it is not compiled at all, runs as plain Python, and that is told."""

    def looped(x: Any) -> Any:
        for _ in range(3):
            x = x + 1
            print(end="")
        return x

    step = compiled(torch, looped)
    with traceonce.watch() as seen:
        assert step(torch.ones(3)).tolist() == [4.0] * 3
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.failed, diagnosis.verdict.value) == (0, 0, "ok")
    (text,) = diagnosis.graph_breaks
    line = line_of(test_a_function_that_pytorch_gives_up_on, 'print(end="")')
    assert text.endswith(f"test_surroundings.py:{line}); the whole function runs as plain Python")
    assert (seen.events[0].error or "").startswith("Unsupported: ")


def test_with_fullgraph_the_program_hears_of_it_and_it_has_failed(torch: Any) -> None:
    def printing(x: Any) -> Any:
        print(end="")
        return x + 1

    with traceonce.watch() as seen, pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(torch, printing, fullgraph=True)(torch.ones(3))
    diagnosis = only(seen)
    assert (diagnosis.traces, diagnosis.failed, diagnosis.verdict.value) == (0, 1, "failed")


def test_what_has_nothing_to_compile_is_no_trace(torch: Any) -> None:
    with traceonce.watch() as seen:
        compiled(torch, lambda x: x)(torch.ones(3))
    assert (seen.diagnoses, own_problems(seen.recording)) == ([], [])


def test_a_backend_that_fails(torch: Any) -> None:
    def backend(graph: Any, inputs: Any) -> Any:
        raise ValueError("mine")

    step = torch.compile(lambda x: x + 1, backend=backend)
    with traceonce.watch() as seen, pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="mine") as caught:
        step(torch.ones(3))
    assert not [frame.path for frame in caught.traceback if is_ours(frame.path)]
    diagnosis = only(seen)
    assert (diagnosis.failed, diagnosis.verdict.value) == (1, "failed")
    assert (seen.events[0].error or "").startswith("BackendCompilerFailed: ")


def test_error_on_recompile(torch: Any) -> None:
    step = compiled(torch, lambda x: x + 1)
    with traceonce.watch() as seen, torch._dynamo.config.patch(error_on_recompile=True):
        step(torch.ones(3))
        with pytest.raises(torch._dynamo.exc.RecompileError):
            step(torch.ones(3, dtype=torch.int32))
    assert [(event.phase, len(event.reasons)) for event in seen.events] == [("first", 0), ("failed", 1)]
    assert told(only(seen)) == [("dtype", "x.dtype", "float32", "int32")]


@pytest.mark.parametrize("stance", ["fail_on_recompile", "eager_on_recompile"])
def test_stances_are_the_users(torch: Any, stance: str) -> None:
    step = compiled(torch, lambda x: x + 1)
    with traceonce.watch() as seen:
        step(torch.ones(3))
        with torch.compiler.set_stance(stance):
            if stance.startswith("fail"):
                with pytest.raises(RuntimeError, match="fail_on_recompile"):
                    step(torch.ones(3, dtype=torch.int32))
            else:
                step(torch.ones(3, dtype=torch.int32))
    assert only(seen).traces == 1


def test_the_backward_pass_is_told_by_itself(torch: Any) -> None:
    step = torch.compile(lambda x: (x * x).sum(), backend="aot_eager")
    with traceonce.watch() as seen:
        step(torch.ones(3, requires_grad=True)).backward()
    assert not own_problems(seen.recording)
    assert only(seen).traces == 1


def test_threads_that_wait_for_each_other_compile_the_same(torch: Any) -> None:
    """PyTorch does not look again when it has the lock: four threads, four compilations of one thing."""
    step = compiled(torch, lambda x: x + 1)
    with traceonce.watch() as seen:
        step(torch.ones(3))
        workers = [threading.Thread(target=step, args=(torch.ones(3, dtype=torch.int32),)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    diagnosis = only(seen)
    dtype, threads = ("dtype", "x.dtype", "float32", "int32"), ("context", "threads", "one at a time")
    assert diagnosis.calls == 5
    assert [event.thread == "MainThread" for event in seen.events[:2]] == [True, False]
    assert dtype in told(diagnosis)
    assert all(cause == dtype or cause[:3] == threads for cause in told(diagnosis))


def test_what_pytorch_drops_is_not_kept_alive(torch: Any) -> None:
    class Graph:
        def __call__(self, x: Any) -> Any:
            return (x + 1,)

    alive: list[weakref.ref[Any]] = []

    def backend(graph: Any, inputs: Any) -> Any:
        compiled = Graph()
        alive.append(weakref.ref(compiled))
        return compiled

    step = torch.compile(lambda x: x + 1, backend=backend)
    with traceonce.watch():
        step(torch.ones(3))
        assert alive[0]() is not None
        del step
        torch._dynamo.reset()
        gc.collect()
        assert alive[0]() is None


def test_calls_are_counted_at_first_and_then_left_alone(torch: Any) -> None:
    step, x = compiled(torch, lambda x: x + 1), torch.ones(3)
    with traceonce.watch() as seen:
        for _ in range(40):
            step(x)
        graphs = [name for name in globals() if name.startswith("__compiled_fn")]
        assert graphs
        assert not any("traceonce" in str(getattr(globals()[name], "__module__", "")) for name in graphs)
    diagnosis = only(seen)
    assert (diagnosis.calls, diagnosis.calls_at_least) == (12, True)
    (event,) = seen.events
    assert event.first_run_seconds is not None
    assert event.steady_run_seconds is not None
