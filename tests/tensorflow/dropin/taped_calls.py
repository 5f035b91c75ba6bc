"""Calls under gradient tapes and accumulators, for programs that are run under two decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# One way around another builds four graphs, which takes seconds: seldom drawn.
CHEAP = ("plain", "persistent", "forward", "stopped", "unwatched", "no variables", "two tapes")
KINDS = (*CHEAP * 4, "second", "forward over backward")


class Tapes:
    """Each method calls `call` and returns what it returned, and the gradients by `sources`."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def __call__(self, kind: str, call: Callable[[], Any], sources: list[Any]) -> Any:
        return getattr(self, kind.replace(" ", "_"))(call, sources)

    def total(self, returned: Any) -> Any:
        """One number that depends on every float that was returned."""
        parts = [part for part in self.tf.nest.flatten(returned) if isinstance(part, self.tf.Tensor)]
        sums = [self.tf.reduce_sum(self.tf.cast(part, self.tf.float32)) for part in parts if part.dtype.is_floating]
        return self.tf.add_n(sums) if sums else self.tf.constant(0.0)

    def watch(self, tape: Any, sources: list[Any]) -> None:
        for source in sources:
            if not isinstance(source, self.tf.Variable):
                tape.watch(source)

    def plain(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape() as tape:
            self.watch(tape, sources)
            returned = call()
            total = self.total(returned)
        return returned, tape.gradient(total, sources)

    def persistent(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape(persistent=True) as tape:
            self.watch(tape, sources)
            returned = call()
            total = self.total(returned)
            doubled = total * 2.0
        return returned, tape.gradient(total, sources), tape.gradient(doubled, sources)

    def second(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape() as outer:
            self.watch(outer, sources)
            with self.tf.GradientTape() as inner:
                self.watch(inner, sources)
                returned = call()
                total = self.total(returned)
            first = inner.gradient(total, sources)
            slope = self.total(first)
        return returned, first, outer.gradient(slope, sources)

    def forward(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.autodiff.ForwardAccumulator(sources[0], self.tf.ones_like(sources[0])) as accumulator:
            returned = call()
            total = self.total(returned)
        return returned, accumulator.jvp(total)

    def forward_over_backward(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.autodiff.ForwardAccumulator(sources[0], self.tf.ones_like(sources[0])) as accumulator:
            returned, gradients = self.plain(call, sources)
        return returned, gradients, accumulator.jvp(self.total(gradients))

    def stopped(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape() as tape:
            self.watch(tape, sources)
            with tape.stop_recording():
                returned = call()
            again = call()
            total = self.total(returned) + self.total(again)
        return returned, tape.gradient(total, sources)

    def unwatched(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape() as tape:
            returned = call()
            total = self.total(returned)
        return returned, tape.gradient(total, sources), [variable.shape for variable in tape.watched_variables()]

    def no_variables(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape(watch_accessed_variables=False) as tape:
            self.watch(tape, sources[:1])
            returned = call()
            total = self.total(returned)
        return returned, tape.gradient(total, sources), len(tape.watched_variables())

    def two_tapes(self, call: Callable[[], Any], sources: list[Any]) -> Any:
        with self.tf.GradientTape() as one, self.tf.GradientTape(persistent=True) as other:
            self.watch(one, sources[:1])
            self.watch(other, sources)
            returned = call()
            total = self.total(returned)
        return returned, one.gradient(total, sources[:1]), other.gradient(total, sources)
