"""Which files are JAX's own: what is jitted there is no affair of the user's."""

from __future__ import annotations

import os
from typing import Any

from traceonce.frameworks.base.places import Places


class JaxPlaces(Places):
    """Sorts file names, and knows those of JAX."""

    def __init__(self, jax: Any) -> None:
        import jaxlib

        files = (str(jax.__file__), str(jaxlib.__file__))
        super().__init__(files)
        self._own = tuple(os.path.dirname(file) + os.sep for file in files)

    def is_jax(self, file: str) -> bool:
        return file.startswith(self._own)
