"""What an argument can differ in: shapes, types, values, structure."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.causes import families
from traceonce.causes.definition import Definition, Happened
from traceonce.facts import CauseCode
from traceonce.words.translated import Text

CALLABLES = ("function", "partial")  # which are equal to nothing but themselves


def _cases_of_shape(happened: Happened) -> Iterator[str]:
    cause, function = happened.cause, happened.function
    if function is not None and function.library:
        yield "in_library"
    elif happened.reduce_retracing:
        yield "relaxed"
    if "1" in (cause.was, cause.now, *cause.values):
        yield "of_one"
    if cause.step:
        yield "grows"
    elif cause.is_partial_batch:
        yield "once_smaller"
    if happened.each_time:
        yield "each"


def _cases_of_value(happened: Happened) -> Iterator[str]:
    if happened.cause.type_name in ("str", "bool"):
        yield "of_choice"
    if happened.each_time:
        yield "each"


def _cases_of_static_argument(happened: Happened) -> Iterator[str]:
    if happened.cause.note and happened.cause.type_name in CALLABLES:
        yield "of_function"
    elif happened.cause.note:
        yield "equal"
    if happened.each_time:
        yield "each"


SHAPE = Definition(
    CauseCode.SHAPE,
    name=Text("shape", "形状"),
    family=families.SHAPE,
    rule="VaryingShape",
    summary=Text("A dimension of a tensor has a size that no trace covers.", "张量的某一维出现了还没有追踪过的大小。"),
    what=Text("varies", "大小变化"),
    remedy=Text("pass one size in every call, or pad to a few", "每次调用都传入同样的大小，或者填充到少数几种大小"),
    special_what={
        "each": Text("varies in every trace", "大小变化，每次追踪都不同"),
        "grows": Text("grows by {step} each time", "每次增加 {step}"),
        "once_smaller": Text("is smaller once, as in a last, partial batch", "有一次较小，如同最后不满的一批"),
    },
    special_remedy={
        "in_library": Text(
            "give the library one size: pad, or drop the last, partial batch",
            "给这个库同样的大小：填充，或者丢掉最后不满的一批",
        ),
    },
    cases=_cases_of_shape,
    values="as_a_set",
    read_off=True,
)
RANK = Definition(
    CauseCode.RANK,
    name=Text("rank", "秩"),
    family=families.SHAPE,
    rule="VaryingRank",
    summary=Text("The rank of a tensor changed.", "张量的维数变了。"),
    what=Text("changes its rank", "维数变化"),
    remedy=Text("reshape to one rank before the call", "调用之前 reshape 成同样的维数"),
    read_off=True,
)
DTYPE = Definition(
    CauseCode.DTYPE,
    name=Text("dtype", "dtype"),
    family=families.TYPE,
    rule="VaryingDtype",
    summary=Text("The dtype of a tensor changed.", "张量的 dtype 变了。"),
    what=Text("changes its dtype", "dtype 变化"),
    remedy=Text("cast to one dtype before the call", "调用之前转换成同一种 dtype"),
    read_off=True,
)
WEAK_TYPE = Definition(
    CauseCode.WEAK_TYPE,
    name=Text("weak dtype", "弱类型"),
    family=families.TYPE,
    rule="VaryingWeakType",
    summary=Text(
        "An array is weakly typed, like a Python number, in some calls only.",
        "数组的 dtype 变成了弱类型（如同 Python 数），或者不再是弱类型。",
    ),
    what=Text("is weakly typed in some calls only", "dtype 有时是弱类型，有时不是"),
    remedy=Text("convert it to one dtype before the call", "调用之前转换成同一种 dtype"),
)
VALUE = Definition(
    CauseCode.VALUE,
    name=Text("Python value", "Python 值"),
    family=families.VALUE,
    rule="VaryingPythonValue",
    summary=Text(
        "A Python value is new, and each value gets its own trace.",
        "出现了新的 Python 值，而每个值都要单独追踪一次。",
    ),
    what=Text("a Python {type}", "Python 的 {type}"),
    remedy=Text("pass a tensor, unless the function needs the Python value", "如果函数不需要 Python 值，就传入张量"),
    special_what={
        "each": Text("a Python {type}, a new value each time", "Python 的 {type}，每次都是新值"),
    },
    cases=_cases_of_value,
    read_off=True,
)
STATIC_ARGUMENT = Definition(
    CauseCode.STATIC_ARGUMENT,
    name=Text("static argument", "静态参数"),
    family=families.VALUE,
    rule="VaryingStaticArgument",
    summary=Text(
        "The value of a static argument is new; static values are compiled in.",
        "静态参数有了新的值，而它的值会被编译进去。",
    ),
    what=Text("a static argument, compiled in by value", "静态参数，它的值被编译进去"),
    remedy=Text(
        "pass it as an array, unless the function needs the Python value", "如果函数不需要 Python 值，就传入数组"
    ),
    special_what={
        "each": Text(
            "a static argument, compiled in by value, a new one each time",
            "静态参数，它的值被编译进去，每次都是新值",
        ),
        "equal": Text(
            "a static argument: it prints the same, but is a different object", "静态参数：打印出来一样，却是另一个对象"
        ),
        "of_function": Text(
            "static, and a new function object, which equals no other", "静态，而且是新的函数对象，与任何别的都不相等"
        ),
    },
    special_remedy={
        "equal": Text(
            "pass the same object, or give its class __eq__ and __hash__ that compare contents",
            "传入同一个对象，或者让它的类有比较内容的 __eq__ 和 __hash__",
        ),
        "of_function": Text(
            "create the function, or the object that holds it, once, and pass it on every call",
            "只创建一次这个函数（或者持有它的对象），每次调用都传入它",
        ),
    },
    cases=_cases_of_static_argument,
)
KIND = Definition(
    CauseCode.KIND,
    name=Text("kind", "种类"),
    family=families.TYPE,
    rule="VaryingKind",
    summary=Text(
        "An argument changed its kind, such as from None to a tensor.", "参数换了种类，例如先是 None，后来是张量。"
    ),
    what=Text("changes its kind", "种类变化"),
    remedy=Text("pass the same kind of value in every call", "每次调用都传入同一种东西"),
)
STRUCTURE = Definition(
    CauseCode.STRUCTURE,
    name=Text("structure", "结构"),
    family=families.TYPE,
    rule="VaryingStructure",
    summary=Text(
        "The structure of the arguments changed: different keys, a different length.",
        "参数的嵌套结构变了：键不同，或者长度不同。",
    ),
    what=Text("changes its structure", "结构变化"),
    remedy=Text(
        "keep one structure: the same keys, the same length, list or tuple",
        "保持同一种结构：同样的键、同样的长度，统一用 list 或者 tuple",
    ),
)
SPEC = Definition(
    CauseCode.SPEC,
    name=Text("type specification", "类型规格"),
    family=families.TYPE,
    rule="VaryingTypeSpec",
    summary=Text("The type specification of a composite argument has changed.", "复合参数的类型说明（TypeSpec）变了。"),
    what=Text("changes in its type specification", "类型说明（TypeSpec）变化"),
    remedy=Text("keep this field of the type the same in every call", "让类型的这个字段在每次调用中保持不变"),
)
