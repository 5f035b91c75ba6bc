"""The start of each Python process of a run: wait until it imports a framework, then begin to watch.

Like `arrival`, this imports nothing that the program might have a module of the same name for.
"""

from __future__ import annotations

import os
import sys

from traceonce.frameworks.base.arrival import Arrivals, is_being_imported
from traceonce.observe.reserve import write_reserved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE = "TRACEONCE_RUN"
SEPARATOR = "\x1f"


def write_orders(
    recording: str, run: str, launcher: int, backends: Sequence[tuple[str, str, str]], inside: str, settings: str
) -> str:
    """What the launcher tells the processes of a run: one line of text, for the environment."""
    fields = [recording, run, str(launcher), inside, settings]
    return SEPARATOR.join([*fields, *(part for backend in backends for part in backend)])


class Orders:
    """What the launcher told. `inside` (``module:function``) takes the orders over, and reads the `settings`."""

    def __init__(self, text: str) -> None:
        self.recording, self.run, launcher, self.inside, self.settings, *rest = text.split(SEPARATOR)
        self.is_main = os.getppid() == int(launcher)
        self.backends = [(rest[at], rest[at + 1], rest[at + 2]) for at in range(0, len(rest), 3)]


def start() -> None:
    """Wait, if this process belongs to a run."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    orders = Orders(text)
    waiting: list[Arrivals] = []

    def arrived(name: str) -> None:
        if any(is_being_imported(module) for _, module, _ in orders.backends if module != name):
            return  # one framework may import another: once it is there itself, both are
        for arrivals in waiting:
            arrivals.stop()
        try:
            import importlib

            module, _, begin = orders.inside.partition(":")
            # Read anew: a forked process has another parent.
            getattr(importlib.import_module(module), begin)(Orders(text))
        except Exception as error:
            complain(error)
            write_reserved(orders.recording, f"process {os.getpid()} is not watched: {type(error).__name__}: {error}")

    waiting.append(Arrivals([module for _, module, _ in orders.backends], arrived))
    waiting[0].start()


def complain(error: Exception) -> None:
    say(f"this process is not watched: {type(error).__name__}: {error}")


def say(text: str) -> None:
    """As `facts.printable` would make it safe; but what failed may be the very import of that."""
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:4_000])
    sys.stderr.write(f"traceonce: {shown.replace('##', '# #')}\n")
