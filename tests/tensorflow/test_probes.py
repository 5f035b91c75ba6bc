"""The private places of TensorFlow: they are where we expect them here, and where they are not, nothing breaks."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

import traceonce
from traceonce.frameworks.tensorflow import probes


def test_every_private_place_is_there(tf: Any) -> None:
    """This is the test that fails loudly when a new TensorFlow moves something."""
    places = probes.probe(tf)
    assert probes.counts_calls(places)
    assert len(probes.backward_builders(places)) == 2


@pytest.mark.parametrize("version", ["2.11.1", "2.99.0", "3.0.0"])
def test_an_unknown_version_is_not_probed(version: str) -> None:
    with pytest.raises(probes.Moved, match=f"TensorFlow {version} is not supported by this traceonce"):
        probes.probe(types.SimpleNamespace(__version__=version))


def test_a_moved_function_is_named(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    monkeypatch.setattr(tracing_compilation, "_create_concrete_function", lambda function_type, options: None)
    with pytest.raises(probes.Moved, match="_create_concrete_function takes"):
        probes.probe(tf)
    monkeypatch.delattr(tracing_compilation, "_create_concrete_function")
    with pytest.raises(probes.Moved, match="_create_concrete_function is gone"):
        probes.probe(tf)


def test_the_fallback_counts_and_compares(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "NEWEST", (2, 14))
    step = tf.function(lambda x, k: tf.reduce_sum(x) * k)
    with traceonce.watch() as seen:
        answers = [float(step(tf.ones([width]), float(width))) for width in (1, 2, 2, 3)]
    assert answers == [1.0, 4.0, 4.0, 9.0]
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.traces, diagnosis.calls) == (3, None)
    assert {(c.code.value, c.path) for c in diagnosis.causes} == {("shape", "x.shape[0]"), ("value", "k")}
    assert {c.evidence for c in diagnosis.causes} == {"inferred"}
    assert any("is not supported by this traceonce" in notice.text for notice in seen.recording.notices)
    assert "list of callbacks" in seen.report()


def test_without_any_hook_the_program_goes_on(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorflow.python.eager.polymorphic_function import transform

    monkeypatch.setattr(probes, "NEWEST", (2, 14))
    monkeypatch.delattr(transform, "CONCRETE_FUNCTION_CALLBACKS")
    with traceonce.watch() as seen:
        pass
    (notice,) = [notice for notice in seen.recording.notices if not notice.hook]  # JAX, which it imports, has its own
    assert notice.error
    assert "traces cannot be watched" in notice.text


def test_a_wrapper_put_over_ours_is_left_alone(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else's hook on top of ours survives the end of our watch, and the program still runs."""
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    calls = []
    plain = tracing_compilation._create_concrete_function
    watch = traceonce.watch()
    with watch:
        ours = tracing_compilation._create_concrete_function

        def theirs(*args: Any) -> Any:
            calls.append(1)
            return ours(*args)

        tracing_compilation._create_concrete_function = theirs
    try:
        assert tracing_compilation._create_concrete_function is theirs
        assert float(tf.function(lambda x: x + 1)(tf.constant(1.0))) == 2.0
        assert calls == [1]
    finally:
        tracing_compilation._create_concrete_function = plain


def test_every_place_that_the_dispatch_stands_on_is_there(tf: Any) -> None:
    """This one fails loudly, too, when a new TensorFlow moves something."""
    probes.probe_for_dispatch(tf)


def test_a_moved_place_of_the_dispatch_is_named(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is."""
    from tensorflow.core.function.polymorphism.function_cache import FunctionCache
    from tensorflow.python.eager import cancellation

    with monkeypatch.context() as patch:
        patch.delattr(cancellation, "_active_context")
        with pytest.raises(probes.Moved, match="_active_context is gone"):
            probes.probe_for_dispatch(tf)
    monkeypatch.setattr(FunctionCache, "add", lambda self, fn: None)
    with pytest.raises(probes.Moved, match="add takes"):
        probes.probe_for_dispatch(tf)


def test_on_an_unknown_version_a_function_is_a_plain_one(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program goes on as with `tf.function`, and is told; what cannot be done is refused."""
    monkeypatch.setattr(probes, "NEWEST", (2, 14))
    with pytest.warns(UserWarning, match=r"is not supported .* is a plain tf\.function here"):
        step = traceonce.function(lambda x: x * 2.0, autograph=False)
    assert float(step(tf.constant(3.0))) == 6.0
    assert type(step) is type(tf.function(lambda: None))
    assert "is not supported" in traceonce.stats(step).why[0]
    with pytest.raises(traceonce.TraceonceError, match="pad needs one that is known"):
        traceonce.function(lambda x: x, pad={"x": {0: (4,)}})


def test_without_tensorflow_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for where there is no TensorFlow."""
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    with pytest.raises(traceonce.TraceonceError, match=r"pip install 'traceonce\[tensorflow\]'"):
        traceonce.function(lambda x: x)
