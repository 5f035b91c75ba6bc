"""Functions of NumPy's that TensorFlow has, too, with the same arguments in the same places."""

from __future__ import annotations

from collections.abc import Mapping

_RENAMED = {
    "max": "reduce_max",
    "amax": "reduce_max",
    "min": "reduce_min",
    "amin": "reduce_min",
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "prod": "reduce_prod",
    "any": "reduce_any",
    "all": "reduce_all",
    "std": "math.reduce_std",
    "var": "math.reduce_variance",
    "log": "math.log",
    "log1p": "math.log1p",
    "isnan": "math.is_nan",
    "isfinite": "math.is_finite",
    "clip": "clip_by_value",
    "concatenate": "concat",
    "power": "pow",
    "absolute": "abs",
    "linalg.norm": "norm",
    "matmul": "matmul",
}
_SAME = (
    *("abs", "sqrt", "exp", "square", "sin", "cos", "tan", "tanh", "floor", "round", "sign", "maximum", "minimum"),
    *("where", "argmax", "argmin", "stack", "reshape", "zeros_like", "ones_like", "expand_dims", "squeeze", "cumsum"),
    *("multiply", "subtract", "add", "divide", "equal", "greater", "less", "transpose"),
)

# The dotted name of NumPy's, to the name in the `tf` package.
NUMPY: Mapping[str, str] = {
    f"numpy.{theirs}": ours for theirs, ours in {**_RENAMED, **{name: name for name in _SAME}}.items()
}
