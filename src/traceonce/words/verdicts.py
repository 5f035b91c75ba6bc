"""What is said of verdicts, in every language."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.facts import Reason, Verdict
from traceonce.words.translated import Text

# What pages call them, in a word or two.
BADGES: Mapping[Verdict, Text] = {
    Verdict.RETRACING: Text("Retracing", "反复追踪"),
    Verdict.RECOMPILING: Text("Recompiling", "反复编译"),
    Verdict.FELL_BACK: Text("Fell back", "退回即时执行"),
    Verdict.FAILED: Text("Failed", "失败"),
    Verdict.STALE: Text("Wrong value", "值错误"),
    Verdict.CONFUSED: Text("Wrong value", "值错误"),
    Verdict.AVOIDABLE: Text("Avoidable", "可以避免"),
    Verdict.BOUNDED: Text("Bounded", "有限"),
    Verdict.OK: Text("Fine", "正常"),
}
REASONS: Mapping[Reason, Text] = {
    Reason.KEEPS_COMING: Text("it keeps retracing as it is called", "随着调用不断被重新追踪"),
    Reason.KEEPS_COMING_UNCOUNTED: Text(
        "it keeps retracing (its calls are not counted)", "持续重新追踪（它的调用没有计数）"
    ),
    Reason.NEW_OBJECTS: Text(
        "the same graph is retraced for new function objects", "同样的图因新的函数对象而被重新追踪"
    ),
    Reason.NEW_DATASETS: Text("a dataset is rebuilt repeatedly", "数据集反复重建"),
    Reason.MANY_CALLS: Text("a large share of its calls retraced", "相当一部分调用引起了重新追踪"),
    Reason.COMPILED_FOR_SHAPES: Text("it recompiles for new shapes", "为新的形状重新编译"),
    Reason.COMPILED_FOR_DEVICES: Text("it recompiles for other devices or shardings", "为别的设备或分片方式重新编译"),
    Reason.FELL_BACK: Text("it is no longer compiled", "不再编译"),
    Reason.RAISED: Text("a trace raised an error", "追踪时报错"),
    Reason.WRONG_VALUE: Text("a call was served by a trace made for a different value", "有调用用了不适合它的值的图"),
    Reason.CHANGED_BY_TRACING: Text(
        "its body changes Python state, but only while tracing", "函数体会修改 Python 状态，但只在追踪时修改"
    ),
    Reason.TYPE_CHANGES: Text("one line passes different types", "同一行传入的类型不同"),
    Reason.KEYS_CHANGE: Text("one line passes different keys", "同一行传入的键不同"),
    Reason.FLAGS_MULTIPLY: Text("its flags multiply: a graph for each combination", "开关相乘：每种组合一个图"),
    Reason.READ_TWICE: Text(
        "each value was new on its first call; later calls reused it only because the data was read again",
        "每个值第一次出现时都是新的，后来不再追踪只是因为数据又读了一遍",
    ),
    Reason.TRACED_ONCE: Text("traced once", "只追踪一次"),
    Reason.EACH_GRAPH_ONCE: Text("each graph traced once", "每个图只追踪一次"),
    Reason.FEW_STATES: Text("the argument has only a few possible states", "这个参数只有少数几种状态"),
    Reason.LEFT_OPEN: Text("the last trace serves any size or number", "最后一次追踪适用于任何大小或者数"),
    Reason.CAME_EARLY: Text("all traces came early", "所有追踪都发生在开头"),
    Reason.PAID_OFF: Text("each trace served many calls", "每次追踪都服务了许多次调用"),
    Reason.OTHER_SIZES: Text(
        "the same code was rebuilt over arrays of other sizes: other models, or other data",
        "同样的代码又用大小不同的数组创建：别的模型，或者别的数据",
    ),
    Reason.PART_OF_ANOTHER: Text(
        "each trace was part of a trace of the function that calls it", "每次都是调用它的函数的追踪的一部分"
    ),
    Reason.FEW_SO_FAR: Text("few traces so far", "目前只有少数几次追踪"),
}
