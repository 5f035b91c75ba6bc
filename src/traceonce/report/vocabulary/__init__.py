"""What causes, remedies and verdicts are called: in general, and as each framework has it. Data, in two languages.

A text is looked up by its *keys*, the most special one first: for each key what the framework says of it, else what is
said for all of them. So a framework only has what differs there, and one that nobody has heard of is spoken of, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from traceonce.facts import Cause, CauseCode, FunctionId
from traceonce.facts.cause import LEFT_ALONE
from traceonce.facts.graph_breaks import is_at_break

NEW_OBJECT = (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE)


class Vocabulary(NamedTuple):
    """The words for one framework, or for all of them.

    `what` happened and which `remedy` helps, by the code of a cause or by a more special key. `reasons` are those of
    verdicts, by their English words. `retraced` is what happened to a function that was traced again.
    """

    what: Mapping[str, str] = {}
    remedy: Mapping[str, str] = {}
    reasons: Mapping[str, str] = {}
    retraced: str | None = None
    trace: str | None = None


class Speech(NamedTuple):
    """One language: the words for all frameworks, and what each has of its own."""

    common: Vocabulary
    frameworks: Mapping[str, Vocabulary]

    def what(self, cause: Cause, traces: int, backend: str) -> str:
        """What happened at a place of a function that has this many traces, in a few words."""
        *special, code = _keys(cause)
        keys = [*special, f"{code}_each", code] if _is_new_each_time(cause, traces) else [*special, code]
        words = _look_up(keys, self._own(backend).what, self.common.what)
        return words.format(type=cause.type_name or self.common.what["a_type"], step=cause.step)

    def remedy(
        self,
        cause: Cause,
        backend: str,
        function: FunctionId,
        *,
        reduce_retracing: bool = False,
        failed: bool = False,
    ) -> str:
        """What to change, from the cause and what is known of the function."""
        keys = [*_special_keys(cause, function, reduce_retracing, failed), *_keys(cause)]
        return _look_up(keys, self._own(backend).remedy, self.common.remedy).format(note=cause.note)

    def reason(self, reason: str, backend: str) -> str:
        """Why a verdict is what it is; as it was given, where this language has no words for it."""
        return self._own(backend).reasons.get(reason) or self.common.reasons.get(reason, reason)

    def retraced(self, backend: str) -> str:
        return self._own(backend).retraced or self.common.retraced or ""

    def trace(self, backend: str) -> str:
        return self._own(backend).trace or self.common.trace or ""

    def _own(self, backend: str) -> Vocabulary:
        return self.frameworks.get(backend, Vocabulary())


def _look_up(keys: Iterable[str], own: Mapping[str, str], common: Mapping[str, str]) -> str:
    return next(text for key in keys for text in (own.get(key), common.get(key)) if text is not None)


def _keys(cause: Cause) -> list[str]:
    """What a cause is looked up by, the most special key first."""
    code, path = cause.code.value, cause.path
    keys = []
    if cause.code is CauseCode.SHAPE:
        keys += ["shape_of_one"] if "1" in (cause.was, cause.now, *cause.values) else []
        keys += ["shape_grows"] if cause.step else ["shape_once_smaller"] if cause.is_partial_batch else []
    if cause.code is CauseCode.GUARD:
        keys += ["guard_at_break"] if is_at_break(path) else []
        keys += [f"guard_{name}" for name in ("stride", "requires_grad", "device", "_base") if f".{name}" in path]
    if cause.code is CauseCode.FELL_BACK and (cause.note or "").startswith(LEFT_ALONE):
        keys.append("fell_back_left_alone")
    if cause.code is CauseCode.IDENTITY and cause.type_name == "function":
        keys.append("identity_of_code")
    if cause.code is CauseCode.STATIC_ARGUMENT and cause.note:
        keys.append("static_argument_equal")
    if cause.code in (CauseCode.VALUE, CauseCode.GUARD) and cause.type_name in ("str", "bool"):
        keys.append("value_of_choice")
    elif cause.code is CauseCode.GUARD and cause.type_name in ("int", "float") and path.startswith("self."):
        keys.append("value_of_attribute")
    return [*keys, code]


def _is_new_each_time(cause: Cause, traces: int) -> bool:
    """Has every trace but the first brought another value?"""
    return cause.count >= 3 and cause.count >= traces - 1


def _special_keys(cause: Cause, function: FunctionId, reduce_retracing: bool, failed: bool) -> list[str]:
    """Those of remedies, which depend on the function, too."""
    if cause.code is CauseCode.VARIABLE_CREATION and failed:
        return ["variable_creation_failed"]
    if cause.code is CauseCode.SHAPE and function.library:
        return ["shape_in_library"]
    if cause.code is CauseCode.SHAPE and reduce_retracing:
        return ["shape_relaxed"]
    if cause.code not in NEW_OBJECT:
        return []
    if cause.note:
        return [f"{cause.code.value}_differs"]
    if function.name.endswith("[dataset]"):
        return ["new_function_of_dataset"]
    if function.loop is not None:
        return ["new_function_of_loop"]
    if function.library and function.is_of_keras:
        return ["new_function_of_keras"]
    return ["new_function_in_library"] if function.library else []
