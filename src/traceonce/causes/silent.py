"""No retrace, and a wrong value."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.causes import families
from traceonce.causes.definition import Definition, Happened, WrongValue, WrongValueWords
from traceonce.facts import CauseCode, Reason, Verdict
from traceonce.words.translated import Text


def _cases_of_side_effect(happened: Happened) -> Iterator[str]:
    if happened.cause.type_name in ("iterator", "random numbers", "assignment"):
        yield f"of_{happened.cause.type_name.replace(' ', '_')}"


STALE = Definition(
    CauseCode.STALE,
    name=Text("old value", "旧值"),
    family=families.SILENT,
    rule="StaleValue",
    summary=Text(
        "A value from outside changed after the trace, which still uses the old one.",
        "函数之外的值在追踪之后变了，而图里仍是旧值。",
    ),
    what=Text(
        "read during tracing, and changed since: the trace uses the old value", "追踪时读取，之后变了：图里仍是旧值"
    ),
    remedy=Text("pass it as an argument", "把它作为参数传入"),
    level="error",
    when_inferred=Text(" (inferred: not shown to reach the graph)", "（推断：没有证实它进入了图）"),
    wrong_value=WrongValue(
        Verdict.STALE,
        Reason.WRONG_VALUE,
        WrongValueWords(
            headline=Text("{name} uses an old value", "{name} 返回的是旧值"),
            alarm=Text(
                "**{name} uses an old value.** {path} was {was} when it was traced and is {now} now. "
                "No retrace, no error: the result is wrong.",
                "**{name} 返回的是旧值。**追踪时 {path} 是 {was}，现在是 {now}。没有重新追踪，也没有报错：结果是错的。",
            ),
            lede=Text(
                "Its trace keeps the values read during tracing. There is no retrace and no error: the results are "
                "wrong.",
                "追踪会固定住当时读到的值。没有重新追踪，也没有报错：结果是错的。",
            ),
        ),
        unsure=WrongValueWords(
            headline=Text("{name} may use an old value", "{name} 返回的可能是旧值"),
            alarm=Text(
                "**{name} may use an old value.** {path} was {was} when it was traced and is {now} now. It "
                "was not shown to reach the graph.",
                "**{name} 返回的可能是旧值。**追踪时 {path} 是 {was}，现在是 {now}。尚未证实它进入了图。",
            ),
            lede=Text(
                "Its trace keeps the values read during tracing. The value was not shown to reach the graph.",
                "追踪会固定住当时读到的值。尚未证实该值进入了图。",
            ),
        ),
    ),
)
SIDE_EFFECT = Definition(
    CauseCode.SIDE_EFFECT,
    name=Text("changed while tracing", "追踪时被修改"),
    family=families.SILENT,
    rule="SideEffectOfTracing",
    summary=Text(
        "The body changes Python state, which happens only during tracing and on no later call.",
        "函数体修改了 Python 状态：只在追踪时发生，之后的调用都不再修改。",
    ),
    what=Text(
        "changed by the body during tracing, and by no call since", "函数体在追踪时修改了它，之后的调用都不再修改"
    ),
    remedy=Text(
        "return the new value and store it outside of the compiled function",
        "把新值作为返回值，在编译的函数之外保存它",
    ),
    level="error",
    cases=_cases_of_side_effect,
    special_what={
        "of_assignment": Text(
            "set by the body during tracing and reset since; later calls do not set it",
            "函数体在追踪时设置了它；之后它被重置，而后面的调用不再设置",
        ),
        "of_iterator": Text(
            "an iterator that the body advanced during tracing: every call gets the same item",
            "函数体在追踪时从这个迭代器取值：每次调用得到的都是同一项",
        ),
        "of_random_numbers": Text(
            "random numbers that the body drew during tracing: every call gets the same ones",
            "函数体在追踪时抽取了随机数：每次调用得到的都是同样的数",
        ),
    },
    special_remedy={
        "of_iterator": Text("take the item outside, and pass it as an argument", "在函数之外取值，作为参数传入"),
        "of_random_numbers": Text(
            "draw with the framework's own random functions, or draw outside and pass the numbers as an argument",
            "使用框架自己的随机函数，或者在函数之外抽取，把它们作为参数传入",
        ),
    },
    wrong_value=WrongValue(
        Verdict.STALE,
        Reason.CHANGED_BY_TRACING,
        WrongValueWords(
            headline=Text("{name} changes Python state only during tracing", "{name} 只在追踪时修改 Python 状态"),
            alarm=Text(
                "**{name} changes {path} only during tracing.** No retrace, no error: later calls do not change it.",
                "**{name} 只在追踪时修改 {path}。**没有重新追踪，也没有报错：之后的调用都不再修改它。",
            ),
            lede=Text(
                "Its body changes Python state, and the body runs only during tracing. There is no retrace and no "
                "error: later calls change nothing.",
                "函数体修改 Python 状态，而函数体只在追踪时运行。没有重新追踪，也没有报错：之后的调用都不再修改它。",
            ),
        ),
    ),
)
CONFUSED = Definition(
    CauseCode.CONFUSED,
    name=Text("equal, but of another type", "相等但类型不同"),
    family=families.SILENT,
    rule="ConfusedLiterals",
    summary=Text(
        "A call was served by the trace of an equal number of a different type.",
        "一次调用用了另一种类型的相等的数所追踪的图。",
    ),
    what=Text("an equal number of a different type was served by the same trace", "类型不同而相等的数用了同一个图"),
    remedy=Text("pass one type in every call", "每次调用都传入同一种类型"),
    level="error",
    wrong_value=WrongValue(
        Verdict.CONFUSED,
        Reason.WRONG_VALUE,
        WrongValueWords(
            headline=Text("{name} mixes up equal values of different types", "{name} 混淆了类型不同但相等的值"),
            alarm=Text(
                "**{name} mixes up equal values.** {path} was {was} when it was traced and is {now} now; "
                "the tracer considers them equal, so they share a trace.",
                "**{name} 混淆了相等的值。**追踪时 {path} 是 {was}，现在是 {now}；"
                "追踪器认为两者相等，因此使用了同一个追踪。",
            ),
            lede=Text(
                "Values that are equal, such as 1, True and 1.0, share one trace. There is no retrace and no error: "
                "a call gets the result computed for another type.",
                "相等的值（如 1、True 和 1.0）共用一个追踪。没有重新追踪，"
                "也没有报错：调用得到的是为另一种类型生成的结果。",
            ),
        ),
    ),
)
