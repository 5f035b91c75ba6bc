"""How graphs are run (devices, callbacks, cancelling, profiles, asynchronously) is as with `tf.function`."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from tests.tensorflow.dropin.paired import Maker, Raised, alike, outcome, thrice


def test_device_scopes(tf: Any) -> None:
    """Eager and in the body; what comes out says where it is."""

    def program(function: Maker) -> Any:
        step = function(lambda x: x * 2.0)

        def placed(device: str | None) -> Any:
            with tf.device(device):
                result = step(tf.constant(2.0))
            return result, result.device, result.backing_device

        return [thrice(placed, device) for device in (None, "CPU:0", "/job:localhost/device:CPU:0", "CPU:7", None)]

    alike(tf, program)


def test_op_callbacks(tf: Any) -> None:
    """They see a hit as they see any operation, also where they come after the function is warm."""

    def program(function: Maker) -> Any:
        from tensorflow.python.framework import op_callbacks

        step = function(lambda x: x / x)
        answers = [thrice(step, tf.constant(0.0))]
        seen: list[str] = []

        def callback(
            kind: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
        ) -> None:
            seen.append(kind if isinstance(kind, str) and not kind.startswith("__inference") else "the function")

        op_callbacks.add_op_callback(callback)
        try:
            answers.append(thrice(step, tf.constant(1.0)))
        finally:
            op_callbacks.remove_op_callback(callback)
        tf.debugging.enable_check_numerics()
        try:
            answers.append(thrice(step, tf.constant(0.0)))
        finally:
            tf.debugging.disable_check_numerics()
        return (
            answers[:2],
            [answer.kind for answer in answers[2]],
            seen,
            thrice(step, tf.constant(0.0)),
        )

    alike(tf, program)


def test_a_cancelled_call(tf: Any) -> None:
    """A manager that has been cancelled stops a call that would be a hit."""

    def program(function: Maker) -> Any:
        from tensorflow.python.eager import cancellation

        step = function(lambda x: x + 1.0)
        thrice(step, tf.constant(1.0))
        manager = cancellation.CancellationManager()

        def managed() -> Any:
            with cancellation.CancellationManagerContext(manager):
                return step(tf.constant(1.0))

        before = thrice(managed)
        manager.start_cancel()
        return before, thrice(managed), thrice(step, tf.constant(1.0))

    alike(tf, program)


def test_a_cancelled_call_that_waits(tf: Any) -> None:
    """A hit that blocks in an operation is let go when the manager is cancelled."""

    def program(function: Maker) -> Any:
        from tensorflow.python.eager import cancellation

        queue = tf.queue.FIFOQueue(4, [tf.float32], [[]])
        take = function(queue.dequeue)
        queue.enqueue_many([tf.constant([1.0, 2.0, 3.0])])
        before = thrice(take)
        manager = cancellation.CancellationManager()
        canceller = threading.Timer(0.1, manager.start_cancel)
        rescue = threading.Timer(20, queue.enqueue, [4.0])  # a call that is not let go fails the test, not hangs it
        canceller.start()
        rescue.start()

        def managed() -> Any:
            with cancellation.CancellationManagerContext(manager):
                return take()

        after = outcome(managed)
        rescue.cancel()
        canceller.join()
        return before, isinstance(after, Raised) and after.kind

    alike(tf, program)


def test_a_profile(tf: Any, tmp_path: Path) -> None:
    """Each call is an event of the trace, with what TensorFlow says about it."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    def program(function: Maker) -> Any:
        @function(autograph=False)
        def profiled(x: Any) -> Any:
            return x + 1.0

        thrice(profiled, tf.constant(1.0))
        log = tmp_path / str(function is tf.function)
        tf.profiler.experimental.start(str(log))
        thrice(profiled, tf.constant(1.0))
        thrice(profiled, tf.constant([1.0]))
        tf.profiler.experimental.stop()
        (path,) = log.rglob("*.xplane.pb")
        events = []
        for plane in xplane_pb2.XSpace.FromString(path.read_bytes()).planes:
            for event in (event for line in plane.lines for event in line.events):
                if plane.event_metadata[event.metadata_id].name == "profiled":
                    stats = {plane.stat_metadata[stat.metadata_id].name: stat for stat in event.stats}
                    call = plane.stat_metadata[stats["tf_function_call"].ref_value].name
                    events.append((call or stats["tf_function_call"].str_value, stats["tracing_count"].int64_value))
        return events

    assert len(alike(tf, program)) == 6


def test_asynchronous_execution(tf: Any) -> None:
    """Results, and errors that arrive later, are those of tf.function."""

    def program(function: Maker) -> Any:
        step = function(lambda x, i: tf.gather(x, i))
        tf.config.experimental.set_synchronous_execution(False)
        try:
            return thrice(lambda: step(tf.ones([2]), tf.constant(1)).numpy())
        finally:
            tf.config.experimental.set_synchronous_execution(True)

    alike(tf, program)


def test_soft_device_placement(tf: Any) -> None:
    """A setting of the process that changes between calls."""

    def program(function: Maker) -> Any:
        step = function(lambda x: tf.reduce_sum(x @ x))
        answers = [thrice(step, tf.ones([3, 3]))]
        soft = tf.config.get_soft_device_placement()
        tf.config.set_soft_device_placement(not soft)
        answers.append(thrice(step, tf.ones([3, 3])))
        tf.config.set_soft_device_placement(soft)
        return answers

    alike(tf, program)
