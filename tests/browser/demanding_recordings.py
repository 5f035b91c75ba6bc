"""Runs that ask much of the page: names that differ at their end, one error again and again, a cost that is fine."""

from __future__ import annotations

import itertools

from traceonce.facts import (
    CallSite,
    Cause,
    CauseCode,
    Container,
    Excerpt,
    FellBack,
    Finding,
    Fix,
    FunctionId,
    Leaf,
    Recording,
    Repair,
    Signature,
    TraceEvent,
)
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR, INT32_LIMITS, SIZES_READ_AT_RUN_TIME_ALSO_IN
from traceonce.words.notes import english_note

BEGAN = 1_800_000_000.0
PACKAGE = "research/experiments/2026-11-ablation/translation/models/encoder_decoder_with_relative_positions"
LAYERS = ("self_attention", "cross_attention", "feed_forward", "layer_norm", "output_projection")
PARTS = 8
ENVIRONMENT = {"python": "3.11.7", "tensorflow": "2.21.0", "platform": "Linux x86_64"}
ERROR = (
    "OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. "
    "You can attempt the following resolutions to the problem: If you are running in Graph mode, use Eager execution "
    "mode or decorate this function with @tf.function."
)
NOTES = (
    BECOMES_TENSOR(names=["step"]),
    INT32_LIMITS(names=["step"]),
    SIZES_READ_AT_RUN_TIME_ALSO_IN(functions=["assert_shape", "pad"]),
)


def _signature(*leaves: Leaf) -> Signature:
    return Signature(leaves, (Container("", "parameters", tuple(leaf.path for leaf in leaves)),))


def _event(number: int, function: FunctionId, signature: Signature, start: float, **more: object) -> TraceEvent:
    shown = {"backend": "tensorflow", "object": 1, "process": "1", "seconds": 0.4, "first_run_seconds": 0.2, **more}
    shown.setdefault("exclusive_seconds", shown["seconds"])
    return TraceEvent(id=number, function=function, signature=signature, start=BEGAN + start, **shown)  # type: ignore[arg-type]  # any field of an event


def make_lookalikes() -> Recording:
    """Forty functions of one package, whose names and files begin alike; a long command, and a fix with three notes."""
    prefix = "EncoderDecoderWithRelativePositions.build_training_graph.<locals>.TransformerBlockForTranslation"
    names = [f"{prefix}.call_{layer}_of_block_{part:02}" for part in range(PARTS) for layer in LAYERS]
    functions = [
        FunctionId(name, f"{PACKAGE}/blocks_of_the_model/{name.rpartition('_of_')[2]}.py", 40 + rank)
        for rank, name in enumerate(names)
    ]
    caller = f"{PACKAGE}/train_with_gradient_accumulation.py"
    events, excerpts, clock = [], [], itertools.count(1)
    for rank, function in enumerate(functions):
        for ordinal in range(1, 13 if rank == 0 else 4 + rank % 5):
            number = next(clock)
            signature = _signature(
                Leaf(f"batch['source_sentence_ids_{rank}']", "tensor", dtype="int32", shape=(16, 40 + 3 * ordinal)),
                Leaf("step", "python", value=str(ordinal), type_name="int"),
            )
            events.append(
                _event(
                    number,
                    function,
                    signature,
                    0.7 * number,
                    phase="first" if ordinal == 1 else "retrace",
                    call=ordinal,
                    object=rank + 1,
                    call_site=CallSite(caller, 100 + rank, via=f"keras/src/engine/training_loop_{rank}.py:80"),
                )
            )
        lines = ("@tf.function", f"def {function.name.rpartition('.')[2]}(self, batch, step):", "    return batch")
        excerpts.append(Excerpt(function.file or "", function.line or 1, lines))
        call = (
            f"                    losses[{rank}] = model.{function.name.rpartition('.')[2]}(next(batches_of_epoch), "
            f"step=global_step, labels=labels, mask=mask)"
        )
        excerpts.append(Excerpt(caller, 99 + rank, ("                for batch in batches:", call)))
    worst = functions[0]
    fix = Fix(
        recipe="input_signature",
        safety="review",
        predicted_traces=1,
        snippet="@tf.function(input_signature=[tf.TensorSpec([16, None], tf.int32), tf.TensorSpec([], tf.int32)])",
        note=english_note(NOTES),
        coded_notes=NOTES,
    )
    counts = {function.key: 12 for function in functions}
    return Recording(
        environment=ENVIRONMENT,
        command=(f"{PACKAGE}/train_with_gradient_accumulation.py", "--epochs", "12", "--learning-rate", "0.0003"),
        exit_code=0,
        seconds=0.7 * next(clock) + 1,
        events=tuple(events),
        calls={"1": counts},
        started=BEGAN,
        runs=("lookalikes",),
        processes=1,
        excerpts=tuple(excerpts),
        repairs=(Repair("tensorflow", worst, (fix,)),),
    )


def make_bounded() -> Recording:
    """Three flags, all of whose states are traced once: 60 % of the run, and no alarm."""
    function = FunctionId("Encoder.encode", "encoder.py", 12)
    states = list(itertools.product(("True", "False"), repeat=3))
    flags = ("training", "causal", "masked")
    events = [
        _event(
            number,
            function,
            _signature(
                Leaf("x", "tensor", dtype="float32", shape=(8, 64)),
                *(Leaf(flag, "python", value=is_, type_name="bool") for flag, is_ in zip(flags, state, strict=True)),
            ),
            1.0 * number,
            phase="first" if number == 1 else "retrace",
            call=number,
            seconds=0.5,
            first_run_seconds=0.4,
            steady_run_seconds=0.001,
        )
        for number, state in enumerate(states, 1)
    ]
    return _recording("bounded", events, calls=400, seconds=10.5)


def make_failing() -> Recording:
    """A trace that raises the same error three times; the program ends by it."""
    function = FunctionId("keep_positive", "fails.py", 6)
    events = [
        _event(
            number,
            function,
            _signature(Leaf("x", "tensor", dtype="float32", shape=(number,))),
            0.2 * number,
            phase="failed",
            call=number,
            error=ERROR,
            seconds=0.05,
            first_run_seconds=None,
            call_site=CallSite("fails.py", 20),
        )
        for number in range(1, 4)
    ]
    return Recording(
        environment=ENVIRONMENT,
        command=("fails.py",),
        exit_code=1,
        seconds=2.0,
        events=tuple(events),
        calls={"1": {function.key: 3}},
        started=BEGAN,
        runs=("failing",),
        processes=1,
        error=f"tensorflow.python.framework.errors_impl.{ERROR}",
        excerpts=(Excerpt("fails.py", 6, ("@tf.function", "def keep_positive(x):", "    return x if x > 0 else -x")),),
    )


def make_fell_back() -> Recording:
    """PyTorch has given up on a function: eight compilations, then plain Python."""
    function = FunctionId("attention_scores", "attend.py", 4)
    site = CallSite("attend.py", 12)
    events = [
        _event(
            number,
            function,
            _signature(
                Leaf("x", "tensor", dtype="float32", shape=(3, 8), type_name="Tensor", stride=(8, 1)),
                Leaf("name", "python", value=f"'head_{number}'", type_name="str"),
            ),
            0.5 * number,
            backend="torch",
            phase="first" if number == 1 else "retrace",
            call=3 * number - 2,
            seconds=0.3,
            call_site=site,
            reasons=() if number == 1 else (f"name == 'head_{number - 1}'",),
        )
        for number in range(1, 9)
    ]
    cause = Cause(CauseCode.FELL_BACK, "attention_scores", "compiled", "eager")
    fell_back = FellBack(8, site, BEGAN + 4.5, 0.000016, 0.000027)
    return Recording(
        environment={"python": "3.11.7", "torch": "2.13.0", "platform": "Linux x86_64"},
        command=("attend.py",),
        exit_code=0,
        seconds=9.0,
        events=tuple(events),
        calls={"1": {function.key: 42}},
        findings=(Finding("torch", function, cause, "1", fell_back),),
        started=BEGAN,
        runs=("fell_back",),
        processes=1,
    )


def make_stepping() -> Recording:
    """A value that is new each time beside a shape that comes back: the nearest earlier trace is not the one before."""
    function = FunctionId("train_step", "train.py", 7)
    lengths = [12, 9, 15, 20, 12, 9, 15, 20, 9]
    events = [
        _event(
            number,
            function,
            _signature(
                Leaf("ids", "tensor", dtype="int32", shape=(16, length)),
                Leaf("step", "python", value=str(number), type_name="int"),
            ),
            0.8 * number,
            phase="first" if number == 1 else "retrace",
            call=number,
            call_site=CallSite("train.py", 30),
        )
        for number, length in enumerate(lengths, 1)
    ]
    return _recording("stepping", events, calls=9, seconds=9.0)


def make_returning() -> Recording:
    """A dtype that differs from the first trace only, and two sizes that differ from the one before."""
    function = FunctionId("normalise", "normalise.py", 3)
    asked = [("float32", (8, 8)), ("float64", (16, 16)), ("float64", (8, 8))]
    events = [
        _event(
            number,
            function,
            _signature(Leaf("x", "tensor", dtype=dtype, shape=shape)),
            0.8 * number,
            phase="first" if number == 1 else "retrace",
            call=number,
        )
        for number, (dtype, shape) in enumerate(asked, 1)
    ]
    return _recording("returning", events, calls=3, seconds=4.0)


def make_surviving() -> Recording:
    """Two functions that raise the same error, which the program catches; a third one is retracing."""
    error = "ValueError: the shapes do not agree"
    events = [
        _event(
            number,
            FunctionId("combine" if number < 3 else "merge", "model.py", 5 if number < 3 else 9),
            _signature(Leaf("x", "tensor", dtype="float32", shape=(number,))),
            0.2 * number,
            phase="failed",
            call=number,
            error=error,
            seconds=0.05,
            first_run_seconds=None,
        )
        for number in (1, 2, 3)
    ]
    events += [
        _event(
            number,
            FunctionId("train_step", "model.py", 20),
            _signature(Leaf("step", "python", value=str(number), type_name="int")),
            0.8 * number,
            phase="first" if number == 4 else "retrace",
            call=number - 3,
            object=2,
        )
        for number in range(4, 13)
    ]
    return _recording("surviving", events, calls=9, seconds=12.0)


def _recording(name: str, events: list[TraceEvent], *, calls: int, seconds: float) -> Recording:
    return Recording(
        environment=ENVIRONMENT,
        command=("train.py",),
        exit_code=0,
        seconds=seconds,
        events=tuple(events),
        calls={"1": {event.function.key: calls for event in events}},
        started=BEGAN,
        runs=(name,),
        processes=1,
    )


def make_changed_by_tracing() -> Recording:
    """One function whose body changes Python state, and one that draws random numbers; neither is traced again."""
    functions = [FunctionId("count_steps", "train.py", 8), FunctionId("add_noise", "train.py", 15)]
    events = [
        TraceEvent(number, "tensorflow", function, Signature(()), call=1, seconds=0.01, start=BEGAN + number)
        for number, function in enumerate(functions, 1)
    ]
    counted = Cause(CauseCode.SIDE_EFFECT, "STEPS[0]", "0", "1", type_name="int")
    drawn = Cause(CauseCode.SIDE_EFFECT, "np.random", "", "", type_name="random numbers")
    return Recording(
        environment=ENVIRONMENT,
        command=("train.py",),
        exit_code=0,
        seconds=4.0,
        events=tuple(events),
        findings=tuple(Finding("tensorflow", *found) for found in zip(functions, (counted, drawn), strict=True)),
        calls={"": {function.key: 9 for function in functions}},
        started=BEGAN,
        runs=("changed",),
    )


DEMANDING = {
    "changed_by_tracing": make_changed_by_tracing,
    "returning": make_returning,
    "surviving": make_surviving,
    "lookalikes": make_lookalikes,
    "bounded": make_bounded,
    "failing": make_failing,
    "fell_back": make_fell_back,
    "stepping": make_stepping,
}
