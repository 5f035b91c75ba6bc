"""A line at the head of a recording, kept free to say in it that the rest could not be written.

On a full disk a file cannot grow, but what it has can be written over. So the launcher of a run fills the first line
with blanks, which readers pass over, and a process that can write no more says so there: a run of which nothing more is
known is never taken for one in which nothing more happened.

Like `waiting`, this imports nothing that the program might have a module of the same name for.
"""

from __future__ import annotations

import os

SIZE = 512  # bytes, with the end of the line
BLANK = b" " * (SIZE - 1) + b"\n"
_HEAD, _TAIL = '{"entry":"notice","text":"', '","error":true}'


def write_reserved(recording: str, text: str) -> None:
    """Say in the reserved line what is missing from this recording; best effort."""
    plain = "".join(c if " " <= c <= "~" and c not in '"\\' else "?" for c in text)
    line = f"{_HEAD}{plain[: SIZE - 2 - len(_HEAD) - len(_TAIL)]}{_TAIL}"
    try:
        file = os.open(recording, os.O_RDWR)
    except OSError:
        return
    try:
        first = os.pread(file, SIZE, 0)
        if first == BLANK or (first.startswith(_HEAD.encode()) and first.endswith(b" \n")):
            os.pwrite(file, line.ljust(SIZE - 2).encode(), 0)
    except OSError:
        pass
    finally:
        os.close(file)
