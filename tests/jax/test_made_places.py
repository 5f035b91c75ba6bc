"""Whose line: where a function was given to `jax.jit`, also inside a library."""

from __future__ import annotations

from typing import Any

import numpy as np

import traceonce
from tests.jax.jitted import only
from tests.source_lines import line_of


def test_where_a_function_was_jitted(jax: Any) -> None:
    class Model:
        def __init__(self) -> None:
            self.step = jax.jit(self._step)  # jitted

        def _step(self, x: Any) -> Any:
            return x * 2

    with traceonce.watch() as seen:
        for size in (2, 3):
            Model().step(np.ones(size))
    made = only(seen).made_at
    assert made is not None
    assert (made.line, made.count) == (line_of(test_where_a_function_was_jitted, "# jitted"), 2)
    assert f"jax.jit at {made.file}:{made.line}, defined at" in str(seen)


def test_a_sampler_of_a_library(jax: Any, tmp_path: Any, monkeypatch: Any) -> None:
    """The line that constructs it, and the call as the user writes it."""
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "samplers.py").write_text(
        "import jax\n\nclass Sampler:\n    def __init__(self):\n        self._step = jax.jit(lambda x: x + 1)\n"
        "    def run(self, x):\n        return self._step(x)\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr("sysconfig.get_path", lambda name, *rest: str(package))
    import samplers  # type: ignore[import-not-found]  # written above

    with traceonce.watch() as seen:
        mcmc = samplers.Sampler()  # constructed
        for size in (2, 3, 4):
            mcmc.run(np.ones(size))
    made = only(seen).made_at
    assert only(seen).known_as == "mcmc.run (Sampler)"
    assert made is not None
    assert made.line == line_of(test_a_sampler_of_a_library, "# constructed")
    assert made.via is not None
    assert made.via.endswith("samplers.py:5")
    assert str(seen).partition("\n\n")[2].startswith("mcmc.run (Sampler) · ")


def test_a_solver_that_a_dataclass_makes(jax: Any, tmp_path: Any, monkeypatch: Any) -> None:
    """Nobody has a line of the code that is written for a dataclass; what is passed on the way is left out."""
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "solvers.py").write_text(
        "import dataclasses, jax\n\n@dataclasses.dataclass\nclass Solver:\n    by: float\n"
        "    def __post_init__(self):\n        self._step = jax.jit(lambda x: x + self.by)\n"
        "    def run(self, x):\n        return self._step(x)\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr("sysconfig.get_path", lambda name, *rest: str(package))
    import solvers  # type: ignore[import-not-found]  # written above

    with traceonce.watch() as seen:
        for size in (2, 3):
            solvers.Solver(by=2.0).run(np.ones(size))  # constructed
    made = only(seen).made_at
    assert made is not None
    assert (made.file, made.line) == (
        only(seen).call_sites[0].file,
        line_of(test_a_solver_that_a_dataclass_makes, "# constructed"),
    )
    assert only(seen).known_as == "solvers.Solver().run"
