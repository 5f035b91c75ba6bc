"""PyTorch repeats what a compiled body does to Python state: there is nothing to report."""

from __future__ import annotations

import types
from typing import Any

import traceonce


def test_state_changes_at_every_call(torch: Any) -> None:
    seen_by_body: list[int] = []
    labels: set[str] = set()
    state = types.SimpleNamespace(flag=False, n=0)

    @torch.compile(backend="eager")
    def step(x: Any) -> Any:
        seen_by_body.append(1)
        labels.add("seen")
        state.flag = True
        setattr(state, "n", state.n + 1)  # noqa: B010  # that is what is tested
        return x + 1

    with traceonce.watch() as seen:
        for _ in range(3):
            labels.clear()
            state.flag = False
            step(torch.ones(2))
            assert (labels, state.flag) == ({"seen"}, True)
    assert (len(seen_by_body), state.n) == (3, 3)
    assert "side_effect" not in {cause.code.value for diagnosis in seen.diagnoses for cause in diagnosis.causes}
