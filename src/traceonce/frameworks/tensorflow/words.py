"""What is said of `tf.function` alone: notes of its recipes, and why they decline."""

from __future__ import annotations

from traceonce.words.sentence import Phrase, Sentence

# Signatures, and arguments that become tensors.
BECOMES_TENSOR = Sentence(
    "becomes_tensor",
    en="{names:code} {names:becomes a tensor|become tensors}: during tracing, Python cannot index with, format "
    "or branch on {names:it|them}.",
    zh="{names:code} 变成张量，追踪时 Python 代码不能用它做下标、格式化或分支判断。",
)
INT32_LIMITS = Sentence(
    "int32_limits",
    en="As an int32, {names:code} cannot be combined with Python floats, and overflows beyond 2**31.",
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
    en="Sizes that the body reads from a shape are read at run time, in {functions:code} too.",
    zh="函数体从形状中读取的大小改为运行时读取，{functions:code} 中也是如此。",
)
RESULTS_BECOME_FLOAT64 = Sentence(
    "results_become_float64",
    en="float64 is the widest recorded dtype: results of a narrower dtype also become float64.",
    zh="float64 是出现过的最宽的 dtype：原来较窄的结果也会变成 float64。",
)
DIGITS_ARE_LOST = Sentence(
    "digits_are_lost",
    en="Digits that the dtype cannot represent are lost.",
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

CAPTURED_IS_PASSED = Sentence(
    "captured_is_passed",
    en="Values that the function read from the surrounding code are now passed on each call.",
    zh="函数原来从外层代码读取的内容改为每次调用时传入。",
)
NUMBER_IN_VARIABLE = Sentence(
    "number_in_variable",
    en="A value it reads from around the call is held in a float32 variable, assigned right before the call.",
    zh="它从调用周围读取的值保存在 float32 变量中，在调用前赋值。",
)
MODEL_TAKES_OVER = Sentence(
    "model_takes_over",
    en="One model takes over the variables of each model that is built: code that kept an earlier one now has "
    "the same model.",
    zh="同一个模型接管每个新建模型的变量：保存了较早模型的代码得到的是同一个模型。",
)
COMPILED_AS_BEFORE = Sentence(
    "compiled_as_before",
    en="The first optimizer stays, with the state and learning rate of each new one: set them on `model.optimizer`.",
    zh="第一个优化器会保留，并取得之后传入的每个优化器的状态和学习率：请在 `model.optimizer` 上设置它们。",
)
NOT_COMPILED_AGAIN = Phrase(
    "not_compiled_again",
    en="no `compile` of the same model was found that runs again in {file:code}",
    zh="在 {file:code} 中没有找到对同一模型反复执行的 `compile`",
)
MODEL_ESCAPES = Phrase(
    "model_escapes",
    en="{name:code} is stored or handed on in line {line}, so it must remain a separate model",
    zh="{name:code} 在第 {line} 行被保存或传出，因此必须是单独的模型",
)
OBJECT_IS_SHARED = Sentence(
    "object_is_shared",
    en="One object serves all calls with equal arguments, and stays in memory: its state is shared between calls.",
    zh="参数相等的所有调用共用一个对象，它会一直留在内存中：它在调用之间保存的内容也是共用的。",
)
CALLER_BECOMES_GRAPH = Sentence(
    "caller_becomes_graph",
    en="The Python code around the call runs only during tracing: outside values are frozen at that point.",
    zh="这次调用周围的 Python 代码只在追踪时运行：它从外部读取的内容保持当时的值。",
)
CALLER_IS_DECORATED = Phrase(
    "caller_is_decorated",
    en="{name:code}, which makes the call, already has decorators",
    zh="发起调用的 {name:code} 已经有装饰器",
)
CALLER_SUSPENDS = Phrase(
    "caller_suspends",
    en="{name:code}, which makes the call, cannot become a graph",
    zh="发起调用的 {name:code} 不能成为图",
)
NO_CALLER_TO_COMPILE = Phrase(
    "no_caller_to_compile",
    en="the call in {place:code} is not in a function that could be compiled: put it into one",
    zh="{place:code} 处的调用不在可以编译的函数里：请把它放进一个函数",
)

# Traces that fail.
VARIABLE_IS_KEPT = Sentence(
    "variable_is_kept",
    en="The variable is created once, and reset to its initial value at the start of each call.",
    zh="变量只创建一次，每次调用开始时取它创建时的值。",
)
RUNS_AS_PYTHON = Sentence(
    "runs_as_python",
    en="Without `tf.function` it runs as plain Python, as in an eager run: it has no graph.",
    zh="去掉 `tf.function` 后它作为普通 Python 运行，与即时执行时相同：没有图。",
)
AUTOGRAPH_IS_ON = Phrase("autograph_is_on", en="its AutoGraph is not disabled", zh="AutoGraph 没有关闭")
NO_VARIABLE_IN_IT = Phrase(
    "no_variable_in_it",
    en="{name:code} creates no `tf.Variable` that could be kept",
    zh="{name:code} 没有创建可保留的 `tf.Variable`",
)
NO_NUMPY_IN_IT = Phrase("no_numpy_in_it", en="{name:code} calls no NumPy functions", zh="{name:code} 没有调用 NumPy")
NUMPY_HAS_NO_TWIN = Phrase(
    "numpy_has_no_twin",
    en="no TensorFlow equivalent of {name:code} is known",
    zh="不知道 {name:code} 在 TensorFlow 中对应什么",
)
OPTIONS_SHARED_BY_WRAPPER = Phrase(
    "options_shared_by_wrapper",
    en="the code that wraps the function also wraps others",
    zh="包装这个函数的代码也包装其他函数",
)

# Advice.
MASK_NEEDED = Sentence(
    "mask_needed",
    en="A mean, a softmax or a loss would count the zeros that padding adds: pass the function a mask.",
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
    en="{traces} of {calls} calls were traced: graphs are hardly ever reused, and each costs {lost:duration} and "
    "memory.",
    zh="{calls} 次调用中有 {traces} 次引起追踪，图几乎没有被重复使用；每个图要花 {lost:duration}，并占用内存。",
)
EAGER_INSTEAD = Sentence(
    "eager_instead",
    en="Without `tf.function`, its Python code runs on every call and nothing is traced; the speed of that was "
    "not measured. Do this only if the cause cannot be removed.",
    zh="去掉 `tf.function` 后，每次调用都运行 Python 代码，不再追踪；速度没有测量。只在无法消除原因时才这样做。",
)
TRACES_PER_OBJECT = Sentence(
    "traces_per_object",
    en="Every object has its own traces. With one object, the calls share its state (counters, settings).",
    zh="每个对象都有自己的追踪结果。只用一个对象时，各次调用共享它保存的内容（计数器、状态）。",
)
OBJECTS_DIFFER = Sentence(
    "objects_differ",
    en="The objects differ in {names:code}: pass {names:it as an argument|them as arguments}.",
    zh="这些对象的 {names:code} 不同：请作为参数传入。",
)
FUNCTION_PER_VALUE = Sentence(
    "function_per_value",
    en="Each value of {path:code} needs its own graph; with one function per value, the other arguments can have "
    "a signature.",
    zh="{path:code} 的每个值都需要单独的图；每个值用一个函数，其余的参数就可以有签名。",
)
SWITCH_OVER_VALUES = Sentence(
    "switch_over_values",
    en="One graph holds the branches for all values of {path:code}, so each trace costs more. The branches must "
    "return tensors of the same dtype and structure; a value outside the list raises an error.",
    zh="{path:code} 的所有取值都在一个图里，每次追踪的代价更高。各分支必须返回 dtype 和结构相同的张量，"
    "列表之外的值会报错。",
)
FUNCTION_WITH_AND_WITHOUT = Sentence(
    "function_with_and_without",
    en="No signature accepts both None and a tensor for {path:code}, so each gets its own function.",
    zh="没有一种签名能让 {path:code} 既可以是 None 又可以是张量，所以两种情况各用一个函数。",
)
LIST_AND_TUPLE_DIFFER = Sentence(
    "list_and_tuple_differ",
    en="A list and a tuple are two structures; the first call passed a {type:code}.",
    zh="列表和元组是两种结构；第一次调用传入的是 {type:code}。",
)
KEYS_MISSING = Sentence(
    "keys_missing",
    en="{names:code} {names:is|are} missing in some calls; the placeholder must be neutral to the function.",
    zh="有些调用缺少 {names:code}；用来代替的值不能影响函数的结果。",
)
LENGTH_IS_A_TENSOR = Sentence(
    "length_is_a_tensor",
    en="The function gets a tensor instead of a list: a loop still works, but `len({path})` becomes "
    "`tf.shape({path})[0]`.",
    zh="函数得到的是张量而不是列表：循环不受影响，但 `len({path})` 要改成 `tf.shape({path})[0]`。",
)

# Why a repair cannot be written here.
ENTRY_OF_CONTAINER = Phrase(
    "entry_of_container",
    en="{path:code} is an entry of a container: store a `tf.Variable` there, and assign to that",
    zh="{path:code} 是容器中的一项：请在那里保存一个 `tf.Variable`，并对它赋值",
)
FIRST_SETTING_UNCLEAR = Phrase(
    "first_setting_unclear",
    en="it is unclear where {path:code} is first set ({count} places)",
    zh="无法确定 {path:code} 最先在哪里赋值（{count} 处）",
)
SETTING_NOT_FOUND = Phrase(
    "setting_not_found", en="no assignment of {name:code} was found", zh="没有找到给 {name:code} 赋值的位置"
)
SET_TOGETHER = Phrase(
    "set_together",
    en="{name:code} is assigned together with other names (line {line})",
    zh="{name:code} 与别的名字一起赋值（第 {line} 行）",
)
BOUND_OTHERWISE = Phrase(
    "bound_otherwise",
    en="{name:code} is assigned in another way than `{name} = …` (line {line})",
    zh="{name:code} 不是用 `{name} = …` 赋值的（第 {line} 行）",
)
SEVERAL_CLASSES_HAVE_IT = Phrase(
    "several_classes_have_it",
    en="several classes have an attribute {name:code} ({classes}), and cannot be told apart",
    zh="几个类都有属性 {name:code}（{classes}），无法区分",
)
NO_CLASS_SETS_IT = Phrase(
    "no_class_sets_it",
    en="no class of the project sets {path:code}: set it in __init__",
    zh="项目中没有类设置 {path:code}：请在 __init__ 中设置",
)
DECLARED_AGAIN = Phrase(
    "declared_again",
    en="{name:code} is declared again in line {line}",
    zh="{name:code} 在第 {line} 行又声明了一次",
)
NO_OPEN_SIZE_READ = Phrase(
    "no_open_size_read",
    en="the body reads no size that the signature leaves open",
    zh="函数体没有读取签名中可变的大小",
)
NO_OTHER_SIZE_READ = Phrase(
    "no_other_size_read",
    en="the body reads no other size, and combines none with a float",
    zh="函数体没有读取别的大小，也没有大小在别处与浮点数一起运算",
)
CALLEES_READ_NO_OPEN_SIZE = Phrase(
    "callees_read_no_open_size",
    en="the functions that it calls read no size that may vary",
    zh="它调用的函数没有读取可变的大小",
)
NO_CALL_GIVES_ANOTHER_DTYPE = Phrase(
    "no_call_gives_another_dtype",
    en="no call was found that passes another dtype for {path:code}",
    zh="没有找到给 {path:code} 传入另一种 dtype 的调用",
)
SIGNATURE_THERE_ALREADY = Phrase(
    "signature_there_already", en="it already has an input_signature", zh="它已经有 input_signature"
)
CLASSES_UNKNOWN_THERE = Phrase(
    "classes_unknown_there",
    en="{file:code} has no class called {names:code}",
    zh="{file:code} 中没有名为 {names:code} 的类",
)
RELAXING_FAILS = Phrase(
    "relaxing_fails",
    en="the number of *args or **kwargs varies, and TensorFlow's shape relaxation then raises an IndexError",
    zh="*args 或 **kwargs 的个数变化，这时 TensorFlow 放宽形状会报 IndexError",
)
MADE_BY_SOMETHING = Phrase(
    "made_by_something",
    en="{name:code} is created by {code:code}, which may return something else each time",
    zh="{name:code} 由 {code:code} 创建，每次可能不同",
)
PASSED_MAY_DIFFER = Phrase(
    "passed_may_differ",
    en="{code:code}, passed as {path:code}, may differ each time",
    zh="作为 {path:code} 传入的 {code:code} 每次可能不同",
)
NOT_BOUND = Phrase("not_bound", en="{file:code} does not assign {name:code}", zh="{file:code} 没有给 {name:code} 赋值")
BOUND_AT_PLACES = Phrase(
    "bound_at_places",
    en="{file:code} assigns {name:code} in {count} places",
    zh="{file:code} 有 {count} 处给 {name:code} 赋值",
)
COMES_IN_AS_PARAMETER = Phrase(
    "comes_in_as_parameter",
    en="it arrives as the parameter {name:code}: keep the object that is passed there",
    zh="它作为参数 {name:code} 传入：请保存传入的对象",
)
MAY_DIFFER = Phrase("may_differ", en="{name:code} may differ each time", zh="{name:code} 每次可能不同")
PASSED_AT_SEVERAL_PLACES = Phrase(
    "passed_at_several_places",
    en="{code:code} is passed in several places: give it a name once, and pass that",
    zh="{code:code} 在几处传入：请只写一次并起一个名字，传入这个名字",
)
ONE_PLACE_ALREADY = Phrase(
    "one_place_already",
    en="the value passed as {path:code} is already in one place",
    zh="作为 {path:code} 传入的内容已经只在一处",
)
TRACE_TYPE_BY_HAND = Phrase(
    "trace_type_by_hand",
    en="the class {name:code} has __slots__: write its trace type by hand",
    zh="类 {name:code} 有 __slots__：请根据它们自己写追踪类型",
)
HELPER_NAME_TAKEN = Phrase(
    "helper_name_taken",
    en="the name {name:code} means something else in {file:code}",
    zh="名字 {name:code} 在 {file:code} 中有别的含义",
)
TRACE_TYPE_THERE_ALREADY = Phrase(
    "trace_type_there_already",
    en="the class {name:code} already has a trace type",
    zh="类 {name:code} 已经有追踪类型",
)

# Why no one signature admits the calls; stands after the first.
NO_ONE_SIGNATURE = Phrase("no_one_signature", en="no single signature accepts all calls", zh="没有一种签名适合所有调用")
NO_CALL_SEEN = Phrase("no_call_seen", en="no call was recorded", zh="没有看到调用")
CAPTURES_BY_REFERENCE = Phrase(
    "captures_by_reference", en="the function captures a value by reference", zh="函数按引用捕获了一个值"
)
NOT_IN_A_SIGNATURE = Phrase(
    "not_in_a_signature",
    en="{path:code} is a {type:code}, for which no signature can be written",
    zh="{path:code} 是 {type:code}，无法写成签名",
)
KEYWORD_ONLY = Phrase(
    "keyword_only",
    en="{name:code} is a keyword-only parameter, which a signature cannot name",
    zh="{name:code} 只能用关键字传入，签名中无法写出",
)
ANY_KEYWORDS = Phrase(
    "any_keywords",
    en="{name:code} takes any keyword arguments, which a signature cannot name",
    zh="{name:code} 接受任意关键字参数，签名中无法写出",
)
KEYS_DIFFER = Phrase("keys_differ", en="{path:code} has different keys", zh="{path:code} 的键不同")
LENGTHS_DIFFER = Phrase(
    "lengths_differ",
    en="{path:code} has different lengths",
    zh="{path:code} 的长度不同",
)
CONTAINERS_DIFFER = Phrase(
    "containers_differ", en="{path:code} has different container types", zh="{path:code} 的容器类型不同"
)
STRUCTURE_DIFFERS = Phrase("structure_differs", en="the structure of the arguments differs", zh="参数的结构不同")
KINDS_DIFFER = Phrase("kinds_differ", en="{path:code} is {kinds:or}", zh="{path:code} 是 {kinds:or}")
DTYPES_DIFFER = Phrase(
    "dtypes_differ",
    en="{path:code} has the dtypes {dtypes}",
    zh="{path:code} 的 dtype 有 {dtypes}",
)
NAMES_DIFFER = Phrase(
    "names_differ",
    en="{path:code} has the names {names}",
    zh="{path:code} 的名字有 {names}",
)
TOO_LARGE_AN_INTEGER = Phrase(
    "too_large_an_integer",
    en="{path:code} is too large for any integer dtype",
    zh="{path:code} 太大，任何整数 dtype 都放不下",
)
STAYS_STATIC = Phrase(
    "stays_static",
    en="{path:code} is {what}, which a signature cannot hold, so it stays static",
    zh="{path:code} 是 {what}，签名容纳不下，所以仍是静态的",
)
PYTHON_STAYS_STATIC = Phrase(
    "python_stays_static",
    en="{path:code} is a Python {types}, which a signature cannot hold, so it stays static",
    zh="{path:code} 是 Python 的 {types}，签名容纳不下，所以仍是静态的",
)
