"""Why a repair cannot be written here: what stands after the name of its recipe, so that these are no sentences.

What recipes of one framework alone decline for is in that framework's home.
"""

from __future__ import annotations

from traceonce.words.sentence import Phrase

FAILED_TO_WRITE = Phrase(
    "failed_to_write",
    en="could not be written, since traceonce itself failed: {error:code}",
    zh="无法写出修改，因为 traceonce 自身出错：{error:code}",
)

# Files.
OUTSIDE_OF_PROJECT = Phrase("outside_of_project", en="{file:code} is outside the project", zh="{file:code} 不在项目中")
CANNOT_BE_PARSED = Phrase("cannot_be_parsed", en="{file:code} cannot be parsed", zh="{file:code} 无法解析")
CANNOT_BE_PARSED_AT = Phrase(
    "cannot_be_parsed_at", en="{file:code} cannot be parsed (line {line})", zh="{file:code} 无法解析（第 {line} 行）"
)
CANNOT_BE_WRITTEN_BACK = Phrase(
    "cannot_be_written_back", en="{file:code} cannot be written back unchanged", zh="{file:code} 无法原样写回"
)
ENCODING_CANNOT_HOLD = Phrase(
    "encoding_cannot_hold",
    en="{file:code} is encoded as {encoding}, which cannot represent the change",
    zh="{file:code} 使用 {encoding} 编码，无法写入这处修改",
)
NOT_IN_ITS_ENCODING = Phrase(
    "not_in_its_encoding",
    en="{file:code} does not match the encoding it declares",
    zh="{file:code} 的编码与它声明的不符",
)
SAME_PLACE_TWICE = Phrase("same_place_twice", en="two changes at the same place", zh="同一处有两个修改")
NO_PYTHON_THEN = Phrase(
    "no_python_then",
    en="with the change, {file:code} would not be valid Python: {error}",
    zh="{file:code} 修改后不是合法的 Python：{error}",
)

# Names and definitions.
USUAL_NAMES_TAKEN = Phrase(
    "usual_names_taken",
    en="every usual name for {module:code} means something else in {file:code}",
    zh="{module:code} 的常用名字在 {file:code} 中都有别的含义",
)
NAME_MEANS_OTHERWISE = Phrase(
    "name_means_otherwise",
    en="{name:code} means something else in {file:code} (line {line})",
    zh="{name:code} 在 {file:code} 中有别的含义（第 {line} 行）",
)
NOT_IMPORTED = Phrase(
    "not_imported",
    en="{module:code} is not imported in {file:code}, and no safe name for it is known",
    zh="{file:code} 没有导入 {module:code}，也无法判断可以用什么名字导入",
)
CLASS_NOT_IN_PROJECT = Phrase(
    "class_not_in_project",
    en="the class {name:code} is not defined in the project",
    zh="类 {name:code} 不是在项目中定义的",
)
SEVERAL_CLASSES = Phrase(
    "several_classes",
    en="{count} classes of the project are called {name:code}",
    zh="项目中有 {count} 个类名为 {name:code}",
)
HASH_NOT_CLEAR = Phrase(
    "hash_not_clear",
    en="the `__hash__` of {name:code} does not return the hash of its attributes",
    zh="{name:code} 的 `__hash__` 返回的不是其属性的哈希",
)
OWN_EQUALITY = Phrase(
    "own_equality",
    en="{name:code} defines its own `__eq__`, but no `__hash__` that says what to compare",
    zh="{name:code} 自己定义了 `__eq__`，而没有 `__hash__` 说明比较什么",
)
FIELDS_NOT_CLEAR = Phrase(
    "fields_not_clear",
    en="`__init__` of {name:code} does not set all its fields itself: write `__eq__` and `__hash__` by hand",
    zh="{name:code} 的 `__init__` 没有自己设置全部字段：请自己写 `__eq__` 和 `__hash__`",
)
NO_CALL_TO_PAD = Phrase(
    "no_call_to_pad",
    en="the call into the library is ambiguous in {place:code}",
    zh="无法判断 {place:code} 中哪个调用进入了这个库",
)
DEFINITION_UNKNOWN = Phrase("definition_unknown", en="its definition was not found", zh="不知道它在哪里定义")
DEFINITION_NOT_FOUND = Phrase(
    "definition_not_found",
    en="{name:code} was not found in {place:code}",
    zh="在 {place:code} 没有找到 {name:code}",
)

# Where the function is compiled.
WRAPPING_NOT_SEEN = Phrase(
    "wrapping_not_seen",
    en="no place was seen that applies {wrapper:code} to {name:code}",
    zh="没有看到 {wrapper:code} 用于 {name:code} 的位置",
)
SEVERAL_WRAPPINGS = Phrase(
    "several_wrappings",
    en="several places apply {wrapper:code} to it ({places})",
    zh="有几处对它使用 {wrapper:code}（{places}）",
)
WRAPPING_UNCLEAR = Phrase(
    "wrapping_unclear",
    en="{place:code} does not show how {wrapper:code} is applied",
    zh="{place:code} 看不出 {wrapper:code} 是怎样使用的",
)
WRAPPED_ELSEWHERE = Phrase(
    "wrapped_elsewhere",
    en="{wrapper:code} is applied inside {code:code}, not by the program itself",
    zh="{wrapper:code} 是在 {code:code} 内部使用的，不是程序自己用的",
)
WRAPS_OTHERS_TOO = Phrase(
    "wraps_others_too",
    en="{place:code} wraps {code:code}, which may be other functions too",
    zh="{place:code} 包装的 {code:code} 也可能是别的函数",
)
OPTIONS_PASSED_THROUGH = Phrase(
    "options_passed_through", en="its options are passed through {code:code}", zh="它的选项通过 {code:code} 传入"
)
OPTIONS_SHARED = Phrase(
    "options_shared",
    en="its options are set at {place:code}, which creates several functions",
    zh="它的选项写在 {place:code}，那里会创建几个函数",
)
DECORATED_NOT_FOUND = Phrase(
    "decorated_not_found",
    en="the definition under the decorator was not found",
    zh="没有找到装饰器下面的定义",
)
COMPILES_AN_OBJECT = Phrase(
    "compiles_an_object",
    en="{code:code} compiles an object: create it once, and keep it",
    zh="{code:code} 编译的是一个对象：只创建一次，并一直使用它",
)

# Calls.
CALL_NOT_SEEN = Phrase("call_not_seen", en="no call of {name:code} was seen", zh="没有看到调用 {name:code} 的位置")
CALL_WRITTEN_OTHERWISE = Phrase(
    "call_written_otherwise",
    en="the call at {place:code} is not a direct call of {name:code}",
    zh="{place:code} 处的调用不是写成对 {name:code} 的调用",
)
CALL_NOT_FOUND = Phrase(
    "call_not_found",
    en="{place:code} has no calls of {name:code}; it is unclear which one is meant",
    zh="{place:code} 没有对 {name:code} 的调用，无法判断是哪一个",
)
SEVERAL_CALLS = Phrase(
    "several_calls",
    en="{place:code} has {count} calls of {name:code}; it is unclear which one is meant",
    zh="{place:code} 有 {count} 个对 {name:code} 的调用，无法判断是哪一个",
)
CALLED_THROUGH = Phrase(
    "called_through",
    en="{name:code} is called through {code:code} at {place:code}",
    zh="{name:code} 在 {place:code} 通过 {code:code} 调用",
)
LIBRARY_BETWEEN = Phrase(
    "library_between",
    en="a library sits between the call at {place:code} and {name:code}",
    zh="{place:code} 处的调用与 {name:code} 之间隔着一个库",
)
NOT_A_PARAMETER = Phrase(
    "not_a_parameter",
    en="{name:code} is not a parameter of {function:code}",
    zh="{name:code} 不是 {function:code} 的参数",
)
GIVEN_THROUGH = Phrase(
    "given_through", en="{place:code} passes it through {code:code}", zh="{place:code} 通过 {code:code} 传入它"
)
NOT_GIVEN_BY_A_CALL = Phrase(
    "not_given_by_a_call", en="{path:code} is not passed by a call", zh="{path:code} 不是由调用传入的"
)
NO_CALL_GIVES = Phrase(
    "no_call_gives", en="no call was found that passes {path:code}", zh="没有找到传入 {path:code} 的调用"
)
NOT_WRITTEN_OUT = Phrase(
    "not_written_out",
    en="{path:code} is not written out at {place:code}: {code:code} is passed there",
    zh="{place:code} 没有直接写出 {path:code}：传入的是 {code:code}",
)
LEFT_OUT_IN_SOME_CALLS = Phrase(
    "left_out_in_some_calls",
    en="some calls omit {path:code}",
    zh="有些调用没有传入 {path:code}",
)
DEFAULT_STAYS_A_NUMBER = Phrase(
    "default_stays_a_number",
    en="some calls omit {path:code}, and its default stays a Python number",
    zh="有些调用没有传入 {path:code}，它的默认值仍是 Python 数",
)

# What a function reads, to be passed in.
READ_BY_ANOTHER = Phrase(
    "read_by_another",
    en="{path:code} is read by a function that {name:code} calls, not by itself",
    zh="读取 {path:code} 的是 {name:code} 调用的函数，而不是它自己",
)
ASSIGNED_INSIDE = Phrase(
    "assigned_inside", en="{path:code} is assigned in the function itself", zh="{path:code} 在函数内部被赋值"
)
NOT_KNOWN_THERE = Phrase(
    "not_known_there",
    en="{name:code} is undefined, or means something else, at {place:code}",
    zh="在 {place:code}，{name:code} 没有定义或者另有含义",
)
OWNER_UNCLEAR = Phrase(
    "owner_unclear",
    en="{place:code} does not show which object's {path:code} is meant",
    zh="{place:code} 看不出是谁的 {path:code}",
)
EVALUATED_TWICE = Phrase(
    "evaluated_twice",
    en="{code:code} at {place:code} would be evaluated twice",
    zh="{place:code} 处的 {code:code} 会被求值两次",
)
MAY_CALL_IT_TOO = Phrase(
    "may_call_it_too",
    en="{place:code} may call it too, and did not run",
    zh="{place:code} 也可能调用它，而这次没有运行",
)
SIGNATURE_WOULD_GROW = Phrase(
    "signature_would_grow",
    en="its {option:code} would need one more entry",
    zh="它的 {option:code} 需要再加一项",
)

# Code that is to run once, and no longer again and again.
AT_THE_TOP_ALREADY = Phrase(
    "at_the_top_already",
    en="it is at the top level of the file, outside loops and functions",
    zh="它在文件的最外层，不在循环或函数中",
)
BELONGS_TO_CLASS = Phrase(
    "belongs_to_class",
    en="it belongs to the class in line {line}: create it once per object",
    zh="它属于第 {line} 行的类：每个对象只创建一次",
)
READS_OF_FUNCTION = Phrase(
    "reads_of_function",
    en="it reads {names}, which is bound by the function in line {line}: pass that as an argument (a number as a "
    "tensor)",
    zh="它读取 {names}，由第 {line} 行的函数赋值：请作为参数传入（数要作为张量）",
)
READS_OF_LOOP = Phrase(
    "reads_of_loop",
    en="it reads {names}, which the loop in line {line} assigns: pass that as an argument (a number as a tensor)",
    zh="它读取 {names}，由第 {line} 行的循环赋值：请作为参数传入（数要作为张量）",
)
CANNOT_PASS_CAPTURED = Phrase(
    "cannot_pass_captured",
    en="its closed-over values cannot be turned into parameters automatically: pass them as arguments by hand",
    zh="按现在的写法，无法把它从外部捕获的值改成参数：请自己把这些值作为参数传入",
)
NOTHING_IS_MADE = Phrase(
    "nothing_is_made",
    en="no line was found that creates such an object repeatedly",
    zh="没有找到反复创建这种对象的代码行",
)
FACTORY_DOES_MORE = Phrase(
    "factory_does_more", en="{name:code}() does more than create it", zh="{name:code}() 不只是创建它"
)
NOT_A_KEY = Phrase(
    "not_a_key",
    en="it is created from {name:code}, which cannot be a key: pass that as an argument",
    zh="它由 {name:code} 创建，而后者不能作为键：请作为参数传入",
)
CLASS_DEFINED_AGAIN = Phrase(
    "class_defined_again",
    en="it is a method of a class that is itself defined repeatedly: define the class once",
    zh="它所属的类本身被反复定义：这个类只定义一次",
)
BOUND_AT_SEVERAL_PLACES = Phrase(
    "bound_at_several_places", en="{name:code} is assigned in several places", zh="{name:code} 在几处被赋值"
)
NOT_IN_A_METHOD = Phrase("not_in_a_method", en="it is not created in a method", zh="它不是在方法中创建的")
ONCE_PER_OBJECT_ALREADY = Phrase(
    "once_per_object_already",
    en="it is already created once per object, and there are many objects",
    zh="每个对象已经只创建一次，而对象有很多个",
)
OBJECT_CANNOT_KEEP_IT = Phrase(
    "object_cannot_keep_it",
    en="the class {name:code} has __slots__, so an object cannot store it",
    zh="类 {name:code} 有 __slots__，对象无法保存它",
)
MADE_FROM_CALL = Phrase(
    "made_from_call",
    en="it is created from the result of {name:code}(), which may differ each time",
    zh="它由 {name:code}() 的结果创建，每次可能不同",
)
FITS_ONE_PROGRAM = Phrase(
    "fits_one_program",
    en="it fits this program's calls, but a library has other callers",
    zh="它只适合这个程序的调用，而库还有别的调用者",
)
WRITTEN_AT_SEVERAL_PLACES = Phrase(
    "written_at_several_places",
    en="{code:code} appears in several places: give it a name once",
    zh="{code:code} 写在几处：请只写一次并起一个名字",
)
NOTHING_TO_PASS = Phrase(
    "nothing_to_pass",
    en="{name:code} reads nothing from the surrounding code that could be passed",
    zh="{name:code} 没有读取外层代码中可以传入的内容",
)
READ_BY_HELPERS = Phrase(
    "read_by_helpers",
    en="functions that it calls also read {names:code}",
    zh="它调用的函数也读取 {names:code}",
)

# Objects that are kept.
MADE_NOWHERE_SEEN = Phrase(
    "made_nowhere_seen",
    en="this file does not show where {code:code} is created",
    zh="无法从这个文件判断 {code:code} 在哪里创建",
)
MADE_ONCE_ALREADY = Phrase(
    "made_once_already", en="{code:code} already runs only once", zh="{code:code} 已经只运行一次"
)
MAKING_CANNOT_MOVE = Phrase(
    "making_cannot_move", en="{code:code} cannot be moved to a function of its own", zh="{code:code} 不能放进单独的函数"
)
READS_CHANGED_GLOBAL = Phrase(
    "reads_changed_global",
    en="it reads {name:code}, which is assigned in several places",
    zh="它读取 {name:code}，而后者在多处被赋值",
)

# State that a body changes.
CHANGE_NOT_BY_ITSELF = Phrase(
    "change_not_by_itself",
    en="the code that changes {path:code} is not a separate statement of the body (line {line})",
    zh="修改 {path:code} 的代码不是函数体中单独的语句（第 {line} 行）",
)
CHANGE_NEEDS_LOCALS = Phrase(
    "change_needs_locals",
    en="line {line} needs {names:code}, which the callers do not have: return {names:it|them}",
    zh="第 {line} 行需要 {names:code}，而调用处不知道：请返回它",
)
READ_IN_THE_BODY = Phrase(
    "read_in_the_body",
    en="{path:code} would be passed only if the body itself reads it",
    zh="函数体自己是否读取 {path:code} 决定是否传入它",
)
CALL_NOT_A_STATEMENT = Phrase(
    "call_not_a_statement",
    en="no statement can be placed next to the call in {place:code}",
    zh="{place:code} 处的调用旁不能放语句",
)
