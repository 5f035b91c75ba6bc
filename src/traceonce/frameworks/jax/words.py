"""What is said of `jax.jit` alone: notes of its recipes, and why they decline."""

from __future__ import annotations

from traceonce.words.sentence import Phrase, Sentence

VALUE_NOT_IN_PYTHON = Sentence(
    "value_not_in_python",
    en="Python code in the body can no longer use the {names:value|values} of {names:code} (in an `if`, a `range` or a "
    "shape).",
    zh="函数体中的 Python 代码不能再使用 {names:code} 的值（例如在 `if`、`range` 或形状中）。",
)
NEW_VALUE_COMPILES = Sentence(
    "new_value_compiles",
    en="Every new value of {names:code} costs a trace and a compilation.",
    zh="{names:code} 每有一个新值，就要追踪和编译一次。",
)
BECOMES_STATIC = Sentence(
    "becomes_static",
    en="{names:code} {names:becomes a static argument|become static arguments}: each new value costs a trace, and must "
    "be hashable.",
    zh="{names:code} 变成静态参数：每个新值都要追踪一次，而且必须可哈希。",
)
KEEP_STATIC_OBJECT_UNCHANGED = Sentence(
    "keep_static_object_unchanged",
    en="Do not change an object after you have passed it: JAX has compiled in its contents.",
    zh="对象传入之后不要再修改：JAX 已经把它当时的内容编译进去了。",
)
NEVER_WEAK = Sentence(
    "never_weak",
    en="{path:code} is always {dtype:code}, and never weakly typed.",
    zh="{path:code} 始终是 {dtype:code}，不会是弱类型。",
)
COMPILES_PER_SHARDING = Sentence(
    "compiles_per_sharding",
    en="JAX recompiles for each sharding of {names:code}, without a trace: choose the sharding that the program needs.",
    zh="{names:code} 每换一种分片方式，JAX 就要重新编译（不追踪）：请选定程序需要的那一种。",
)
COMPILES_PER_SIZE = Sentence(
    "compiles_per_size",
    en="JAX compiles for every size: padding leaves {left} {left:compilation|compilations} instead of {before}.",
    zh="JAX 对每种大小都要编译：填充后只编译 {left} 次，而不是 {before} 次。",
)
MASK_AXIS = Sentence(
    "mask_axis",
    en="Sums, means, maxima and softmaxes over axis {axis} of {path:code}, and of what is computed from it, need "
    "`where={mask}`.",
    zh="对 {path:code} 以及由它算出的数组，沿轴 {axis} 求和、均值、最大值或 softmax 时要加上 `where={mask}`。",
)
PASS_AN_ARRAY = Sentence(
    "pass_an_array",
    en="A value that is not an array is compiled in: pass `jnp.asarray({path})`, unless a shape, an `if` or a "
    "`range` needs the value.",
    zh="不是数组的参数会按值编译进去：请传入 `jnp.asarray({path})`，除非形状、`if` 或 `range` 需要这个值。",
)
STATIC_COMPILED_IN = Sentence(
    "static_compiled_in",
    en="A static argument is compiled in by value, so each new value of {path:code} recompiles.",
    zh="静态参数按值编译进去，{path:code} 每有一个新值都要重新编译。",
)

BOTH_BRANCHES_TRACED = Sentence(
    "both_branches_traced",
    en="Both branches, or the loop body, are traced and must return the same shapes and dtypes. A loop of "
    "unknown length has no reverse-mode gradient.",
    zh="两个分支以及循环体都会被追踪：形状和 dtype 必须一致；长度未知的循环不支持反向模式求导。",
)

OBJECT_IS_A_PYTREE = Sentence(
    "object_is_a_pytree",
    en="The arrays and floats of a {type:code} object become traced arguments; its other attributes are "
    "compared, and must be hashable.",
    zh="{type:code} 对象中的数组和浮点数成为追踪的参数；其余内容用于比较，必须可哈希。",
)

MADE_ONCE_KEEPS_STATE = Sentence(
    "made_once_keeps_state",
    en="All calls share one object: state that it keeps from one call is there in the next.",
    zh="所有调用共用同一个对象：它在一次调用中记住的内容，下一次调用时仍在。",
)

CALLER_RUNS_ONCE = Sentence(
    "caller_runs_once",
    en="The Python code of the function around the loop runs only during tracing, and no longer on every call.",
    zh="循环所在函数的 Python 代码只在追踪时运行，不再每次调用都运行。",
)

STATIC_IS_A_TUPLE = Sentence(
    "static_is_a_tuple",
    en="{names:code} {names:is|are} passed as a tuple: each new one costs a trace.",
    zh="{names:code} 以元组传入：每个新值都要追踪一次。",
)
STATIC_BECOMES_ARRAY = Sentence(
    "static_becomes_array",
    en="{names:code} {names:becomes a regular argument|become regular arguments}, without a value during tracing.",
    zh="{names:code} 成为普通参数：追踪时不知道它们的值。",
)

ONE_ARRAY_FOR_A_LIST = Sentence(
    "one_array_for_a_list",
    en="{path:code} becomes one array, padded to the next power of two: whatever is computed from it needs "
    "`where=mask`.",
    zh="{path:code} 变成一个填充到 2 的幂的数组：由它计算的结果需要加上 `where=mask`。",
)
KEYS_FOR_ALL_CALLS = Sentence(
    "keys_for_all_calls",
    en="Every call passes {names:code}: choose a neutral value, such as ones for a weight.",
    zh="每次调用都要给出 {names:code}：请选择不影响结果的值，例如权重取 1。",
)

# Why a repair cannot be written here.
CALLER_HAS_EFFECTS = Phrase(
    "caller_has_effects",
    en="{name:code} prints, or changes outside state: jitted, it would do so only once",
    zh="{name:code} 会打印或修改外部状态：使用 jit 后只会发生一次",
)
CALLER_NOT_FOUND = Phrase(
    "caller_not_found",
    en="no plain function around {place:code} could be jitted",
    zh="{place:code} 外面没有可以使用 jit 的普通函数",
)
OBJECT_IS_CHANGED = Phrase(
    "object_is_changed",
    en="{name:code} sets attributes of its object during tracing: return the new values, and set them outside",
    zh="{name:code} 在追踪时修改对象的属性：请返回新值，在外面赋值",
)
NOT_A_METHOD_JITTED = Phrase(
    "not_a_method_jitted",
    en="it does not come from jitting the method {name:code} alone",
    zh="它不是单独对方法 {name:code} 使用 jit 得到的",
)
NO_CONTROL_FLOW = Phrase(
    "no_control_flow",
    en="no `if`, `while` or `range` of the function itself depends on an argument",
    zh="它自己没有依赖参数的 `if`、`while` 或 `range`",
)
CONTROL_FLOW_BY_HAND = Phrase(
    "control_flow_by_hand",
    en="the code in line {line} that depends on an argument does more than assign names: rewrite it with "
    "`jax.lax.cond`, `jax.lax.fori_loop` or `jax.lax.while_loop` by hand",
    zh="第 {line} 行中依赖参数的部分不只是给变量赋新值：请自己改写成 `jax.lax.cond`、`jax.lax.fori_loop` 或 "
    "`jax.lax.while_loop`",
)
PARAMETERS_UNKNOWN = Phrase("parameters_unknown", en="its parameters are unknown", zh="不知道它的参数")
STATIC_NOT_FOUND = Phrase(
    "static_not_found",
    en="no place was found that makes {names:code} static",
    zh="没有找到把 {names:code} 设为静态参数的位置",
)
STATIC_OPTIONS_SHARED = Phrase(
    "static_options_shared",
    en="its {option:code} are set at {place:code}, perhaps for other functions too",
    zh="它的 {option:code} 写在 {place:code}，可能也用于别的函数",
)
STATIC_OPTIONS_ELSEWHERE = Phrase(
    "static_options_elsewhere", en="its {option:code} are set elsewhere", zh="它的 {option:code} 写在别处"
)
STATIC_OPTIONS_NOT_WRITTEN_OUT = Phrase(
    "static_options_not_written_out",
    en="its {option:code} are not written out where it is jitted",
    zh="使用 jit 的位置没有直接写出它的 {option:code}",
)
ARRAY_CANNOT_BE_STATIC = Phrase(
    "array_cannot_be_static",
    en="the trace needs the value of {names:code}, an array, which cannot be static: use `jnp.where`, "
    "`jax.lax.cond`, or a size that does not depend on values",
    zh="追踪需要 {names:code} 的值，而它是数组，不能作为静态参数：请使用 `jnp.where`、`jax.lax.cond`，"
    "或者不依赖数值的大小",
)
CLASS_IS_DERIVED = Phrase(
    "class_is_derived",
    en="the class {name:code} inherits from another class, whose objects may be compared differently",
    zh="类 {name:code} 继承自另一个类，那个类的对象可能以别的方式比较",
)
DATACLASS_HAS_OPTIONS = Phrase(
    "dataclass_has_options",
    en="its dataclass options were set deliberately: add frozen=True and eq=True by hand",
    zh="它的 dataclass 选项已经特意设置过：请自己加上 frozen=True 和 eq=True",
)
EQUALITY_BY_HAND = Phrase(
    "equality_by_hand",
    en="the class {name:code} has __slots__: write __eq__ and __hash__ by hand",
    zh="类 {name:code} 有 __slots__：请根据它们自己写 __eq__ 和 __hash__",
)
HAS_ITS_OWN = Phrase(
    "has_its_own",
    en="the class {name:code} defines its own {method:code}",
    zh="类 {name:code} 自己定义了 {method:code}",
)
NO_CALL_GIVES_ANOTHER_TYPE = Phrase(
    "no_call_gives_another_type",
    en="no call was found that passes another type for {path:code}",
    zh="没有找到给 {path:code} 传入另一种类型的调用",
)
