"""What is said of `torch.compile` alone: notes of its recipes, and why they decline."""

from __future__ import annotations

from traceonce.words.sentence import Phrase, Sentence

SETTING_FOR_ALL_MODULES = Sentence(
    "setting_for_all_modules",
    en="The setting applies to all modules: PyTorch makes an integer attribute dynamic once it has changed.",
    zh="这个设置对所有模块都有效：整数属性变过一次之后，PyTorch 就把它当作可变的。",
)
SETTING_FOR_ALL_FUNCTIONS = Sentence(
    "setting_for_all_functions",
    en="The setting applies to all compiled functions: the same name becomes dynamic in each of them.",
    zh="这个设置对所有编译的函数都有效：其他函数中同名的值也会当作可变的。",
)
WRITES_GO_TO_COPY = Sentence(
    "writes_go_to_copy",
    en="If the function writes to {names:code}, it writes to a copy.",
    zh="如果函数写入 {names:code}，写入的是副本。",
)
ALL_SIZES_OPEN = Sentence(
    "all_sizes_open",
    en="Every dimension and every number is dynamic: code compiled for all sizes may be slower.",
    zh="所有维度和数都当作可变的：为任意大小编译的代码可能更慢。",
)
SECOND_SIZE_COMPILES = Sentence(
    "second_size_compiles",
    en="The second size or number recompiles once; that code then serves all others.",
    zh="第二种大小或数会再编译一次，此后的都用这一次的结果。",
)
FIXED_SIZE_RAISES = Sentence(
    "fixed_size_raises",
    en="A body that needs one particular size raises a `ConstraintViolationError`.",
    zh="如果函数体要求某个固定的大小，会报 `ConstraintViolationError`。",
)
COUNTER_IS_A_TENSOR = Sentence(
    "counter_is_a_tensor",
    en="{path:code} becomes a tensor: Python code that branches on it, prints it or assigns it from outside sees "
    "a tensor.",
    zh="{path:code} 变成张量：用它做分支判断、打印它或从外部给它赋值的 Python 代码会受影响。",
)
BRANCH_BREAKS_GRAPH = Sentence(
    "branch_breaks_graph",
    en="In the body {names:code} {names:is a tensor|are tensors}: a branch or a loop over {names:it|them} breaks the "
    "graph.",
    zh="在函数体中 {names:code} 是张量：用它做分支判断或循环会引起图中断。",
)
LEARNING_RATE_IS_A_TENSOR = Sentence(
    "learning_rate_is_a_tensor",
    en="The rates in `param_groups` and `get_last_lr()` become tensors, also in logs and saved state.",
    zh="`param_groups` 和 `get_last_lr()` 中的学习率变成张量，记录和保存的内容也是如此。",
)
DERIVED_BEFORE_CALL = Sentence(
    "derived_before_call",
    en="The expression that derived {name:code} now runs before the call; {name:code} is its result.",
    zh="函数原来对 {name:code} 做的处理改在调用之前进行；{name:code} 是处理的结果。",
)
PASSED_AT_EVERY_CALL = Sentence(
    "passed_at_every_call",
    en="Every call passes the value of {path:code} from right before the call.",
    zh="每次调用都传入 {path:code} 在调用前的值。",
)
ATTRIBUTE_IS_A_TENSOR = Sentence(
    "attribute_is_a_tensor",
    en="{path:code} becomes a tensor wherever the program assigns it: code that prints, logs or saves it sees a "
    "tensor.",
    zh="程序给 {path:code} 赋值的地方都改为张量：打印、记录或保存它的代码会看到张量。",
)
LOOP_IS_UNROLLED = Sentence(
    "loop_is_unrolled",
    en="The loop at {places:texts} is unrolled into the graph, so each number of iterations recompiles. Compile "
    "the loop body as a separate function instead: it is compiled once and called in each iteration.",
    zh="{places:texts} 处的循环会在图中展开，因此每种循环次数都要编译一次。请把循环体写成单独的函数来编译："
    "它只编译一次，每一轮循环都调用它。",
)
NUMBER_COMPILED_IN = Sentence(
    "number_compiled_in",
    en="Each value of {path:code} is compiled separately, because it decides what is computed or an operator "
    "needs it as a number. If there are only a few values, raise the limit to their number; otherwise round "
    "them to a few.",
    zh="{path:code} 决定计算的内容，或者某个算子需要它的数值，因此每个值都要单独编译。值很少时把上限设为值的个数；"
    "否则把它们舍入成少数几个值。",
)
CAST_AT_CALL = Sentence(
    "cast_at_call",
    en="Every call casts {path:code} to {dtype:code}; the results of this run are equal, but a cast can lose "
    "precision.",
    zh="每次调用都把 {path:code} 转换为 {dtype:code}；这次运行的结果相同，但转换可能损失精度。",
)
SAME_IN_EVERY_CALL = Sentence(
    "same_in_every_call",
    en="Each form of {path:code} is compiled separately. The placeholder for a missing part, and the precision, "
    "are for you to decide.",
    zh="{path:code} 的每种形式都要单独编译。用什么代替缺少的部分、需要什么精度，由你决定。",
)
CUT_INTO_GRAPHS = Sentence(
    "cut_into_graphs",
    en="Graph breaks split the function into several graphs, each compiled separately: {breaks:texts}.",
    zh="图中断把函数分成了几个图，各自编译：{breaks:texts}。",
)
CUT_WHERE_IT_CANNOT = Sentence(
    "cut_where_it_cannot",
    en="Where PyTorch cannot follow, the graph ends: that line runs as Python in every call.",
    zh="在 PyTorch 无法跟踪的地方图会结束：那一行每次调用都作为 Python 运行。",
)
NOT_FULLGRAPH = Phrase(
    "not_fullgraph", en="it is not compiled with `fullgraph=True`", zh="编译时没有使用 `fullgraph=True`"
)
MOVE_BREAKS_OUT = Sentence(
    "move_breaks_out",
    en="Move the code that breaks the graph out of the function; `fullgraph=True` turns each break into an error "
    "that names its place.",
    zh="把引起图中断的代码移到函数外；`fullgraph=True` 会让每处中断都报错并指出位置。",
)
COMPILES_PER_LENGTH = Sentence(
    "compiles_per_length",
    en="A list is compiled for each length ({lengths}), even with `dynamic=True`, because {path:code} is "
    "unrolled into the graph: pass one tensor and compute along its first dimension without a loop, or always "
    "pass the same length.",
    zh="即使设置 `dynamic=True`，列表的每种长度（{lengths}）也要编译一次，因为 {path:code} 会在图中展开："
    "请传入一个张量并沿它的第一维计算，不要对它循环；或者保持同样的长度。",
)
SIZES_0_AND_1_APART = Sentence(
    "sizes_0_and_1_apart",
    en="PyTorch compiles sizes 0 and 1 separately, dynamic or not. Pad to size 2, or make the dimension dynamic "
    "with `mark_unbacked`, which fails if the body needs the size.",
    zh="无论是否动态，PyTorch 都会单独编译大小 0 和 1。请填充到 2，或者用 `mark_unbacked` 让这一维可变；"
    "如果函数体需要知道大小，后者会报错。",
)
TEXT_COMPILED_IN = Sentence(
    "text_compiled_in",
    en="Each value of {path:code} is compiled separately. Do not pass a string that is only printed or logged. "
    "If it selects one of a few modes, raise the limit to their number; otherwise a higher limit only delays "
    "the fallback.",
    zh="{path:code} 的每个值都要单独编译。只用于打印或日志的文本不要传入。如果它用来选择少数几种模式，"
    "把上限设为模式的个数；否则提高上限只会推迟退回。",
)

# Why a repair cannot be written here.
NO_PLACE_BEFORE = Phrase(
    "no_place_before",
    en="the call at {place:code} is part of a larger expression: no statement fits right before it",
    zh="{place:code} 处的调用是更大的表达式的一部分：它前面没有可以写语句的位置",
)
DONE_BEFORE = Phrase(
    "done_before",
    en="at {place:code}, {code:code} is evaluated before the value passed for {name:code}",
    zh="在 {place:code}，{code:code} 先于传给 {name:code} 的内容执行",
)
DYNAMIC_ALREADY = Phrase(
    "dynamic_already",
    en="dynamic=True is already set: PyTorch cannot make the varying part dynamic",
    zh="已经设置 dynamic=True：变化的内容不是 PyTorch 能当作可变的",
)
TRIED_ON_ANOTHER_VERSION = Phrase(
    "tried_on_another_version",
    en="{setting:code} was tested on PyTorch 2.13; this is {version}",
    zh="{setting:code} 是在 PyTorch 2.13 上试过的，而这里是 {version}",
)
HAS_OWN_SETTING = Phrase(
    "has_own_setting",
    en="{file:code} has its own setting for {name:code}",
    zh="{file:code} 自己设置了 {name:code}",
)
SEVERAL_CLASSES_COUNT = Phrase(
    "several_classes_count",
    en="{count} classes of the program count in {path:code}; it is unclear which one is meant",
    zh="程序中有 {count} 个类在 {path:code} 中计数：无法判断是哪一个",
)
NO_CLASS_COUNTS = Phrase(
    "no_class_counts",
    en="no class of the program counts in {path:code}",
    zh="程序中没有类在 {path:code} 中计数",
)
NO_OPTIMIZER_MADE = Phrase(
    "no_optimizer_made",
    en="the program's own files create no {name:code} with a learning rate",
    zh="程序自己的文件中没有创建带学习率的 {name:code}",
)
USED_IN_OTHER_WAYS = Phrase(
    "used_in_other_ways",
    en="the function uses {name:code} in ways that cannot be moved to its callers: {code:code}",
    zh="函数对 {name:code} 的使用无法移到调用处：{code:code}",
)
SEVERAL_CLASSES_SET = Phrase(
    "several_classes_set",
    en="{count} classes of the program assign {path:code}; it is unclear which one is meant",
    zh="程序中有 {count} 个类设置 {path:code}：无法判断是哪一个",
)
NO_CLASS_SETS = Phrase(
    "no_class_sets",
    en="no class of the program assigns {path:code}",
    zh="程序中没有类设置 {path:code}",
)
NUMBER_AND_TENSOR = Phrase(
    "number_and_tensor",
    en="calls from one line pass {path:code} sometimes as a number and sometimes as a tensor",
    zh="同一行的调用传入的 {path:code} 有时是数，有时是张量",
)

# What there is to know about a cause.
OTHER_CODE = Phrase(
    "other_code",
    en="the function's code changed: PyTorch inlines the functions it calls",
    zh="函数的代码变了：PyTorch 会把它调用的函数一起编译进去",
)
NO_VIEW = Phrase(
    "no_view",
    en="sometimes a view: with dynamic=True a view is compiled together with its base tensor",
    zh="先是视图，后来不是：设置 dynamic=True 时，视图与它所指的张量一起编译",
)
SIZE_ONE = Phrase(
    "size_one",
    en="PyTorch compiles sizes 0 and 1 separately from all others",
    zh="PyTorch 对大小 0 和 1 单独编译",
)
OVER_A_BREAK = Phrase(
    "over_a_break", en="it crosses the graph break at {place:code}", zh="它跨过了 {place:code} 处的图中断"
)
INFERENCE_TENSOR = Phrase(
    "inference_tensor",
    en="under torch.inference_mode(), or a tensor created there",
    zh="在 torch.inference_mode() 中，或者是在其中创建的张量",
)
OF_ENCLOSING_FUNCTION = Phrase("of_enclosing_function", en="a variable of the enclosing function", zh="外层函数的变量")
PRINTS_ALIKE = Phrase("prints_alike", en="another object that prints the same", zh="另一个对象，打印出来一样")
THREADS_COMPILE_EACH = Phrase(
    "threads_compile_each",
    en="threads that call it at the same time each compile it; call the function once before they start",
    zh="同时请求的线程会各自编译；请在线程启动之前先调用一次",
)
OPEN_SIZE_FROM_HERE = Phrase(
    "open_size_from_here",
    en="dynamic from this compilation on (all sizes but 0 and 1)",
    zh="从这次编译起当作可变的（0 和 1 除外）",
)
OPEN_NUMBER_FROM_HERE = Phrase(
    "open_number_from_here", en="dynamic from this compilation on", zh="从这次编译起当作可变的"
)
LIMIT_REACHED = Phrase("limit_reached", en="{setting:code}", zh="达到上限 {setting:code}")
LEFT_ALONE = Phrase("left_alone", en="no longer compiled from this call on: {why}", zh="从这次调用起不再编译：{why}")
IN_A_PART = Phrase("in_a_part", en="the part of it after a graph break", zh="图中断之后的那一部分")
LAST_REASON = Phrase("last_reason", en="the last reason: {reason}", zh="最后的原因：{reason}")
