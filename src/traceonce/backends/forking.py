"""What is to be done in a forked process: locks that other threads held are nobody's there, counts begin anew."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

_methods: set[weakref.WeakMethod[Callable[[], Any]]] = set()


def after_fork(method: Callable[[], Any]) -> None:
    """Call a bound method in every process that is forked from here on, as long as its object lives."""
    _methods.add(weakref.WeakMethod(method, _methods.discard))


def _forked() -> None:
    for reference in list(_methods):
        method = reference()
        if method is not None:
            method()


if hasattr(os, "register_at_fork"):  # such a handler stays for good, so there is one for all
    os.register_at_fork(after_in_child=_forked)
