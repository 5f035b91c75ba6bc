"""State that a traced body changes is changed by tracing alone; and what must not be taken for that."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce
from traceonce.facts import Reason, Verdict

SEEN = 0
HISTORY: list[Any] = []
COUNTS = {"all": 0}
trace_count = 0


@pytest.fixture(autouse=True)
def state_is_put_back() -> Any:
    yield
    globals().update(SEEN=0, trace_count=0)
    HISTORY.clear()
    COUNTS["all"] = 0


def effects(seen: traceonce.Watch) -> list[tuple[str, str, str, str]]:
    causes = [cause for diagnosis in seen.diagnoses for cause in diagnosis.causes if cause.code.value == "side_effect"]
    return sorted((cause.path, cause.was, cause.now, cause.evidence) for cause in causes)


class Annealed:
    def __init__(self, tf: Any) -> None:
        self.temperature = 1.0
        self.sample = tf.function(self._sample)

    def _sample(self, x: Any) -> Any:
        self.temperature *= 0.9
        return x / self.temperature


def test_an_attribute(tf: Any) -> None:
    model = Annealed(tf)
    with traceonce.watch() as seen:
        answers = [round(float(model.sample(tf.constant(1.0))), 3) for _ in range(3)]
    assert answers == [1.111, 1.111, 1.111]  # 1.111, 1.235, 1.372 would be right
    assert effects(seen) == [("self.temperature", "1.0", "0.9", "measured")]
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.verdict, diagnosis.reason) == (Verdict.STALE, Reason.CHANGED_BY_TRACING)
    assert "its body changes Python state" in str(seen)


def test_a_global_a_list_an_entry_and_a_helper(tf: Any) -> None:
    def helper(x: Any) -> Any:
        COUNTS["all"] = COUNTS["all"] + 1
        return x

    @tf.function
    def step(x: Any) -> Any:
        global SEEN
        SEEN += 1
        HISTORY.append(x)
        return helper(x)

    with traceonce.watch() as seen:
        for _ in range(3):
            step(tf.constant(1.0))
    assert effects(seen) == [
        ("COUNTS['all']", "0", "1", "measured"),
        ("HISTORY", "0 items", "1 item", "measured"),
        ("SEEN", "0", "1", "measured"),
    ]


def test_one_call_harms_nobody(tf: Any) -> None:
    """Whether traced or not, the state has changed once for the one call that there was."""
    model = Annealed(tf)
    with traceonce.watch() as seen:
        model.sample(tf.constant(1.0))
    assert effects(seen) == []


def test_what_is_meant_to_happen_once(tf: Any) -> None:
    class Lazy:
        def __init__(self) -> None:
            self.weight: Any = None
            self.built = False
            self.layers: list[Any] = []
            self.cache: dict[Any, Any] = {}
            self.last: Any = None

        @tf.function
        def call(self, x: Any) -> Any:
            global trace_count
            trace_count += 1
            if self.weight is None:
                self.weight = tf.Variable(2.0)
            if not self.built:
                self.layers.append("dense")
                self.built = True
            if x.dtype not in self.cache:
                self.cache[x.dtype] = 1
            self.last = x.dtype.name
            mine = []
            mine.append(x)
            total = 0.0
            total += 1.0
            return mine[0] * self.weight * total

    model = Lazy()
    with traceonce.watch() as seen:
        for _ in range(4):
            model.call(tf.constant(1.0))
    assert effects(seen) == []
    assert [diagnosis.verdict for diagnosis in seen.diagnoses] == [Verdict.OK]


def test_a_variable_is_right(tf: Any) -> None:
    weight = tf.Variable(1.0)
    step = tf.function(lambda: weight.assign_add(1.0))
    with traceonce.watch() as seen:
        assert [float(step()) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert effects(seen) == []
