"""PyTorch repeats what a compiled body does to Python state: there is nothing to report."""

from __future__ import annotations

from typing import Any

import traceonce


def test_state_changes_at_every_call(torch: Any) -> None:
    seen_by_body: list[int] = []

    @torch.compile(backend="eager")
    def step(x: Any) -> Any:
        seen_by_body.append(1)
        return x + 1

    with traceonce.watch() as seen:
        for _ in range(3):
            step(torch.ones(2))
    assert len(seen_by_body) == 3
    assert "side_effect" not in {cause.code.value for diagnosis in seen.diagnoses for cause in diagnosis.causes}
