"""What recipes say that serve several frameworks."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

# Made once: hoist, static_equality, tracing_type.
KEPT_BY_OBJECT = Sentence(
    "kept_by_object",
    en="The object keeps the first function it creates: turn an attribute that the function reads and that "
    "changes later into a variable or an argument.",
    zh="对象会一直保留最先创建的那个函数：如果函数读取的属性以后会变，请把它改成变量或参数。",
)
CACHED_BY_ARGUMENTS = Sentence(
    "cached_by_arguments",
    en="The cache keeps every function it has created, together with the arguments; the arguments must be hashable.",
    zh="缓存会保留创建过的每个函数以及所用的参数；参数必须可哈希。",
)
READS_ANOTHER = Sentence(
    "reads_another",
    en="Each new function reads another {names:code}: create the function once, and pass {names:it|them} as "
    "{names:an argument|arguments}.",
    zh="每次新建的函数读到的 {names:code} 都不同：函数只创建一次，把不同的值作为参数传入。",
)
HOLDS_MORE_THAN_VALUES = Sentence(
    "holds_more_than_values",
    en="The {type:code} object passed as {path:code} holds more than plain values (tensors, arrays, lists, other "
    "objects): create it once, and pass the same object on every call.",
    zh="作为 {path:code} 传入的 {type:code} 对象不只包含简单的值（还有张量、数组、列表或其他对象）："
    "只创建一次，每次调用都传入同一个对象。",
)

# State, passed as an argument.
CURRENT_VALUE_PASSED = Sentence(
    "current_value_passed",
    en="Every call passes the current value.",
    zh="每次调用都传入当前的值。",
)

# A dtype for all calls.
ALWAYS_DTYPE = Sentence(
    "always_dtype",
    en="{path:code} is always {dtype:code}.",
    zh="{path:code} 始终是 {dtype:code}。",
)

# Leave it.
CAN_BE_IGNORED = Sentence(
    "can_be_ignored",
    en="You can ignore this: the function was traced {traces} {traces:time|times}.",
    zh="可以忽略：这个函数被追踪了 {traces} 次。",
)
CAN_BE_IGNORED_IN_CALLS = Sentence(
    "can_be_ignored_in_calls",
    en="You can ignore this: the function was traced {traces} {traces:time|times} in {calls} {calls:call|calls}.",
    zh="可以忽略：这个函数在 {calls} 次调用中被追踪了 {traces} 次。",
)
RETRACES_COST = Sentence(
    "retraces_cost",
    en="Its retraces cost {lost:duration}.",
    zh="重新追踪耗时 {lost:duration}。",
)

# Padding, and batches that are left out.
PADDED_SIZES = Sentence(
    "padded_sizes",
    en="{place:code} would be {padded} instead of {seen}.",
    zh="{place:code} 将是 {padded}，而不是 {seen}。",
)
ZEROS_ARE_COUNTED = Sentence(
    "zeros_are_counted",
    en="A mean, a softmax or a loss would count the zeros that padding adds.",
    zh="均值、softmax 或损失会把填充的零也算进去。",
)
CHANGED_AT_EACH_CALL = Sentence(
    "changed_at_each_call",
    en="{names:code} {names:is|are} changed next to each call: calls added later need the same.",
    zh="{names:code} 在每次调用旁修改：以后新增的调用也需要这样做。",
)
MISSING_IS_FILLED = Sentence(
    "missing_is_filled",
    en="The placeholder for {names:code} is neutral in the calls of this run; a test whether "
    "{names:it is|they are} present is now always true.",
    zh="在这次运行的调用中，用来填补 {names:code} 的值不影响结果；检查它是否存在的判断现在总为真。",
)
ROWS_BY_THEMSELVES = Sentence(
    "rows_by_themselves",
    en="Each row must be computed by itself: a sum or a mean over the rows would count the last row more than once. "
    "Every result whose first dimension equals the padded size is cut, even if it does not hold a row per input.",
    zh="每一行必须单独计算：对各行求和或求均值会重复计入最后一行。凡是第一维等于填充后大小的结果都会被截短，即使它并非按输入的行排列。",
)
LAST_EXAMPLES_DROPPED = Sentence(
    "last_examples_dropped",
    en="Every pass over the data drops the last {count} {count:example|examples}.",
    zh="每轮数据都会丢掉最后 {count} 个样本。",
)
SMALL_BATCHES_DROPPED = Sentence(
    "small_batches_dropped",
    en="If these are batches, those with fewer than {whole} examples ({sizes}) are dropped.",
    zh="如果这些是批次，样本数少于 {whole} 的批次（{sizes}）会被丢掉。",
)

# A cause inside a library.
CAUSE_IN_LIBRARY = Sentence(
    "cause_in_library",
    en="The cause is in {library:code}, and traceonce does not change the files of a library: send this report to its "
    "maintainers.",
    zh="原因在 {library:code} 中，traceonce 不修改库的文件：请把这份报告发给它的维护者。",
)
DATASET_TRACES_ANEW = Sentence(
    "dataset_traces_anew",
    en="Every dataset retraces its functions. If it shuffles or draws random numbers, make sure that it does so "
    "on each pass.",
    zh="每个 dataset 都会重新追踪自己的函数。如果其中有打乱或随机操作，请确保每一轮都重新进行。",
)
MODEL_TRACES_ANEW = Sentence(
    "model_traces_anew",
    en="Every model retraces its steps: keep one model, and restore its variables and those of its optimizer.",
    zh="每个模型都会重新追踪自己的步骤：只保留一个模型，需要从头开始时恢复它和优化器的变量。",
)
LIBRARY_TRACES_PER_OBJECT = Sentence(
    "library_traces_per_object",
    en="{library:code} retraces for each object. With one object, the calls share its state.",
    zh="{library:code} 对每个对象都会重新追踪。只用一个对象时，各次调用共享它保存的内容。",
)
LIBRARY_OBJECTS_DIFFER = Sentence(
    "library_objects_differ",
    en="The objects differ in {names:code}: set {names:it|them} between the calls, if the library allows it.",
    zh="这些对象的 {names:code} 不同：如果库允许，请在两次调用之间设置。",
)
LIBRARY_KEYS_ON_OBJECT = Sentence(
    "library_keys_on_object",
    en="{library:code} looks up traces by the object itself: pass the same object on every call.",
    zh="{library:code} 按对象本身查找追踪结果：每次调用都传入同一个对象。",
)
TENSOR_MAY_BE_REFUSED = Sentence(
    "tensor_may_be_refused",
    en="It is unknown whether {library:code} accepts a tensor here; {path:code} is the library's name for the "
    "argument.",
    zh="不清楚 {library:code} 在这里是否接受张量；{path:code} 是库里对这个参数的叫法。",
)
