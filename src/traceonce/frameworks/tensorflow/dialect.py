"""What this framework calls causes, remedies and verdicts, where it differs from all others."""

from __future__ import annotations

from traceonce.causes.dialect import Dialect
from traceonce.facts import Reason
from traceonce.words.translated import Text

_IN_LIBRARY = Text(
    "keep and reuse the object that the library created it for, or call the library inside one tf.function of your own",
    "保留并重复使用库所创建的对象，或者在你自己的一个 tf.function 中调用这个库",
)
DIALECT = Dialect(
    what={
        "new_function": Text("the same code, wrapped in tf.function again", "同样的代码又被 tf.function 包装了一次"),
        "compile": Text("XLA recompiled", "XLA 重新编译"),
    },
    remedy={
        "shape": Text(
            "give the dimension as None in an input_signature, or set reduce_retracing=True",
            "在 input_signature 中把这一维写成 None，或者设置 reduce_retracing=True",
        ),
        "shape.relaxed": Text(
            "give the dimension as None in an input_signature", "在 input_signature 中把这一维写成 None"
        ),
        "shape.in_library": Text(
            "give the library one size: pad, or drop the last, partial batch (drop_remainder=True)",
            "给这个库同样的大小：填充，或者丢掉最后不满的一批（drop_remainder=True）",
        ),
        "new_function": Text(
            "create the tf.function once, outside the loop or the call", "在循环或调用之外只创建一次 tf.function"
        ),
        "new_function.in_library": _IN_LIBRARY,
        "new_instance.in_library": _IN_LIBRARY,
        "captured": Text(
            "create the tf.function once: pass the array as an argument of open size (input_signature), or keep "
            "it in a tf.Variable of open shape",
            "只创建一次 tf.function：把数组作为大小不固定的参数传入，或者放进形状不固定的 tf.Variable",
        ),
        "compile": Text(
            "pad to a few fixed shapes; XLA compiles for every new one",
            "填充到少数几种固定形状；XLA 对每种新形状都要编译",
        ),
        "stale": Text("pass it as an argument, or keep it in a tf.Variable", "把它作为参数传入，或者放进 tf.Variable"),
        "side_effect": Text(
            "keep it in a tf.Variable and assign it in the body, or return the new value and store it outside",
            "把它放进 tf.Variable 并在函数体内赋值，或者返回新值并在函数外保存",
        ),
    },
    reasons={
        Reason.COMPILED_FOR_SHAPES: Text("XLA recompiles it for new shapes", "XLA 为新的形状重新编译"),
    },
    compiler="XLA",
    watched_with="--xla",
    page={
        "cards.compiled": Text("XLA compiled it {n} {n:time|times}.", "XLA 编译了 {n} 次。"),
    },
)
