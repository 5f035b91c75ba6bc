"""Every source of random numbers gets a fixed start: those of Python and NumPy; a framework adds its own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

SEED = 20_240_229


class PlainSeeds:
    """The seeds of one process; `stop` puts back what was there. `disguise` is put around what replaces a function."""

    def __init__(self, disguise: Callable[[Any], Any] = lambda function: function) -> None:
        import numpy as np

        self._numpy = np.random
        self._before = random.getstate(), np.random.get_state()
        self.fresh = itertools.count(SEED)  # seeds for generators that were given none
        self.default_rng = np.random.default_rng  # NumPy's own
        random.seed(SEED)
        np.random.seed(SEED)
        np.random.default_rng = disguise(self._seeded_rng())

    def save(self) -> Callable[[], None]:
        """Remember how far Python and NumPy have come; calling the result takes them back there."""
        python, numpy = random.getstate(), self._numpy.get_state()

        def restore() -> None:
            random.setstate(python)
            self._numpy.set_state(numpy)

        return restore

    def stop(self) -> None:
        python, numpy = self._before
        random.setstate(python)
        self._numpy.set_state(numpy)
        self._numpy.default_rng = self.default_rng

    def _seeded_rng(self) -> Callable[..., Any]:
        original = self.default_rng

        def default_rng(seed: Any = None) -> Any:
            return original(next(self.fresh) if seed is None else seed)

        return default_rng
