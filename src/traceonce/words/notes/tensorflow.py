"""What the recipes for `tf.function` say."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

# Signatures, and arguments that become tensors.
BECOMES_TENSOR = Sentence(
    "becomes_tensor",
    en="{names:code} {names:becomes a tensor|become tensors}, which Python cannot index with, format or branch on "
    "while tracing.",
    zh="{names:code} 变成张量，追踪时 Python 代码不能用它做下标、格式化或分支判断。",
)
INT32_LIMITS = Sentence(
    "int32_limits",
    en="As an int32, {names:code} cannot be combined with Python floats, and wraps beyond 2**31.",
    zh="作为 int32，{names:code} 不能与 Python 浮点数一起运算，超过 2**31 会溢出。",
)
LIST_BECOMES_TENSOR = Sentence(
    "list_becomes_tensor",
    en="{names:code} {names:is|are} passed as one tensor instead of a list.",
    zh="{names:code} 作为一个张量传入，不再是列表。",
)
SIZES_READ_AT_RUN_TIME = Sentence(
    "sizes_read_at_run_time",
    en="Sizes that the body reads from a shape are read at run time.",
    zh="函数体从形状中读取的大小改为运行时读取。",
)
SIZES_READ_AT_RUN_TIME_ALSO_IN = Sentence(
    "sizes_read_at_run_time_also_in",
    en="Sizes that the body reads from a shape are read at run time, also in {functions:code}.",
    zh="函数体从形状中读取的大小改为运行时读取，{functions:code} 中也是如此。",
)
RESULTS_BECOME_FLOAT64 = Sentence(
    "results_become_float64",
    en="float64 is the widest dtype seen: results of a narrower dtype become float64, too.",
    zh="float64 是出现过的最宽的 dtype：原来较窄的结果也会变成 float64。",
)
DIGITS_ARE_LOST = Sentence(
    "digits_are_lost",
    en="Digits that the dtype cannot hold are lost.",
    zh="这种 dtype 容纳不下的位数会丢失。",
)

# State.
NEW_PYTHON_VALUE_TRACES = Sentence(
    "new_python_value_traces",
    en="A Python value costs a trace for each new value.",
    zh="如果传入 Python 值，每个新值都要追踪一次。",
)
VARIABLE_EVERYWHERE = Sentence(
    "variable_everywhere",
    en="{names:code} {names:is a variable|are variables} everywhere: Python code that formats {names:it|them} or tests "
    "{names:its type|their types} sees {names:a variable|variables}.",
    zh="{names:code} 在各处都变成变量：格式化它或检查其类型的 Python 代码会受影响。",
)

# Advice.
MASK_NEEDED = Sentence(
    "mask_needed",
    en="A mean, a softmax or a loss would count the zeros that padding adds: give the function a mask.",
    zh="均值、softmax 或损失会把填充的零也算进去：请给函数加上掩码。",
)
XLA_COMPILES_PER_SHAPE = Sentence(
    "xla_compiles_per_shape",
    en="XLA compiles for every shape, whatever the signature: padding leaves {left} "
    "{left:compilation|compilations} instead of {before}.",
    zh="无论签名如何，XLA 对每种形状都要编译：填充后只编译 {left} 次，而不是 {before} 次。",
)
GRAPHS_HARDLY_REUSED = Sentence(
    "graphs_hardly_reused",
    en="{traces} of {calls} calls were traced, so that its graphs are hardly ever reused; each costs {lost:duration} "
    "and memory.",
    zh="{calls} 次调用中有 {traces} 次引起追踪，图几乎没有被重复使用；每个图要花 {lost:duration}，并占用内存。",
)
EAGER_INSTEAD = Sentence(
    "eager_instead",
    en="Without `tf.function`, its Python runs in every call and nothing is traced; how fast that is was not measured. "
    "Do this only if the cause cannot be removed.",
    zh="去掉 `tf.function` 后，每次调用都运行 Python 代码，不再追踪；速度没有测量。只在无法消除原因时才这样做。",
)
TRACES_PER_OBJECT = Sentence(
    "traces_per_object",
    en="Every object has traces of its own. With one object, the calls share what it keeps (counters, state).",
    zh="每个对象都有自己的追踪结果。只用一个对象时，各次调用共享它保存的内容（计数器、状态）。",
)
OBJECTS_DIFFER = Sentence(
    "objects_differ",
    en="The objects differ in {names:code}: pass {names:it as an argument|them as arguments}.",
    zh="这些对象的 {names:code} 不同：请作为参数传入。",
)
FUNCTION_PER_VALUE = Sentence(
    "function_per_value",
    en="Each value of {path:code} needs a graph of its own; with one function for each value, the other arguments can "
    "have a signature.",
    zh="{path:code} 的每个值都需要单独的图；每个值用一个函数，其余的参数就可以有签名。",
)
SWITCH_OVER_VALUES = Sentence(
    "switch_over_values",
    en="One graph holds the branches for all values of {path:code}, so that each trace costs more. The branches must "
    "return tensors of the same dtype and structure, and a value outside the list raises an error.",
    zh="{path:code} 的所有取值都在一个图里，每次追踪的代价更高。各分支必须返回 dtype 和结构相同的张量，"
    "列表之外的值会报错。",
)
FUNCTION_WITH_AND_WITHOUT = Sentence(
    "function_with_and_without",
    en="No signature admits both None and a tensor for {path:code}, so that each gets a function of its own.",
    zh="没有一种签名能让 {path:code} 既可以是 None 又可以是张量，所以两种情况各用一个函数。",
)
LIST_AND_TUPLE_DIFFER = Sentence(
    "list_and_tuple_differ",
    en="A list and a tuple are two structures; the first call passed a {type:code}.",
    zh="列表和元组是两种结构；第一次调用传入的是 {type:code}。",
)
KEYS_MISSING = Sentence(
    "keys_missing",
    en="{names:code} {names:is|are} missing in some calls; what stands in for {names:it|them} must mean nothing to the "
    "function.",
    zh="有些调用缺少 {names:code}；用来代替的值不能影响函数的结果。",
)
LENGTH_IS_A_TENSOR = Sentence(
    "length_is_a_tensor",
    en="The function gets a tensor instead of a list: a loop still works, but `len({path})` becomes "
    "`tf.shape({path})[0]`.",
    zh="函数得到的是张量而不是列表：循环不受影响，但 `len({path})` 要改成 `tf.shape({path})[0]`。",
)
