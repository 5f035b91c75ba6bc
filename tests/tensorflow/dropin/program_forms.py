"""Whole functions for generated programs, and the calls to them: signatures, errors, temporaries, first calls."""

from __future__ import annotations

# A definition, and the forms in which it can be called.
SIGNATURES = [
    (
        "@function\ndef f(a, b=2):\n    return a, b",
        [
            "f({a})",
            "f({a}, {b})",
            "f({a}, b={b})",
            "f(a={a}, b={b})",
            "f(b={b}, a={a})",
            "f(a={a})",
            "f()",
            "f({a}, a={b})",
            "f({a}, c={b})",
        ],
    ),
    (
        "@function\ndef f(a, *, scale=1.0, bias):\n    return a, scale, bias",
        ["f({a}, bias={b})", "f({a}, bias={b}, scale={a})", "f({a}, scale={a}, bias={b})", "f({a})", "f({a}, {b})"],
    ),
    (
        "@function\ndef f(*parts):\n    return list(parts), len(parts)",
        ["f()", "f({a})", "f({a}, {b})", "f({b}, {a}, {b})", "f(({a}, {b}))"],
    ),
    (
        "@function\ndef f(a, *parts, **named):\n    return a, list(parts), dict(named), len(named)",
        [
            "f({a})",
            "f({a}, {b})",
            "f({a}, b={b})",
            "f({a}, c={b})",
            "f({a}, {b}, c={a}, b={b})",
            "f({a}, b={b}, c={a})",
            "f({a}, c={a}, b={b})",
        ],
    ),
    (
        "@function\ndef f(a, /, b, *, c=None):\n    return a, b, c is None",
        ["f({a}, {b})", "f({a}, b={b})", "f({a}, {b}, c={a})", "f(a={a}, b={b})", "f({a}, b={b}, c=None)"],
    ),
    (
        "class Model:\n    def __init__(self, n):\n        self.n = n\n    @function\n    def step(self, a, b=1):\n"
        "        return a, b, self.n\none, two = Model(1), Model(2)",
        [
            "one.step({a})",
            "two.step({a})",
            "one.step({a}, {b})",
            "two.step(b={b}, a={a})",
            "Model.step(one, {a})",
            "Model.step(two, {a}, b={b})",
        ],
    ),
    (
        "class Model:\n    @staticmethod\n    @function\n    def fixed(a, b=1):\n        return a, b\n"
        "    @classmethod\n    @function\n"
        "    def made(cls, a):\n        return a, cls.__name__\nclass Other(Model):\n    pass",
        [
            "Model.fixed({a})",
            "Model.fixed({a}, {b})",
            "Model().fixed({a}, b={b})",
            "Model.made({a})",
            "Other.made({a})",
            "Model().made(a={b})",
        ],
    ),
    (
        "import functools\n@function\ndef g(a, b=3, *, c=4):\n    return a, b, c\nf = functools.partial(g, c=5)",
        ["f({a})", "f({a}, {b})", "f({a}, c={b})", "g({a})", "g({a}, c={b})", "f(a={a}, b={b})"],
    ),
]
PARAMETERS = [
    "1", "2", "3", "True", "1.0", "2.0", "0.5", "'a'", "None", "filled('float32', [2])", "filled('float32', [3])",
    "np.float32(2)",
]  # fmt: skip

# A line that raises for some calls, the calls that are fine, and those that are not (or some of them).
ERRORS = [
    (
        "{o} = x + tf.ones([3])",
        ["f(filled('float32', [3]))", "f(filled('float32', []))"],
        ["f(filled('float32', [4]))", "f(filled('float32', [2, 5]))", "f(filled('int32', [3]))"],
    ),
    (
        "{o} = x @ x",
        ["f(filled('float32', [2, 2]))"],
        ["f(filled('float32', [2, 3]))", "f(filled('float32', [2]))", "f(1)"],
    ),
    (
        "tf.debugging.assert_less(x, 3.0, message='too large'); {o} = x * k",
        ["f(filled('float32', [2]))", "f(filled('float32', [2]), 2)"],
        ["f(filled('float32', [2], 9))", "f(filled('float32', [3], 9))", "f(filled('float32', [2], 9), 3)"],
    ),
    (
        "tf.debugging.assert_rank(x, 1); {o} = x",
        ["f(filled('float32', [2]))"],
        ["f(filled('float32', []))", "f(filled('float32', [2, 2]))"],
    ),
    (
        "{o} = 10 // k + x",
        ["f(filled('float32', [2]))", "f(filled('int32', [2]), 3)"],
        ["f(filled('int32', [2]), 0)", "f(filled('float32', [2]), 'a')", "f(filled('float32', [2]), None)"],
    ),
    (
        "assert k < 3, 'k is too large'; {o} = x * k",
        ["f(filled('float32', [2]))", "f(filled('float32', [2]), 2)"],
        ["f(filled('float32', [2]), 3)", "f(filled('float32', [2]), 4)", "f(filled('float32', [2]), 5.0)"],
    ),
    (
        "{o} = tf.gather(x, [k])",
        ["f(filled('float32', [2]))", "f(filled('float32', [3]), 2)"],
        ["f(filled('float32', [2]), 2)", "f(filled('float32', [2]), 7)", "f(filled('float32', [2]), -1)"],
    ),
    (
        "v.assign_add(1.0); tf.debugging.assert_positive(x); {o} = v * x",
        ["f(filled('float32', [2]))"],
        ["f(filled('float32', [2], -3))", "f(filled('float32', [3], -3))"],
    ),
    (
        "{o} = tf.reshape(x, [2, -1])",
        ["f(filled('float32', [4]))", "f(filled('int32', [2]))"],
        ["f(filled('float32', [3]))", "f(filled('float32', [5]))", "f(filled('string', [1]))"],
    ),
    (
        "{o} = dict(one=x)[k]",
        ["f(filled('float32', [4]), 'one')"],
        ["f(filled('float32', [4]), 'two')", "f(x=filled('float32', [4]))", "f()"],
    ),
    (
        "{o} = tf.constant(x)",
        ["f(1)", "f([1, 2])"],
        ["f([1, 'a'])", "f(filled('float32', [1]))", "f(object)", "f([[1], [1, 2]])"],
    ),
    (
        "{o} = tf.linalg.inv(x)",
        ["f(filled('float32', [2, 2]))"],
        ["f(tf.zeros([2, 2]))", "f(tf.zeros([2, 3]))", "f(tf.zeros([3, 3]))"],
    ),
]

# What calls make anew: objects that are equal, or functions with the same content, or not quite.
TEMPORARY = """import dataclasses, functools
@dataclasses.dataclass(frozen=True)
class Setting:
    rate: float
    name: str = 'a'
class Scale:
    def __init__(self, n):
        self.n = n
    def by(self, y):
        return y * self.n
def maker(n):
    return lambda y: y * n
def scaled(y, by=1):
    return y * by
"""
SETTINGS = [
    "Setting(2.0)",
    "Setting(3.0)",
    "Setting(2.0, 'b')",
    "Setting(rate=2.0)",
    "Setting(-1.0)",
    "Setting(3.0, 'c')",
]
# Each sets {o} from the tensor `x` and the setting `g`.
SETTING_LINES = [
    "{o} = x * g.rate", "{o} = g.name", "{o} = x if g == Setting(2.0) else -x", "{o} = x * hash(g.name == 'a')",
    "{o} = tf.cond(x[0] > 0, lambda: x * g.rate, lambda: x)", "{o} = [g.rate, x + len(g.name)]",
]  # fmt: skip
CALLABLES = [
    "lambda y: y * 2", "lambda y: y * 3", "lambda y: y * 2.0", "lambda y: y + 2", "lambda y, n=2: y * n",
    "lambda y, n=5: y * n", "lambda y, *, n=5: y * n", "maker(2)", "maker(3)", "maker(True)", "maker(1)", "maker(1.0)",
    "maker(0.0)", "maker(-0.0)", "functools.partial(scaled, by=2)", "functools.partial(scaled, by=3)",
    "functools.partial(maker(2))", "Scale(2).by", "Scale(3).by", "maker(filled('float32', [2]))",
    "maker(filled('float32', [2], 7))", "maker(np.float32(2))", "maker(np.float32(3))", "maker([1.0, 2.0])",
    "maker([1.0, 3.0])", "maker(array('float32', [2]))", "maker(array('float32', [2], 5))", "maker(Setting(2.0).rate)",
    "maker(v)", "maker(w)", "lambda y: v.assign_add(1.0) * y", "lambda y: y * factor", "tf.sin", "tf.cos",
]  # fmt: skip
# Each sets {o} from the tensor `x` and the function `g`.
CALLING = [
    "{o} = g(x)", "{o} = g(x)", "{o} = g(g(x))", "{o} = tf.cond(tf.reduce_sum(x) > 0, lambda: g(x), lambda: x)",
    "{o} = [g(x), tf.shape(x)]",
]  # fmt: skip

# How a variable that is created on the first call begins, and functions that create some.
INITIAL = ["1.0", "tf.ones([2])", "lambda: tf.ones([2])", "x", "tf.zeros_like(x)", "tf.reduce_sum(x)", "[1.0, 2.0]"]
CREATING = [
    "made = []\n@function\ndef f(x, k=1.0):\n    if not made:\n        made.append(tf.Variable({initial}))\n"
    "    v = made[0]\n    {line}\n    return o0\nf2 = f",
    "class Model(tf.Module):\n    v = None\n    @function\n    def __call__(self, x, k=1.0):\n"
    "        if self.v is None:\n            self.v = tf.Variable({initial})\n        v = self.v\n        {line}\n"
    "        return o0\nf, f2 = Model(), Model()",
    "made = []\n@function\ndef f(x, k=1.0):\n    made.append(tf.Variable({initial}))\n    v = made[0]\n"
    "    {line}\n    return o0\nf2 = f",
]
CREATED = [
    "o0 = v * x", "o0 = v.assign_add(tf.ones_like(v)) * k", "o0 = (v.assign_add(v), x * k, v.read_value())",
    "v.assign(v * k); o0 = v + 0", "o0 = v * k", "o0 = v.assign_add(x)",
]  # fmt: skip

# A signature, the parameters, and calls that fit it or do not.
DECLARED = [
    ("[tf.TensorSpec([None], tf.float32)]", "x"),
    ("[tf.TensorSpec([2], tf.float32)]", "x"),
    ("[tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.float32)]", "x, k=2.0"),
    ("[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.int32)]", "x, k"),
    ("[tf.TensorSpec([], tf.int32)]", "x"),
    ("[[tf.TensorSpec([None]), tf.TensorSpec([])]]", "x"),
]
DECLARED_LINES = ["o0 = x", "o0 = tf.nest.map_structure(tf.shape, x)", "o0 = tf.nest.map_structure(lambda y: y + y, x)"]
DECLARED_CALLS = [
    "f(filled('float32', [2]))", "f(filled('float32', [3]))", "f(filled('float32', [2, 2]))", "f(filled('int32', [2]))",
    "f(1)", "f(True)", "f(1.0)", "f([1.0, 2.0])", "f([1, 2])", "f(array('float64', [2]))", "f(array('float32', [2]))",
    "f()", "f(x=filled('float32', [2]))", "f(filled('float32', [2]), 1.0)", "f(filled('float32', [2]), k=3.0)",
    "f('a')", "f(None)", "f([filled('float32', [2]), 1.0])", "f((filled('float32', [2]), 1.0))", "f(1, 2, 3)", "f(z=2)",
    "f(filled('float32', [1, 2]), 2)", "f(filled('float32', [3, 2]), 3)", "f(filled('float32', [3, 2]), k=3.5)",
    "f(np.int32(4))", "f([filled('float32', [3]), filled('float32', [])])",
]  # fmt: skip
