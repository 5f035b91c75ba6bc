"""The rules of the SARIF report: every cause, and two findings that are no cause: a trace that raised, and a limit."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from traceonce.facts import CauseCode
from traceonce.report.vocabulary.english import ENGLISH

Level: TypeAlias = Literal["error", "warning", "note"]
FAILED = "failed"
LIMIT = "limit"


class Rule(NamedTuple):
    """What it is called, what happens, what to change, and how grave it is where nothing else is known."""

    name: str
    what: str
    remedy: str
    level: Level = "warning"


CAUSES: dict[CauseCode, tuple[str, str]] = {
    CauseCode.SHAPE: ("VaryingShape", "A dimension of a tensor has a size that no trace was made for."),
    CauseCode.RANK: ("VaryingRank", "A tensor has another number of dimensions."),
    CauseCode.DTYPE: ("VaryingDtype", "A tensor has another dtype."),
    CauseCode.VALUE: ("VaryingPythonValue", "A Python value is new, and every value is a trace of its own."),
    CauseCode.KIND: ("VaryingKind", "An argument is of another kind, such as None and then a tensor."),
    CauseCode.STRUCTURE: ("VaryingStructure", "The arguments nest in another way: other keys, another length."),
    CauseCode.SPEC: ("VaryingTypeSpec", "The type specification of a composite argument has changed."),
    CauseCode.IDENTITY: ("AnotherObject", "An argument is another object, and does not equal the earlier one."),
    CauseCode.COLLECTED: ("CollectedObject", "The object that the earlier trace was made for is gone."),
    CauseCode.UNEQUAL: ("UnequalType", "The type of an argument does not equal itself."),
    CauseCode.ALIASING: ("VariableAliasing", "Two arguments are one variable now, or no longer are."),
    CauseCode.NEW_FUNCTION: ("NewFunction", "The same code was made into a new function, which is traced by itself."),
    CauseCode.NEW_INSTANCE: ("NewInstance", "It is the method of another object, with traces of its own."),
    CauseCode.VARIABLE_CREATION: ("VariableCreation", "Variables were created on the first call."),
    CauseCode.CONTEXT: ("ChangedContext", "The surroundings of the call have changed: graph, scope, saving."),
    CauseCode.WEAK_TYPE: ("VaryingWeakType", "An array has a weak dtype, as a Python number has, or no longer has."),
    CauseCode.STATIC_ARGUMENT: ("VaryingStaticArgument", "A static argument is new, and its value is compiled in."),
    CauseCode.SHARDING: ("VaryingSharding", "An array lies on other devices, or is divided in another way."),
    CauseCode.GUARD: ("FailedGuard", "Something is not what the compiled code was made for."),
    CauseCode.FELL_BACK: ("FellBack", "It was compiled, and is not compiled any more: it runs eagerly."),
    CauseCode.COMPILE: ("RepeatedCompilation", "The same trace was compiled again, for other shapes or devices."),
    CauseCode.BACKWARD: ("BackwardGraph", "A backward graph was built for the trace."),
    CauseCode.STALE: ("StaleValue", "A value from outside has changed since the trace, which still has the old one."),
    CauseCode.CONFUSED: ("ConfusedLiterals", "A call was served by the trace of an equal number of another type."),
    CauseCode.UNKNOWN: ("UnknownCause", "It was traced again although an earlier trace fits the call."),
}
LEVELS: dict[CauseCode, Level] = {
    CauseCode.STALE: "error",
    CauseCode.CONFUSED: "error",
    CauseCode.VARIABLE_CREATION: "note",
    CauseCode.BACKWARD: "note",
}
RULES: dict[str, Rule] = {
    **{
        code.value: Rule(name, what, ENGLISH.common.remedy[code.value], LEVELS.get(code, "warning"))
        for code, (name, what) in CAUSES.items()
    },
    FAILED: Rule("FailedTrace", "Tracing raised an error.", "look up the error with traceonce explain", "error"),
    LIMIT: Rule(
        "TracingLimitReached",
        "A call needed one trace more than its limit allows.",
        "treat the cause, or allow more where the traces are meant",
        "error",
    ),
}
INDEX = {id_: number for number, id_ in enumerate(RULES)}


def describe_rules() -> list[dict[str, Any]]:
    """All of them, found or not: so a reader knows what was looked for."""
    return [
        {
            "id": id_,
            "name": rule.name,
            "shortDescription": {"text": rule.what},
            "fullDescription": {"text": f"{rule.what} Change: {rule.remedy}."},
            "help": {
                "text": f"{rule.what}\nChange: {rule.remedy}.",
                "markdown": f"{rule.what}\n\n**Change:** {_escape(rule.remedy)}.",
            },
            "defaultConfiguration": {"level": rule.level},
            "properties": {"tags": ["correctness" if rule.level == "error" else "performance"]},
        }
        for id_, rule in RULES.items()
    ]


def _escape(words: str) -> str:
    return words.replace("_", r"\_")
