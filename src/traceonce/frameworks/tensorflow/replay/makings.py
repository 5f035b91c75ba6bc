"""Where functions were wrapped: every `tf.function` that the user's own code made, also of what a library wrote."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.hooks import Hooks, caller
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.makings import Makings
from traceonce.frameworks.tensorflow.replay.function_names import Identifier


class MakingHook:
    """Watches `Function.__init__`.

    `tf.function` makes a function in a helper called ``decorated``; without it, the new object is a copy that
    TensorFlow makes for its own use (a method for one more object).
    """

    def __init__(self, here: Here, problems: Problems, identifier: Identifier, makings: Makings) -> None:
        self._here = here
        self._problems = problems
        self._identifier = identifier
        self._makings = makings

    def place(self, hooks: Hooks, function_class: Any) -> None:
        hooks.place(function_class, "__init__", self._hook)

    def _hook(self, original: Any) -> Any:
        def __init__(owner: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands in for one
            original(owner, *args, **kwargs)
            with self._here.on_our_behalf(), self._problems.kept():
                maker = caller()
                if maker.f_code.co_name == "decorated":
                    self._makings.note(self._identifier.anyones(owner), maker)

        return __init__
