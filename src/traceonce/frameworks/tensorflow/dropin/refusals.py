"""A trace that is refused, as an event: who asked for it, from where, and what it would have been."""

from __future__ import annotations

import sys
import time
import types
from typing import Any

import tensorflow as tf

from traceonce.facts import TraceEvent
from traceonce.frameworks.tensorflow.own_files import tensorflow_places
from traceonce.frameworks.tensorflow.probes import probe
from traceonce.frameworks.tensorflow.requests import Requests


def refused_event(function_type: Any) -> TraceEvent:
    """The event of the request that TensorFlow is looking up a trace for in this thread."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name != "_maybe_define_function":
        frame = frame.f_back
    assert frame is not None  # a cache is asked from there alone
    options = frame.f_locals["tracing_options"]
    requests = Requests(probe(tf), tensorflow_places(tf))
    request = requests.read(function_type, options, frame)
    return TraceEvent(
        id=0,
        backend="tensorflow",
        function=request.described.id,
        signature=request.signature,
        earlier=requests.earlier(options),
        start=time.time(),
        phase="retrace",
        call_site=request.site,
        stack=request.stack,
        reduce_retracing=True,
    )
