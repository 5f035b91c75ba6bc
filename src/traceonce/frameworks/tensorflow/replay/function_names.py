"""Which function of the user's is it? Named as in a recording, before its first call and after."""

from __future__ import annotations

import types
import weakref
from typing import Any

from traceonce.facts import FunctionId
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.tensorflow.functions import Origins, describe_function


class Identifier:
    """Names `Function` objects. A name is kept: AutoGraph puts generated code in the place of a method's own."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._origins = Origins()
        self._known: weakref.WeakKeyDictionary[Any, FunctionId | None] = weakref.WeakKeyDictionary()

    def users(self, owner: Any) -> FunctionId | None:
        """The name of a function that the user wrote; None for a library's and for TensorFlow's own."""
        known = self.anyones(owner)
        return known if known is not None and not known.library else None

    def anyones(self, owner: Any) -> FunctionId | None:
        """The name of a function that the user wrote, or a library; None for TensorFlow's own."""
        if owner not in self._known:
            self._known[owner] = self._name(owner)
        return self._known[owner]

    def _name(self, owner: Any) -> FunctionId | None:
        # What tells functions apart, before there are the options of a first trace.
        options = types.SimpleNamespace(attributes=owner._attributes, name=owner._name, function_cache=True)
        described = describe_function(owner.python_function, options, self._places, self._origins)
        known = not described.internal and described.id.file is not None
        return described.id if known else None
