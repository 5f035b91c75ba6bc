"""Calls and arguments for tests."""

from __future__ import annotations

from typing import Any

import numpy as np


def ones(*shape: int, dtype: Any = np.float32) -> Any:
    return np.ones(shape, dtype)


def calling(function: Any, *calls: tuple[Any, ...]) -> Any:
    def go() -> None:
        for arguments in calls:
            function(*arguments)

    return go
