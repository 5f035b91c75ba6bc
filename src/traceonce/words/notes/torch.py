"""What the recipes for `torch.compile` say."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

SETTING_FOR_ALL_MODULES = Sentence(
    "setting_for_all_modules",
    en="The setting applies to all modules: PyTorch leaves an integer attribute open once it has changed.",
    zh="这个设置对所有模块都有效：整数属性变过一次之后，PyTorch 就把它当作可变的。",
)
SETTING_FOR_ALL_FUNCTIONS = Sentence(
    "setting_for_all_functions",
    en="The setting applies to all compiled functions: PyTorch leaves the same name open in each of them.",
    zh="这个设置对所有编译的函数都有效：其他函数中同名的值也会当作可变的。",
)
WRITES_GO_TO_COPY = Sentence(
    "writes_go_to_copy",
    en="If the function writes into {names:code}, it writes into a copy.",
    zh="如果函数写入 {names:code}，写入的是副本。",
)
ALL_SIZES_OPEN = Sentence(
    "all_sizes_open",
    en="Every dimension and every number is left open: code that is compiled for all sizes may be slower.",
    zh="所有维度和数都当作可变的：为任意大小编译的代码可能更慢。",
)
SECOND_SIZE_COMPILES = Sentence(
    "second_size_compiles",
    en="The second size or number compiles once more; that code then serves all others.",
    zh="第二种大小或数会再编译一次，此后的都用这一次的结果。",
)
FIXED_SIZE_RAISES = Sentence(
    "fixed_size_raises",
    en="A body that needs one particular size raises a `ConstraintViolationError`.",
    zh="如果函数体要求某个固定的大小，会报 `ConstraintViolationError`。",
)
COUNTER_IS_A_TENSOR = Sentence(
    "counter_is_a_tensor",
    en="{path:code} becomes a tensor: Python code that branches on it, prints it or sets it from outside sees a "
    "tensor.",
    zh="{path:code} 变成张量：用它做分支判断、打印它或从外部给它赋值的 Python 代码会受影响。",
)
BRANCH_BREAKS_GRAPH = Sentence(
    "branch_breaks_graph",
    en="In the body {names:code} {names:is a tensor|are tensors}: a branch or a loop over {names:it|them} breaks the "
    "graph.",
    zh="在函数体中 {names:code} 是张量：用它做分支判断或循环会引起图中断。",
)
CUT_INTO_GRAPHS = Sentence(
    "cut_into_graphs",
    en="Graph breaks cut the function into several graphs, each compiled by itself: {breaks:texts}.",
    zh="图中断把函数分成了几个图，各自编译：{breaks:texts}。",
)
MOVE_BREAKS_OUT = Sentence(
    "move_breaks_out",
    en="Move what breaks the graph out of the function; `fullgraph=True` turns each break into an error that names its "
    "place.",
    zh="把引起图中断的代码移到函数外；`fullgraph=True` 会让每处中断都报错并指出位置。",
)
COMPILES_PER_LENGTH = Sentence(
    "compiles_per_length",
    en="A list is compiled for each length ({lengths}), even with `dynamic=True`, since {path:code} is unrolled into "
    "the graph: pass one tensor, or always the same length.",
    zh="即使设置 `dynamic=True`，列表的每种长度（{lengths}）也要编译一次，因为 {path:code} 会在图中展开："
    "请传入一个张量，或者保持同样的长度。",
)
SIZES_0_AND_1_APART = Sentence(
    "sizes_0_and_1_apart",
    en="PyTorch compiles sizes 0 and 1 separately, dynamic or not. Pad to size 2, or leave the dimension open with "
    "`mark_unbacked`, which fails where the body needs the size.",
    zh="无论是否动态，PyTorch 都会单独编译大小 0 和 1。请填充到 2，或者用 `mark_unbacked` 让这一维可变；"
    "如果函数体需要知道大小，后者会报错。",
)
TEXT_COMPILED_IN = Sentence(
    "text_compiled_in",
    en="Each value of {path:code} is compiled separately. Do not pass a text that is only printed or logged. If it "
    "selects one of a few modes, set the limit to their number; otherwise a higher limit only delays the fallback.",
    zh="{path:code} 的每个值都要单独编译。只用于打印或日志的文本不要传入。如果它用来选择少数几种模式，"
    "把上限设为模式的个数；否则提高上限只会推迟退回。",
)
