"""What is to be done in a forked process: locks that other threads held are nobody's there, counts begin anew."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable
from typing import Any

_methods: list[tuple[weakref.ref[Any], Callable[[Any], Any]]] = []


def after_fork(method: Any) -> None:
    """Call a bound method in every process that is forked from here on, as long as its object lives."""
    for known in [known for known in _methods if known[0]() is None]:
        with contextlib.suppress(ValueError):  # another thread has dropped it
            _methods.remove(known)
    _methods.append((weakref.ref(method.__self__), method.__func__))


def _forked() -> None:
    for reference, function in _methods:
        owner = reference()
        if owner is not None:
            function(owner)


if hasattr(os, "register_at_fork"):  # such a handler stays for good, so there is one for all
    os.register_at_fork(after_in_child=_forked)
