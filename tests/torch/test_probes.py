"""The private places of PyTorch: all there in this version, and where one is not, less is told, and that is said."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from traceonce.api import Watch
from traceonce.frameworks.base.registry import BUILT_IN
from traceonce.frameworks.torch.probes import Moved, probe
from traceonce.observe.hub import Hub

PLACES = [
    ("convert_frame", "_compile"),
    ("convert_frame", "CatchErrorsWrapper"),
    ("convert_frame", "get_and_maybe_log_recompilation_reasons"),
    ("convert_frame", "exceeds_recompile_limit"),
    ("convert_frame", "innermost_backend"),
    ("utils", "graph_break_reasons"),
    ("output_graph", "OutputGraph"),
    ("resume_execution", "ContinueExecutionCache"),
    ("exc", "Unsupported"),
]


def watch() -> Watch:
    return Watch(Hub([known for known in BUILT_IN if known.name == "torch"]))


def test_every_place_is_where_it_was(torch: Any) -> None:
    """If this fails, PyTorch has moved something: see `probes.py`, and what is told without it."""
    probes = probe(torch, torch._dynamo.convert_frame)
    assert {"code", "frame", "cache_entries_for_reasons", "compile_id"} <= set(probes.parameters.parameters)
    assert hasattr(probes.convert_frame, "FRAME_COMPILE_COUNTER")
    assert hasattr(probes.utils, "log_compilation_event")
    assert hasattr(torch._dynamo.eval_frame, "skip_code")
    assert probes.convert_frame.config.recompile_limit


@pytest.mark.parametrize(("module", "name"), PLACES)
def test_a_place_that_moved_is_named(torch: Any, monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    monkeypatch.delattr(getattr(torch._dynamo, module), name)
    with pytest.raises(Moved, match=rf"torch\._dynamo\.{module}\.{name} is gone"):
        probe(torch, torch._dynamo.convert_frame)


def test_a_parameter_that_moved_is_named(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch._dynamo.convert_frame, "exceeds_recompile_limit", lambda size: (False, ""))
    with pytest.raises(Moved, match="does not take cache_size, compile_id"):
        probe(torch, torch._dynamo.convert_frame)


def test_an_old_version_is_said_to_be_old(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")
    with pytest.raises(Moved, match=r"2\.5\.1\+cpu is older"):
        probe(torch, torch._dynamo.convert_frame)


def test_the_fallback_counts_and_survives_a_reset(torch: Any, dynamo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1")
    step = torch.compile(lambda x: x + 1, backend="eager")
    with watch() as seen:
        step(torch.ones(3))
        step(torch.ones(3))
        step(torch.ones(3, dtype=torch.int32))
        dynamo.reset()
        step(torch.ones(3))
    texts = [notice.text for notice in seen.recording.notices]
    assert any("older" in text and "callbacks" in text for text in texts)
    assert len(seen.events) == 3
    (diagnosis,) = seen.diagnoses
    assert ("dtype", "x.dtype") in {(cause.code.value, cause.path) for cause in diagnosis.causes}
    assert {cause.evidence for cause in diagnosis.causes} <= {"inferred", "reported"}
    assert seen.events[0].seconds is not None
    assert seen.events[0].call_site is not None
    assert seen.events[0].call_site.line == seen.events[0].function.line + 2  # type: ignore[operator]  # it has one


def test_without_any_hook_it_is_said_and_the_program_runs(
    torch: Any, dynamo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1")
    monkeypatch.delattr(sys.modules["torch._dynamo.callback"], "callback_handler")
    with watch() as seen:
        pass
    assert any("cannot be watched" in notice.text for notice in seen.recording.notices if notice.error)


def test_an_error_of_ours_is_told_and_the_program_goes_on(
    torch: Any, dynamo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from traceonce.frameworks.torch import requests

    def fail(*_: Any) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(requests, "look", fail)
    step = torch.compile(lambda x: x + 1, backend="eager")
    with watch() as seen:
        assert step(torch.ones(3)).tolist() == [2.0] * 3
        assert step(torch.ones(4)).tolist() == [2.0] * 4
    (notice,) = [notice for notice in seen.recording.notices if notice.error]
    assert "ours" in notice.text


PROGRAM = """
    import os, sys
    import torch
    import traceonce

    with traceonce.watch() as seen:
        assert "torch._dynamo" not in sys.modules, "imported on the program's behalf"
        step = torch.compile(lambda x: x + 1, backend="eager")
        step(torch.ones(3))
        step(torch.ones(3, dtype=torch.int32))
        child = os.fork()
        if not child:
            step(torch.ones(3, dtype=torch.int64))
            counted = [event.phase for event in seen.events]
            os._exit(0 if counted == ["first", "retrace", "retrace"] else 1)
        assert os.waitpid(child, 0)[1] == 0
    print([event.phase for event in seen.events])
    assert not [finder for finder in sys.meta_path if type(finder).__name__ == "Arrivals"]
    assert torch._dynamo.convert_frame._compile.__globals__["__name__"] == "torch._dynamo.convert_frame"
"""


def test_the_compiler_is_waited_for_and_a_fork_goes_on() -> None:
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=120, env=environment
    )
    assert (done.stdout.strip(), done.returncode) == ("['first', 'retrace']", 0), done.stderr
