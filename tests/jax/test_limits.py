"""Limits, the marker and the fixture with real JAX: what counts, what does not, and what is said."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from traceonce.integrations import pytest_plugin

PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-o", "asyncio_default_fixture_loop_scope=function")


def refused(function: Callable[..., Any], *args: Any) -> traceonce.TracingLimitReached:
    """The error of a call that must be refused."""
    with pytest.raises(traceonce.TracingLimitReached) as caught:
        function(*args)
    return caught.value


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_limit_of_n_allows_n_retraces(jax: Any, most: int) -> None:
    step = jax.jit(lambda x: x + 1)
    traceonce.limit(most)
    for size in range(1, most + 2):
        step(ones(size))
    for size in (98, 99, 99):
        error = refused(step, ones(size))
        assert f"has been retraced {most} times." in str(error)
        assert (error.breach.backend, error.breach.retraces, error.breach.traces) == ("jax", most, most + 1)
    for size in range(1, most + 2):
        assert step(ones(size)).shape == (size,)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_max_traces_counts_the_first_one(jax: Any, most: int) -> None:
    @traceonce.max_traces(most)
    @jax.jit
    def step(x: Any) -> Any:
        return x * 2

    for size in range(1, most + 1):
        step(ones(size))
    assert refused(step, ones(99)).breach.traces == most


def test_max_traces_below_the_jit(jax: Any) -> None:
    """Whichever decorator comes first."""

    @jax.jit
    @traceonce.max_traces(1)
    def step(x: Any) -> Any:
        return x * 2

    step(ones(1))
    refused(step, ones(2))


def test_a_limit_for_a_block_and_none_after_it(jax: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    with traceonce.limit(0):
        step(ones(2))
        refused(step, ones(3))
    assert step(ones(3)).shape == (3,)


def test_what_was_refused_can_be_called_once_the_limit_is_gone(jax: Any) -> None:
    """JAX keeps no half-made trace; and the same call is refused again as long as the limit holds."""
    step = jax.jit(lambda x: x + 1)
    with traceonce.limit(0):
        step(ones(2))
        for _ in range(3):
            refused(step, ones(3))
    np.testing.assert_array_equal(step(ones(3)), 2.0)


def test_functions_have_limits_of_their_own(jax: Any) -> None:
    one = jax.jit(lambda x: x + 1)
    other = jax.jit(lambda x: x + 2)
    traceonce.limit(1)
    for step in (one, other):
        for size in (2, 3):
            step(ones(size))
        refused(step, ones(4))


def test_a_fresh_lambda_in_a_loop_is_caught(jax: Any) -> None:
    traceonce.limit(2)
    x = ones(3)

    def loop() -> None:
        for _ in range(5):
            jax.jit(lambda x: x + 1)(x)

    error = refused(loop)
    assert [cause.code.value for cause in error.breach.causes] == ["new_function"]
    assert error.breach.retraces == 2


def test_a_fresh_partial_in_a_loop_is_caught(jax: Any) -> None:
    def scale(x: Any, by: Any) -> Any:
        return x * by

    traceonce.limit(2)

    def loop() -> None:
        for _ in range(5):
            jax.jit(functools.partial(scale, by=2.0))(ones(3))

    assert refused(loop).breach.causes[0].code.value == "new_function"


def test_what_jax_compiles_for_itself_does_not_count(jax: Any) -> None:
    """`jax.no_tracing` trips on the insides of jax.numpy; a limit of ours does not see them."""
    jnp = jax.numpy
    with traceonce.watch() as seen, traceonce.limit(0), traceonce.limit(0):
        for size in range(2, 7):
            x = jnp.arange(size * 2.0).reshape(size, 2)
            jnp.linalg.norm(jnp.concatenate([jnp.sort(x), jnp.where(x > 1, x, 0.0)]) @ jnp.ones([2, size]))
            jax.random.normal(jax.random.key(size), [size])
    assert seen.diagnoses == []


def test_new_parameters_of_the_same_shapes_need_no_trace(jax: Any) -> None:
    @traceonce.max_traces(1)
    @jax.jit
    def step(parameters: Any, x: Any) -> Any:
        return {name: value - 0.1 * x.sum() for name, value in parameters.items()}

    parameters = {"a": ones(2), "b": ones(3)}
    for _ in range(30):
        parameters = step(parameters, ones(4))


def test_functions_inside_others_and_under_grad(jax: Any) -> None:
    @traceonce.max_traces(2)
    @jax.jit
    def loss(x: Any) -> Any:
        return (x * x).sum()

    jax.grad(loss)(ones(2))
    jax.jit(lambda x: loss(x) * 2)(ones(3))
    error = refused(jax.grad(loss), ones(4))
    assert error.breach.function.name.endswith("loss")


def test_warning_and_calling_back(jax: Any) -> None:
    step = jax.jit(lambda x: x + 1)
    got: list[Any] = []
    with traceonce.limit(0, on_limit=got.append):
        for size in (1, 2, 3):
            step(ones(size))
    assert [breach.retraces for breach in got] == [0, 1]
    with traceonce.limit(0, on_limit="warn"):
        step(ones(1))
        with pytest.warns(traceonce.TracingLimitWarning, match="x.shape\\[0\\]"):
            step(ones(4))


def test_calls_in_the_warm_up_are_free(jax: Any) -> None:
    @traceonce.max_traces(0, warmup=4)
    @jax.jit
    def step(x: Any) -> Any:
        return x + 1

    for size in (1, 2, 2, 3):
        step(ones(size))
    assert "after a warm-up of 4 calls" in str(refused(step, ones(4)))
    step(ones(3))


def test_the_message(jax: Any) -> None:
    def train_step(x: Any, mode: str) -> Any:
        return x + 1

    step = jax.jit(train_step, static_argnames=("mode",))
    with traceonce.limit(0):
        step(ones(3), "a")
        with pytest.raises(traceonce.TracingLimitReached) as caught:
            step(ones(3), "b")
    lines = str(caught.value).splitlines()
    assert "train_step' has been retraced 0 times. The tracing limit has been reached." in lines[0]
    assert any(line.startswith("  called at ") and Path(__file__).name in line for line in lines)
    assert any(line.startswith("  cause ") and "mode: now 'b', before 'a'" in line for line in lines)


@pytest.fixture
def inner(pytester: pytest.Pytester, jax: Any) -> Callable[..., pytest.RunResult]:
    """Run a test file with pytest in this process; what it imports is imported before, since pytester forgets it."""
    for name in traceonce.__all__:
        getattr(traceonce, name)
    for module in pkgutil.iter_modules(pytest_plugin.__path__):
        importlib.import_module(f"{pytest_plugin.__name__}.{module.name}")
    with traceonce.watch() as seen:
        jax.jit(lambda x: x + 1)(ones(2))
    seen.report()

    def run(source: str, *arguments: str) -> pytest.RunResult:
        head = "import jax, numpy as np, pytest, traceonce\nstep = jax.jit(lambda x: x + 1)\n"
        pytester.makepyfile(test_inner=head + textwrap.dedent(source))
        return pytester.runpytest_inprocess(*PLAIN, *arguments)

    return run


def test_the_marker_the_fixture_and_the_baseline(inner: Callable[..., pytest.RunResult]) -> None:
    source = """
        @pytest.mark.max_traces(1)
        def test_too_many():
            for size in (2, 3, 4):
                step(np.ones(size))

        @pytest.mark.max_traces(2)
        def test_enough():
            for size in (5, 6, 6, 5):
                step(np.ones(size))

        def test_counted(traces):
            for size in (7, 8, 7):
                step(np.ones(size))
            (seen,) = traces
            assert (seen.backend, seen.traces, seen.causes[0].path) == ("jax", 2, "x.shape[0]")

        def test_fresh(traces):
            for _ in range(3):
                jax.jit(lambda x: x * 3)(np.ones(9))
            assert next(iter(traces)).traces == 3
    """
    result = inner(source, "-rf")
    result.assert_outcomes(failed=1, passed=3)
    text = result.stdout.str()
    assert "was traced 3 times, max_traces allows 1" in text
    assert "x.shape[0]: now 3, before 2" in text

    kept = inner(source, "-k", "counted", "--traceonce-baseline", "traces.json", "--traceonce-update-baseline")
    kept.assert_outcomes(passed=1, deselected=3)
    worse = source.replace("(7, 8, 7)", "(7, 8, 9)").replace('"jax", 2', '"jax", 3')
    inner(worse, "-k", "counted", "--traceonce-baseline", "traces.json").assert_outcomes(failed=1, deselected=3)


def test_a_limit_for_a_program_that_cannot_be_edited(tmp_path: Path) -> None:
    """By the environment, and with `traceonce run --max-traces`: the program gets the error."""
    program = tmp_path / "train.py"
    program.write_text(
        "import jax, numpy as np\n"
        "@jax.jit\ndef train_step(x): return x + 1\n"
        "for size in range(1, 6): train_step(np.ones(size)); print(size, flush=True)\n"
    )
    environment = {"JAX_PLATFORMS": "cpu", "TRACEONCE_HOME": str(tmp_path / "home"), "PATH": ""}
    by_option = [sys.executable, "-m", "traceonce", "run", "--quiet", "--max-traces", "train_step=3", str(program)]
    for command, more in ((by_option, {}), ([sys.executable, str(program)], {"TRACEONCE_LIMIT": "2"})):
        done = subprocess.run(
            command, env=environment | more, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (1, "1\n2\n3\n"), done.stderr
        assert "train_step' has been retraced 2 times" in done.stderr
