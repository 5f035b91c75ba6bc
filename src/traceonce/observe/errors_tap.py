"""Reads the standard error of a program on its way to the user, and takes out the lines that are meant for us."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

PAUSE = 0.05  # seconds after which the beginning of a line is passed on without its end (a prompt, a progress bar)


class ErrorsTap:
    """A pipe: the program writes to `writer`; what `take` does not keep goes on to file descriptor 2 at once."""

    def __init__(self, take: Callable[[bytes], bool]) -> None:
        self._take = take
        self._ended = False
        self._reader, self.writer = os.pipe()
        self._thread = threading.Thread(target=self._run, name="traceonce-stderr", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The program has ended: pass on what is left, without waiting for children of it that live on."""
        os.close(self.writer)
        self._ended = True
        self._thread.join(timeout=2)

    def _run(self) -> None:
        try:
            self._pump()
        except OSError:  # nobody reads our standard error any more: let the program find that out by itself
            os.close(self._reader)

    def _pump(self) -> None:
        held = b""
        while True:
            ready, _, _ = select.select([self._reader], [], [], PAUSE)
            if not ready:
                _pass_on(held)
                held = b""
                if self._ended:
                    return
                continue
            data = os.read(self._reader, 65536)
            if not data:
                break
            *lines, held = (held + data).split(b"\n")
            _pass_on(b"".join(line + b"\n" for line in lines if not self._take(line)))
        _pass_on(held)


def _pass_on(data: bytes) -> None:
    while data:
        data = data[os.write(2, data) :]
