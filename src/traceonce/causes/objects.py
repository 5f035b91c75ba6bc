"""Objects and functions that are not the ones of before."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.causes import families
from traceonce.causes.definition import Definition, Happened
from traceonce.facts import CauseCode
from traceonce.frameworks.base.registry import framework_of
from traceonce.words.translated import Text

# A remedy for a function, or an object, that something else makes.
_OF_ITS_MAKER = {
    "of_dataset": Text(
        "each dataset retraces its function: build it once and reuse it",
        "每个数据集都会重新追踪它的函数：相同的数据集只构建一次",
    ),
    "of_model": Text(
        "each model retraces its steps: keep one, and restore its variables and its optimizer's",
        "每个模型都会重新追踪它的步骤：保留一个模型，并恢复它和优化器的变量",
    ),
    "in_library": Text("keep and reuse the object that the library created it for", "保留并重复使用库所创建的对象"),
}


def _cases_of_identity(happened: Happened) -> Iterator[str]:
    if happened.cause.type_name == "function":
        yield "of_code"


def _cases_of_unequal(happened: Happened) -> Iterator[str]:
    if happened.cause.type_name == "function":
        yield "of_code"


def _cases_of_new_object(happened: Happened) -> Iterator[str]:
    function = happened.function
    if happened.cause.differs:
        yield "differs"
    elif function is None:
        return
    elif function.name.endswith("[dataset]"):
        yield "of_dataset"
    elif function.loop is not None:
        yield "of_loop"
    elif function.library and function.package in framework_of(happened.backend).per_model:
        yield "of_model"
    elif function.library:
        yield "in_library"


def _cases_of_variable_creation(happened: Happened) -> Iterator[str]:
    if happened.failed:
        yield "failed"


IDENTITY = Definition(
    CauseCode.IDENTITY,
    name=Text("another object", "另一个对象"),
    family=families.OBJECT,
    rule="AnotherObject",
    summary=Text(
        "An argument is a different object, and does not equal the earlier one.",
        "参数是另一个对象，与之前的那个不相等。",
    ),
    what=Text("another {type} object", "另一个 {type} 对象"),
    remedy=Text(
        "pass the same object; if it only holds settings, define __eq__ and __hash__ in its class",
        "传入同一个对象；如果它只保存设置，在它的类里定义 __eq__ 和 __hash__ 也可以",
    ),
    cases=_cases_of_identity,
    values="named",
    anew="argument",
)
COLLECTED = Definition(
    CauseCode.COLLECTED,
    name=Text("object collected", "对象已被回收"),
    family=families.OBJECT,
    rule="CollectedObject",
    summary=Text("The object of the earlier trace was garbage-collected.", "之前那次追踪所用的对象已被回收。"),
    what=Text("a {type} object; the earlier one is gone", "{type} 对象；之前的那个已被回收"),
    remedy=Text("keep one object alive and pass it in every call", "让一个对象一直存在，每次调用都传入它"),
    values="named",
    anew="argument",
)
UNEQUAL = Definition(
    CauseCode.UNEQUAL,
    name=Text("never equal to itself", "与自身不相等"),
    family=families.OBJECT,
    rule="UnequalType",
    summary=Text("The type of an argument does not equal itself.", "参数的类型与自身不相等。"),
    what=Text("its type never equals itself", "它的类型与自身不相等"),
    remedy=Text("make __eq__ of that class compare contents", "让这个类的 __eq__ 比较内容"),
    cases=_cases_of_unequal,
    special_what={
        "of_code": Text(
            "a function that is recreated whenever the type of the argument is computed",
            "每次询问参数的类型时都重新创建的函数",
        )
    },
    special_remedy={
        "of_code": Text(
            "create that function once and keep it, so that the types that hold it are equal",
            "只创建一次这个函数并保留它，使包含它的类型相等",
        )
    },
    values="note",
)
ALIASING = Definition(
    CauseCode.ALIASING,
    name=Text("aliasing", "别名"),
    family=families.OBJECT,
    rule="VariableAliasing",
    summary=Text(
        "Two arguments are now the same variable, or no longer are.", "两个参数现在是同一个变量，或者不再是。"
    ),
    what=Text("is, or is not, the same variable as another argument", "与另一个参数是（或者不是）同一个变量"),
    remedy=Text("pass the same pattern of variables", "每次传入变量的方式保持一致"),
)
NEW_FUNCTION = Definition(
    CauseCode.NEW_FUNCTION,
    name=Text("new function", "新函数"),
    family=families.FUNCTION,
    rule="NewFunction",
    summary=Text(
        "The same code became a new function object, which gets its own traces.",
        "同样的代码被做成了新的函数，需要重新追踪。",
    ),
    what=Text("the same code, in a new function object", "同样的代码，新的函数"),
    remedy=Text(
        "create the compiled function once, outside the loop or the call", "在循环或调用之外只创建一次编译的函数"
    ),
    special_remedy={
        "differs": Text(
            "create it once, and pass what differs as an argument: {note}",
            "只创建一次，把不同的部分作为参数传入：{note}",
        ),
        **_OF_ITS_MAKER,
    },
    with_note=Text(", with another {note}", "，不同的是 {note}"),
    cases=_cases_of_new_object,
    values="counted",
    anew="function",
)
NEW_INSTANCE = Definition(
    CauseCode.NEW_INSTANCE,
    name=Text("new instance", "新实例"),
    family=families.FUNCTION,
    rule="NewInstance",
    summary=Text(
        "It is a method of a different object, with its own traces.", "这是另一个对象的方法，有它自己的追踪。"
    ),
    what=Text("a method of a different object", "另一个对象的方法"),
    remedy=Text("reuse one object", "重复使用同一个对象"),
    special_remedy={
        **_OF_ITS_MAKER,
        "differs": Text(
            "reuse one object, and pass what differs as an argument: {note}",
            "重复使用同一个对象，把不同的部分作为参数传入：{note}",
        ),
    },
    with_note=Text(", with another {note}", "，不同的是 {note}"),
    cases=_cases_of_new_object,
    values="counted",
    anew="function",
)
CAPTURED = Definition(
    CauseCode.CAPTURED,
    name=Text("captured array", "捕获的数组"),
    family=families.FUNCTION,
    rule="CapturedArray",
    summary=Text(
        "The same code became a new function object that captures an array of a different size.",
        "同样的代码被做成了新的函数，它捕获的数组大小不同。",
    ),
    what=Text("captured, with a different size", "被新的函数捕获，大小不同"),
    remedy=Text(
        "create the compiled function once, and pass the array as an argument",
        "只创建一次编译的函数，把这个数组作为参数传入",
    ),
    anew="function",
)
VARIABLE_CREATION = Definition(
    CauseCode.VARIABLE_CREATION,
    name=Text("variable creation", "创建变量"),
    family=families.FUNCTION,
    rule="VariableCreation",
    summary=Text("Variables were created on the first call.", "第一次调用时创建了变量。"),
    what=Text("variables were created on the first call", "第一次调用时创建了变量"),
    remedy=Text("nothing: this happens once", "不必修改：只会发生一次"),
    level="note",
    special_remedy={
        "failed": Text(
            "create the variable once: before the call, or in the first one only",
            "变量只创建一次：在调用之前，或者只在第一次调用中",
        ),
    },
    cases=_cases_of_variable_creation,
)
