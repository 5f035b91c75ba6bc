"""PyTorch: `torch.compile`, from 2.6 on."""

from __future__ import annotations

from collections.abc import Callable

from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.backend import Backend, RunningReplay, Sink, Watching, imported
from traceonce.frameworks.torch.descriptor import FRAMEWORK


class Torch(Backend):
    """The backend for PyTorch; its modules touch the framework inside functions only."""

    framework = FRAMEWORK

    def watch(self, sink: Sink, *, compilations: bool = False) -> Watching:
        torch = imported("torch", "watch")
        from traceonce.frameworks.torch.deferred_hooks import TorchWatching

        return TorchWatching(torch, sink)

    def replay(self, settings: ReplaySettings, enough: Callable[[], None]) -> RunningReplay:
        torch = imported("torch", "replay")
        from traceonce.frameworks.torch.replay.replay import TorchReplay

        return TorchReplay(torch, settings, enough)

    def check(self) -> None:
        import torch

        toy = torch.compile(lambda x: x + 1, backend="eager")
        toy(torch.zeros(2))
        toy(torch.zeros(2, dtype=torch.int64))
