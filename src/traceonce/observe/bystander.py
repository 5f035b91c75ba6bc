"""Was a signal sent to our whole process group, or to us alone?

The program is in our group: what the terminal, or ``kill -INT -- -GROUP``, sends to the group has reached it already,
and passed on it would arrive twice. The signal itself does not say whom else it was sent to. So one more process sits
in the group and does nothing: what it gets, all got.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Set

SETTLED = 0.01  # seconds in which the kernel has surely reached every process of the group
PATIENCE = 1.0  # seconds for an answer


class Bystander:
    """A process that collects these signals, which must be blocked here already, until it is asked for them."""

    def __init__(self, numbers: Set[int]) -> None:
        asked, self._ask = os.pipe()
        self._answers, answer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self._ask)
                os.close(self._answers)
                _stand_by(numbers, asked, answer)
            finally:
                os._exit(0)
        os.close(asked)
        os.close(answer)
        self._got: set[int] = set()

    def also_got(self, number: int) -> bool:
        """Has the group got this signal since it was asked for last?"""
        time.sleep(SETTLED)
        try:
            os.write(self._ask, b"?")
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            if ready:
                self._got |= set(os.read(self._answers, 256))  # of others too, which come to be asked for later
        except OSError:  # somebody has ended it
            return False
        also = number in self._got
        self._got.discard(number)
        return also

    def leave(self) -> None:
        os.close(self._ask)
        os.close(self._answers)
        os.waitpid(self._pid, 0)


def _stand_by(numbers: Set[int], asked: int, answer: int) -> None:
    while os.read(asked, 1):  # nothing: whoever asks is gone
        got = signal.sigpending() & numbers
        for _ in got:
            signal.sigwait(got)
        os.write(answer, bytes([0, *got]))
