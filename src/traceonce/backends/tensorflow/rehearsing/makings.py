"""Where the user's functions were wrapped: every `tf.function` that their own code made."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from traceonce.backends.hooks import Hooks
from traceonce.backends.tensorflow.rehearsing.here import Here, Problems
from traceonce.backends.tensorflow.rehearsing.identifying import Identifier
from traceonce.backends.tensorflow.rehearsing.locating import Locator
from traceonce.facts.rehearsal import Making


class Makings:
    """Watches `Function.__init__`.

    `tf.function` makes a function in a helper called ``decorated``; without it, the new object is a copy that
    TensorFlow makes for its own use (a method for one more object).
    """

    def __init__(self, here: Here, problems: Problems, identifier: Identifier, locator: Locator) -> None:
        self._here = here
        self._problems = problems
        self._identifier = identifier
        self._locator = locator
        self._makings: dict[Making, int] = {}

    def place(self, hooks: Hooks, function_class: Any) -> None:
        hooks.place(function_class, "__init__", self._hook)

    def all(self) -> tuple[Making, ...]:
        """In the order in which they were first made."""
        return tuple(msgspec.structs.replace(making, count=count) for making, count in list(self._makings.items()))

    def _hook(self, original: Any) -> Any:
        def __init__(owner: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands in for one
            original(owner, *args, **kwargs)
            with self._here.on_our_behalf(), self._problems.kept():
                caller = sys._getframe(1)
                if caller.f_code.co_name == "decorated":
                    self._note(owner, caller)

        return __init__

    def _note(self, owner: Any, caller: Any) -> None:
        function = self._identifier.users(owner)
        place = self._locator.locate(caller) if function is not None else None
        if function is not None and place is not None and place.direct:
            making = Making(function, place.file, place.line, place.scope, place.span)
            self._makings[making] = self._makings.get(making, 0) + 1
