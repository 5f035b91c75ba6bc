"""PyTorch brings its compiler in when it is first used, which takes a second: wait for that, and never be the first.

`import torch` is there long before `torch._dynamo`. So the hooks go in when the program, by its first `torch.compile`,
has had `torch._dynamo.convert_frame` imported; at once, where it is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.arrival import Arrivals
from traceonce.frameworks.base.backend import Sink, Watching
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.torch.skipped_frames import SkippedModules
from traceonce.words.notes.notices import NOT_WATCHED
from traceonce.words.sentence import noticed

COMPILER = "torch._dynamo.convert_frame"


class TorchWatching(Watching):
    """Watches `torch.compile`, as soon as there is one."""

    def __init__(self, torch: Any, sink: Sink) -> None:
        self._torch = torch
        self._sink = sink
        self._watching: Watching | None = None
        self._stopped = False
        self.hook = f"compilations, from the import of {COMPILER} on"
        self._hooks = Hooks()
        SkippedModules(torch, sink.write).place(self._hooks)
        self._arrivals = Arrivals([COMPILER], self._arrived)
        self._arrivals.start()

    def renew(self) -> Callable[[str], int]:
        if self._watching is not None:
            return self._watching.renew()
        return lambda key: 0  # nothing was compiled, and nothing counted

    def settle(self) -> None:
        if self._watching is not None:
            self._watching.settle()

    def stop(self) -> None:
        self._stopped = True
        self._hooks.close()
        self._arrivals.stop()
        if self._watching is not None:
            self._watching.stop()

    def _arrived(self, name: str) -> None:
        """The compiler has been imported. Nothing that goes wrong here may reach the program."""
        if self._stopped:
            return
        try:
            self._watching = self._watch()
            self.hook = self._watching.hook
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            self._sink.write(noticed(NOT_WATCHED(name="torch.compile", error=said), error=True))

    def _watch(self) -> Watching:
        from traceonce.frameworks.torch.probes import Moved, probe

        try:
            probes = probe(self._torch, sys.modules[COMPILER])
        except Moved as moved:
            from traceonce.frameworks.torch.callbacks import CallbackWatching

            return CallbackWatching(self._torch, self._sink, str(moved))
        from traceonce.frameworks.torch.watcher import CompileWatcher

        return CompileWatcher(self._torch, probes, self._sink)
