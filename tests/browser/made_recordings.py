"""Recordings that no program makes on purpose: ten thousand events, and names that want to be markup."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from traceonce.facts import CallSite, Container, FunctionId, Leaf, Recording, Signature, TraceEvent

EVENTS = 10_000
FUNCTIONS = 40
BEGAN = 1_800_000_000.0
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "closing": "</script><script>document.title='owned'</script>",
    "right to left": "step_\u202egnp.exe\u202c_עברית",
    "emoji": "train_🚂_👩‍👩‍👧‍👦_step",
    "long": "a_very_long_name_" * 30,
    "quotes": "\"'`&lt;b&gt;\\u003cb\\u003e${1+1}{{7*7}}",
}


def make_large(events: int = EVENTS) -> Recording:
    """`events` traces of forty functions, from a wall of retraces to one trace only, in several threads. Seeded."""
    draw = random.Random(7)
    weights = [1.0 / (rank + 1) for rank in range(FUNCTIONS)]
    functions = [FunctionId(f"Model.part_{rank:02}", f"model_{rank % 5}.py", 10 + rank) for rank in range(FUNCTIONS)]
    traced = dict.fromkeys(range(FUNCTIONS), 0)
    made: list[TraceEvent] = []
    clock = BEGAN
    for number in range(1, events + 1):
        rank = draw.choices(range(FUNCTIONS), weights)[0] if number > FUNCTIONS else number - 1
        traced[rank] += 1
        seconds = draw.uniform(0.002, 0.03)
        shape = (32, draw.choice([8, 16, 24, 32, 40, 48]))
        leaves = (
            Leaf("x", "tensor", dtype="float32", shape=shape),
            Leaf("mask", "tensor", dtype="bool", shape=shape),
            Leaf("step", "python", value=str(traced[rank]), type_name="int"),
            Leaf("training", "python", value=draw.choice(["True", "False"]), type_name="bool"),
        )
        made.append(
            TraceEvent(
                id=number,
                backend="tensorflow",
                function=functions[rank],
                signature=Signature(leaves, (Container("", "parameters", tuple(leaf.path for leaf in leaves)),)),
                start=clock,
                phase="first" if traced[rank] == 1 else "retrace",
                call=traced[rank] * (1 + rank % 3),
                object=rank + 1,
                graph=f"__inference_part_{number}",
                seconds=seconds,
                exclusive_seconds=seconds,
                first_run_seconds=seconds / 3,
                steady_run_seconds=seconds / 30,
                nodes=draw.randrange(20, 400),
                call_site=CallSite(f"train_{rank % 3}.py", 40 + rank % 7),
                thread=f"loader-{number % 4}" if rank % 4 == 3 else "MainThread",
                process="1",
            )
        )
        clock += seconds * 1.5
    return Recording(
        environment={"python": "3.11", "tensorflow": "2.21.0", "platform": "Linux x86_64"},
        command=("train.py",),
        exit_code=0,
        seconds=clock - BEGAN,
        events=tuple(made),
        calls={"1": {functions[rank].key: traced[rank] * (1 + rank % 3) for rank in range(FUNCTIONS)}},
        started=BEGAN,
        runs=("large",),
        processes=1,
    )


def make_empty() -> Recording:
    """A program that traced nothing."""
    return Recording(command=("hello.py",), exit_code=0, seconds=0.2, started=BEGAN, runs=("empty",), processes=1)


def make_killed() -> Recording:
    """A program that was killed while it was retracing: nobody saw its end, nor how many calls came after."""
    whole = make_large(60)
    return msgspec.structs.replace(whole, exit_code=-9, complete=False, calls={}, runs=("killed",))


def make_hostile() -> Recording:
    """Functions, arguments, values, files, errors and a command that are markup, very long, or written backwards."""
    events = tuple(_hostile_events())
    return Recording(
        environment={"python": "<b>3</b>", "tensorflow": "<img src=x onerror=alert(2)>", "platform": "</title>"},
        command=("<script>alert(3)</script>.py", '--name="><svg onload=alert(4)>'),
        exit_code=1,
        seconds=60.0,
        events=events,
        calls={"1": {event.function.key: 8 for event in events}},
        started=BEGAN,
        runs=("<i>hostile</i>",),
        processes=1,
        error="ValueError: <script>alert(5)</script>\n</textarea>",
    )


def _hostile_events() -> Iterator[TraceEvent]:
    number = 0
    for rank, text in enumerate(HOSTILE.values()):
        for ordinal in range(1, 6):
            number += 1
            value = Leaf(text, "python", value=repr(f"{text}{ordinal}"), type_name=text[:20])
            yield TraceEvent(
                id=number,
                backend="tensorflow",
                function=FunctionId(text, f"{text}.py", rank + 1),
                signature=Signature((value,), (Container("", "parameters", (text,)),)),
                start=BEGAN + number,
                phase="first" if ordinal == 1 else "retrace",
                call=ordinal,
                object=rank + 1,
                seconds=0.5,
                exclusive_seconds=0.5,
                call_site=CallSite(f"{text}.py", 7, via=text),
                thread=text,
                process="1",
            )
    yield TraceEvent(
        id=number + 1,
        backend="tensorflow",
        function=FunctionId("fails", "fails.py", 3),
        signature=Signature(),
        start=BEGAN + number + 1,
        phase="failed",
        error="TypeError: <script>alert(6)</script> & </style>",
        seconds=0.1,
        process="1",
    )
