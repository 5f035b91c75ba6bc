"""What this framework calls causes, remedies and verdicts, where it differs from all others."""

from __future__ import annotations

from traceonce.causes.dialect import Dialect
from traceonce.words.translated import Text

_IN_LIBRARY = Text(
    "keep and reuse the object that the library created it for, or call the library inside one jax.jit of your own",
    "保留并重复使用库所创建的对象，或者在你自己的一个 jax.jit 中调用这个库",
)
_OF_LOOP = Text(
    "create the loop's function once: the loop retraces and recompiles for each new one",
    "循环的函数只创建一次：每个新的函数都会让循环重新追踪和编译",
)
DIALECT = Dialect(
    compiler="XLA",
    what={
        "captured": Text(
            "captured, with a different size (growing data, or weights of another model: unclear which)",
            "被新的函数捕获，大小不同（变多的数据，或者另一个模型的权重：无法区分）",
        ),
        "context": Text("a setting of JAX that it was traced with changed", "追踪时所用的 JAX 设置变了"),
    },
    remedy={
        "shape": Text(
            "pad to a few sizes, with a mask where the padding would count: JAX compiles for each shape",
            "填充到少数几种大小，填充的部分会影响结果时加上掩码：JAX 对每种形状都要编译",
        ),
        "dtype": Text(
            "convert it to one dtype before the call: jnp.asarray(x, dtype)",
            "调用之前转换成同一种 dtype：jnp.asarray(x, dtype)",
        ),
        "value": Text(
            "pass an array, unless the function needs the Python value", "如果函数不需要 Python 值，就传入数组"
        ),
        "new_function.of_loop": _OF_LOOP,
        "new_instance.of_loop": _OF_LOOP,
        "new_function": Text(
            "call jax.jit once, on one function, outside the loop or the call",
            "在循环或调用之外，对同一个函数只调用一次 jax.jit",
        ),
        "new_function.in_library": _IN_LIBRARY,
        "new_instance.in_library": _IN_LIBRARY,
        "captured": Text(
            "jit the function once and pass it as an argument, padded to a few sizes",
            "只对函数做一次 jax.jit，把它填充到少数几种大小后作为参数传入",
        ),
        "context": Text("choose the setting once, before the first call", "在第一次调用之前一次选定这个设置"),
        "weak_type": Text(
            "convert it before the call, and name the dtype: jnp.asarray(x, jnp.float32)",
            "调用之前转换，并写明 dtype：jnp.asarray(x, jnp.float32)",
        ),
        "static_argument": Text(
            "pass it as an array, without static_argnums or static_argnames, unless the function needs the "
            "Python value",
            "如果函数不需要 Python 值，就作为数组传入，不写进 static_argnums 或 static_argnames",
        ),
        "static_argument.equal": Text(
            "pass the same object, or give its class __eq__ and __hash__ that compare contents, like a frozen "
            "dataclass",
            "传入同一个对象，或者让它的类有比较内容的 __eq__ 和 __hash__，例如 frozen dataclass",
        ),
        "sharding": Text(
            "bring it to one sharding before each call: jax.device_put(x, sharding)",
            "每次调用之前转成同一种分片方式：jax.device_put(x, sharding)",
        ),
        "compile": Text(
            "pass arguments on the same devices in every call: jax.device_put(x, sharding)",
            "每次调用都传入位于同样设备的参数：jax.device_put(x, sharding)",
        ),
    },
)
