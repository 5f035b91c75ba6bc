"""What a call was made in, and what the compiler did."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.causes import families
from traceonce.causes.definition import Definition, Happened
from traceonce.facts import CauseCode
from traceonce.facts.stack_names import is_at_break
from traceonce.words.translated import Text


def _cases_of_guard(happened: Happened) -> Iterator[str]:
    cause = happened.cause
    if is_at_break(cause.path):
        yield "at_break"
    yield from (name for name in ("stride", "requires_grad", "device", "_base") if f".{name}" in cause.path)
    if cause.type_name in ("str", "bool"):
        yield "of_choice"
    elif cause.type_name in ("int", "float") and cause.path.startswith("self."):
        yield "of_attribute"


CONTEXT = Definition(
    CauseCode.CONTEXT,
    name=Text("context", "调用环境"),
    family=families.CONTEXT,
    rule="ChangedContext",
    summary=Text("The context of the call changed: graph, scope, saving.", "调用的环境变了：图、作用域或者保存模型。"),
    what=Text("the context of the call changed", "调用的环境变了"),
    remedy=Text("call it in the same context", "在同样的环境中调用"),
    read_off=True,
)
GUARD = Definition(
    CauseCode.GUARD,
    name=Text("failed guard", "假定不符"),
    family=families.CONTEXT,
    rule="FailedGuard",
    summary=Text("A guard failed: a value differs from the compiled one.", "有某个条件与编译时的假定不符。"),
    what=Text("failed a guard: the value differs from the compiled one", "与编译时的假定不符"),
    remedy=Text("keep it the same in every call", "让它在每次调用中保持不变"),
    cases=_cases_of_guard,
)
SHARDING = Definition(
    CauseCode.SHARDING,
    name=Text("devices or sharding", "设备或分片"),
    family=families.COMPILE,
    rule="VaryingSharding",
    summary=Text(
        "An array is on other devices, or is sharded differently.", "数组位于别的设备上，或者以别的方式分片。"
    ),
    what=Text("is on other devices, or is sharded differently", "位于别的设备上，或者以别的方式分布在设备上"),
    remedy=Text(
        "put it on the same devices with the same sharding before each call",
        "每次调用之前，以同样的方式放到同样的设备上",
    ),
)
COMPILE = Definition(
    CauseCode.COMPILE,
    name=Text("compilation without a trace", "没有追踪的编译"),
    family=families.COMPILE,
    rule="RepeatedCompilation",
    summary=Text(
        "The same trace was recompiled for other shapes or devices.", "形状或设备不同，同一次追踪被重新编译。"
    ),
    what=Text("recompiled without a trace", "没有重新追踪，却重新编译"),
    remedy=Text(
        "pass the same shapes, on the same devices, in every call", "每次调用都传入同样形状、位于同样设备的参数"
    ),
    read_off=True,
)
BACKWARD = Definition(
    CauseCode.BACKWARD,
    name=Text("backward graph", "反向图"),
    family=families.BACKWARD,
    rule="BackwardGraph",
    summary=Text("A backward graph was built for the trace.", "为这次追踪构建了反向图。"),
    what=Text("a backward graph was built", "构建了反向图"),
    remedy=Text("nothing: this happens once per trace", "不必修改：每次追踪只发生一次"),
    level="note",
)
FELL_BACK = Definition(
    CauseCode.FELL_BACK,
    name=Text("no longer compiled", "不再编译"),
    family=families.EAGER,
    rule="FellBack",
    summary=Text("It was compiled before, and now runs eagerly.", "它曾被编译，现在不再编译，而是逐步运行。"),
    what=Text("is no longer compiled: it runs as plain Python", "不再编译，而是作为普通 Python 运行"),
    remedy=Text(
        "fix what keeps it compiling; a higher limit only delays the fallback",
        "处理引起反复编译的原因；提高上限只会推迟这个问题",
    ),
    values="none",
)
UNKNOWN = Definition(
    CauseCode.UNKNOWN,
    name=Text("unknown", "未知"),
    family=families.UNKNOWN,
    rule="UnknownCause",
    summary=Text(
        "It was retraced although an earlier trace fits the call.", "之前的追踪适用于这次调用，它却被重新追踪了。"
    ),
    what=Text("the cause is not known", "原因未知"),
    remedy=Text("please report this with the recording", "请附上记录文件报告这个问题"),
)
