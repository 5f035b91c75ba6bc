"""A pytest inside a pytest, with the real TensorFlow that this process has loaded."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest

import traceonce
from tests.plugin.inner_runs import PLAIN, Run, whole
from traceonce.integrations import pytest_plugin


@pytest.fixture(scope="session")
def warm(tf: Any) -> None:
    """Have everything imported that an inner run imports: pytester forgets what came with one, TensorFlow cannot."""
    for name in traceonce.__all__:
        getattr(traceonce, name)
    for module in pkgutil.iter_modules(pytest_plugin.__path__):
        importlib.import_module(f"{pytest_plugin.__name__}.{module.name}")

    @tf.function
    def toy(x: Any) -> Any:
        for _ in tf.range(2):
            x = x + 1.0
        return x

    variable = tf.Variable([1.0, 2.0])
    with traceonce.watch() as seen, tf.GradientTape() as tape:
        total = tf.reduce_sum(toy(variable))
    tape.gradient(total, variable)
    seen.report()


@pytest.fixture
def run(pytester: pytest.Pytester, warm: None) -> Run:
    """Run a test file, given as its text, with pytest in this process."""

    def run(source: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_inner=whole(source))
        return pytester.runpytest_inprocess(*PLAIN, *arguments)

    return run
