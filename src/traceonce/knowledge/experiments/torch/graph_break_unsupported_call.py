"""With `fullgraph=True` a call that cannot be traced is an error instead of a graph break."""

import hashlib
import random
import time
import zlib

import torch

from traceonce.knowledge.experiment import Raises

torch.compiler.set_default_backend("eager")  # what counts is what can be traced, not what the compiler makes of it

symptom = Raises(
    type="Unsupported", text=r"Attempted to call function marked as skipped|Skip calling `torch\.compiler\.disable"
)

TEXT = b"a sentence"


def failure():
    @torch.compile(fullgraph=True)
    def mix(x):
        return x * (zlib.crc32(TEXT) % 7)

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def right():
    return [(torch.ones(3) * number) * (zlib.crc32(TEXT) % 7) for number in (1.0, 2.0)]


def workaround_call_outside():
    @torch.compile(fullgraph=True)
    def mix(x, checksum):
        return x * (checksum % 7)

    checksum = zlib.crc32(TEXT)
    return [mix(torch.ones(3) * number, checksum) for number in (1.0, 2.0)]


def workaround_custom_op():
    @torch.library.custom_op("mine::scaled_by_checksum", mutates_args=())
    def scaled_by_checksum(x: torch.Tensor) -> torch.Tensor:
        return x * (zlib.crc32(TEXT) % 7)

    @scaled_by_checksum.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.compile(fullgraph=True)
    def mix(x):
        return scaled_by_checksum(x)

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def workaround_constant_result():
    @torch.compiler.assume_constant_result
    def checksum():
        return zlib.crc32(TEXT) % 7

    @torch.compile(fullgraph=True)
    def mix(x):
        return x * checksum()

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def workaround_without_fullgraph():
    @torch.compile  # a graph break: the call runs in Python, what stands around it is compiled
    def mix(x):
        return x * (zlib.crc32(TEXT) % 7)

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def dead_end_disable():
    @torch.compiler.disable
    def checksum():
        return zlib.crc32(TEXT) % 7

    @torch.compile(fullgraph=True)
    def mix(x):
        return x * checksum()

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def dead_end_suppress_errors():
    torch._dynamo.config.suppress_errors = True

    @torch.compile(fullgraph=True)
    def mix(x):
        return x * (zlib.crc32(TEXT) % 7)

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def dead_end_wrap_in_a_function():
    def checksum():
        return zlib.crc32(TEXT) % 7

    @torch.compile(fullgraph=True)
    def mix(x):
        return x * checksum()

    return [mix(torch.ones(3) * number) for number in (1.0, 2.0)]


def message_time():
    @torch.compile(fullgraph=True)
    def timed(x):
        began = time.time()
        return x * 2, began

    return timed(torch.ones(2))


def message_in_a_module():
    class Tokenizer(torch.nn.Module):
        def forward(self, x):
            return x + len(hashlib.sha256(b"x").hexdigest())

    return torch.compile(Tokenizer(), fullgraph=True)(torch.ones(2))


def message_disabled():
    @torch.compiler.disable(recursive=True)
    def log(x):
        return x

    @torch.compile(fullgraph=True)
    def step(x):
        return log(x) + random.random()

    return step(torch.ones(2))
