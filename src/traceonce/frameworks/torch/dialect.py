"""What this framework calls causes, remedies and verdicts, where it differs from all others."""

from __future__ import annotations

from traceonce.causes.dialect import Dialect
from traceonce.facts import Reason
from traceonce.words.translated import Text

_CHOICE = Text(
    "each value recompiles: leave it if there are few, otherwise pass a tensor or a number",
    "每个值都要编译一次：值很少时不必修改，否则传入张量或者数",
)
_IN_LIBRARY = Text("keep and reuse the object that the library created it for", "保留并重复使用库所创建的对象")
DIALECT = Dialect(
    what={
        "new_instance": Text("the same code, with a different object", "同样的代码，另一个对象"),
        "shape.of_one": Text(
            "is 1 in some calls only: size 1 is compiled separately",
            "有时是 1，有时不是：大小 1 要单独编译",
        ),
        "compile": Text("another CUDA graph for this size", "为这个大小另录一个 CUDA graph"),
        "context": Text("PyTorch's global state differs from when it was compiled", "编译时所处的 PyTorch 状态变了"),
        "stale": Text(
            "read while compiling, and changed since: the compiled code uses the old one",
            "编译时读取，之后变了：编译的代码里仍是旧值",
        ),
        "identity.of_code": Text("a function with different code", "函数的代码不同"),
        "guard.at_break": Text("a different value than in the compiled code", "与编译时的值不同"),
        "guard._base": Text("a view of another tensor in some calls only", "有时是另一个张量的视图，有时不是"),
        "guard.stride": Text("has different strides", "strides（内存布局）不同"),
        "guard.device": Text("is on a different device", "位于另一个设备上"),
        "guard.requires_grad": Text("requires gradients in some calls only", "有时需要梯度，有时不需要"),
    },
    remedy={
        "shape": Text(
            "make the dimension dynamic: torch._dynamo.mark_dynamic(x, dim) before the call, or "
            "torch.compile(dynamic=True)",
            "让这一维可变：调用之前 torch._dynamo.mark_dynamic(x, dim)，或者 torch.compile(dynamic=True)",
        ),
        "shape.of_one": Text(
            "keep to sizes of 2 or more; or torch._dynamo.decorators.mark_unbacked(x, dim) before the call, where "
            "the code does not branch on the size",
            "保持大小不小于 2；如果代码不按大小分支，也可以在调用之前 torch._dynamo.decorators.mark_unbacked(x, dim)",
        ),
        "compile": Text(
            "pad to a few sizes; or run other sizes without a CUDA graph: "
            "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True",
            "填充到少数几种大小；或者其他大小不用 CUDA graph：设置 "
            "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True",
        ),
        "stale": Text(
            "name the dtype, torch.autocast(device, dtype=…); or enter autocast around the call, where it is guarded",
            "写明 dtype：torch.autocast(device, dtype=…)；或者在调用之外进入 autocast，PyTorch 会检查它",
        ),
        "value.of_choice": _CHOICE,
        "guard.of_choice": _CHOICE,
        "guard.of_attribute": Text(
            "keep it in a tensor, as a buffer of the module; for an int, "
            "torch._dynamo.config.allow_unspec_int_on_nn_module = True also works",
            "把它放进张量，例如模块的 buffer；如果是 int，也可以设置 "
            "torch._dynamo.config.allow_unspec_int_on_nn_module = True",
        ),
        "structure": Text(
            "keep one structure: the same keys in the same order, the same length, list or tuple",
            "保持同一种结构：同样的键和键的顺序、同样的长度，统一用 list 或者 tuple",
        ),
        "new_function": Text(
            "call torch.compile once, outside the loop or the call", "在循环或调用之外只调用一次 torch.compile"
        ),
        "new_function.in_library": _IN_LIBRARY,
        "new_instance.in_library": _IN_LIBRARY,
        "context": Text(
            "call it in the same state: gradients, autocast and inference mode on, or off, in every call",
            "每次在同样的状态下调用：梯度、autocast、inference mode 要么都开，要么都关",
        ),
        "guard": Text(
            "keep it the same in every call; if it has to change, pass it as a tensor",
            "让它在每次调用中保持不变；如果必须变化，就作为张量传入",
        ),
        "identity": Text(
            "pass the same object, or use it outside the compiled function",
            "传入同一个对象，或者在编译的函数之外使用它",
        ),
        "identity.of_code": Text(
            "call it outside the compiled function, or pass a tensor that selects",
            "在编译的函数之外调用它，或者传入一个用来选择的张量",
        ),
        "guard.at_break": Text(
            "remove the graph break; for Tensor.item(), torch._dynamo.config.capture_scalar_outputs = True does that",
            "去掉图中断；如果是 Tensor.item() 引起的，设置 torch._dynamo.config.capture_scalar_outputs = True 即可",
        ),
        "guard._base": Text(
            "clone() the view before the call, or pass a view in every call",
            "调用之前 clone() 这个视图，或者每次都传入视图",
        ),
        "guard.device": Text("move it to one device before the call", "调用之前移到同一个设备上"),
        "guard.stride": Text(
            "make it contiguous before the call: x.contiguous()", "调用之前统一内存布局：x.contiguous()"
        ),
        "guard.requires_grad": Text(
            "pass it the same way in every call: x.detach() if no gradient is needed",
            "每次以同样的方式传入：不需要梯度时用 x.detach()",
        ),
        "fell_back": Text(
            "fix what makes it recompile; raising torch._dynamo.config.recompile_limit only delays the fallback",
            "处理引起反复编译的原因；提高 torch._dynamo.config.recompile_limit 只会推迟这个问题",
        ),
        "fell_back.left_alone": Text(
            "move what that call did differently out of the function: after one call in which PyTorch finds "
            "nothing to compile, it never compiles the function again",
            "把那次调用中不同的部分移到函数外：只要有一次调用没有可编译的内容，PyTorch 此后就不再编译这个函数",
        ),
    },
    reasons={
        Reason.KEEPS_COMING: Text("it keeps recompiling as it is called", "随着调用不断被重新编译"),
        Reason.KEEPS_COMING_UNCOUNTED: Text(
            "it keeps recompiling (its calls are not counted)", "反复重新编译（它的调用没有计数）"
        ),
        Reason.NEW_OBJECTS: Text(
            "the same graph is recompiled for new function objects", "同样的图因新的函数对象而被重新编译"
        ),
        Reason.MANY_CALLS: Text("a large share of its calls recompiled", "相当一部分调用引起了重新编译"),
        Reason.COMPILED_FOR_SHAPES: Text("a CUDA graph is recorded for each size", "每种大小都录制一个 CUDA graph"),
        Reason.RAISED: Text("a compilation raised an error", "编译时报错"),
        Reason.WRONG_VALUE: Text(
            "a call was served by code compiled for a different value", "有调用用了不适合它的值的编译结果"
        ),
        Reason.TRACED_ONCE: Text("compiled once", "只编译一次"),
        Reason.EACH_GRAPH_ONCE: Text("each graph compiled once", "每个图只编译一次"),
        Reason.LEFT_OPEN: Text(
            "PyTorch made it dynamic the second time: other sizes or numbers need no compilation",
            "PyTorch 第二次编译时已让它可变：别的大小或者数不再需要编译",
        ),
        Reason.CAME_EARLY: Text("all compilations came early", "所有编译都发生在开头"),
        Reason.PAID_OFF: Text("each compilation served many calls", "每次编译都服务了许多次调用"),
        Reason.PART_OF_ANOTHER: Text(
            "each compilation was part of a compilation of the function that calls it",
            "每次都是调用它的函数的编译的一部分",
        ),
        Reason.FEW_SO_FAR: Text("few compilations so far", "目前只有少数几次编译"),
    },
    retraced=Text("recompiled", "重新编译"),
    trace=Text("compilation", "编译"),
    compiled=Text("recorded a CUDA graph", "录制了 CUDA graph"),
    page={
        "verdict.retracing": Text(
            "{name} recompiled {times} in {calls}", "{name} 在 {calls}中\u200b重新编译了 {times}"
        ),
        "verdict.retracing_uncounted": Text("{name} recompiled {times}", "{name} 重新编译了 {times}"),
        "timeline.event.trace": Text("compilation {n}", "编译 {n}"),
        "cards.compiled": Text("{n} CUDA {n:graph was|graphs were} recorded.", "录制了 {n} 个 CUDA graph。"),
        "cards.count.trace": Text("{n} {n:compilation|compilations}", "{n} 次编译"),
        "cards.of_traces": Text("at {n} of {all} recompilations", "{all} 次重新编译中的 {n} 次"),
        "cards.curve.trace.over_calls": Text("Compilations over calls", "编译次数随调用的变化"),
        "cards.curve.trace.over_time": Text("Compilations over time", "编译次数随时间的变化"),
        "cards.curve.trace.goal": Text("goal: 1 compilation", "目标：1 次编译"),
        "cards.growth.one.trace": Text("one compilation", "只编译一次"),
        "cards.grid.note.trace": Text(
            "a column per compilation; a filled cell made that compilation necessary, a bare value was known from an "
            "earlier one",
            "每列一次编译；填色的格子使该次编译成为必要，未填色的值在更早的编译中出现过",
        ),
        "cards.signature.note": Text(
            "Marked: what differs from the nearest earlier compilation, and so made this one necessary.",
            "标出的是与最接近的更早编译不同之处，正是它们使这次编译成为必要。",
        ),
        "cards.signature.note_known": Text(
            "Marked: what differs from the nearest earlier compilation, and so made this one necessary. Other values "
            "that differ from the compilation before were known.",
            "标出的是与最接近的更早编译不同之处，正是它们使这次编译成为必要。其他与上一次编译不同的值此前已出现过。",
        ),
        "cards.signature.note_first": Text(
            "A first compilation: there is nothing to compare it with.", "首次编译：没有可比较的对象。"
        ),
        "cards.source.caused": Text("{n} {n:compilation|compilations}", "{n} 次编译"),
    },
)
