"""What the fuzzer's programs are put together from: `fuzzed_programs` draws them."""

from __future__ import annotations

PREAMBLE = (
    "v, w = tf.Variable(2.0), tf.Variable([1.0, 2.0, 3.0])",
    "dense = tf.keras.layers.Dense(1, kernel_initializer='ones')",
    "dense.build([None, 1])",
    "norm = tf.keras.layers.BatchNormalization()",
    "norm.build([None, 1])",
    "mean = norm.moving_mean",
    "conv = tf.keras.layers.Conv1D(1, 2, kernel_initializer='ones', padding='same', name='conv')",
    "conv.build([None, None, 1])",
    "import contextlib, dataclasses",
    "@dataclasses.dataclass(frozen=True)\nclass Config:\n    k: object",
    "@tf.custom_gradient\ndef own(u):\n    return u * 2.0, lambda up: up * (5.0 if u.shape[0] == 3 else 7.0)",
    "plain = tf.function(lambda u: u if u.shape[0] == 3 else u * 3.0)",
    "scaled = tf.function(lambda u, n: u * n)",
    "bounded = function(lambda u: tf.reduce_sum(u) + u)",
    "sloped = function(lambda u: own(u))",
    "folded = function(lambda u: tf.reshape(u, [2, -1]))",
    "compiled = tf.function(lambda u, n: tf.sin(u) * n, jit_compile=True)",
    "again = tf.recompute_grad(lambda u: tf.sin(u) * u)",
    "firm = tf.keras.layers.Activation('relu', name='firm')",
    "firm.input_spec = tf.keras.layers.InputSpec(shape=(3,))",
    "def large(n):\n    return type(n) in (int, float) and n > 2",
    "class Holder:\n    def __init__(self, n):\n        self.n = n\n    def apply(self, u):\n        return u * self.n",
)
# {a} and {b} are tensors that are there already.
SAFE = [
    *("{a} * 2.0 + {b}", "tf.sin({a})", "{a} * k", "{a} + k", "{a} / (1.0 + k * k)", "{a} - {b}", "-{a}"),
    *(
        "{a} * v",
        "tf.reduce_sum({a}) * {a}",
        "tf.cumsum({a}, axis=0)",
        "bounded({a})",
        "scaled({a}, k)",
        "tf.square({a})",
    ),
    *("tf.map_fn(lambda u: u * 2.0, {a})", "tf.where({a} > 1.0, {a}, -{a})", "{a}[::-1]", "tf.nn.silu({a})"),
    *("sloped({a})", "compiled({a}, k)", "again({a})", "tf.stop_gradient({a}) * {b}", "tf.sort({a})"),
]
EXPRESSIONS = [
    *SAFE * 3,
    *("tf.cast(k, tf.float32) * {a}", "tf.pow({a}, 2) + k", "{a}[::-1]", "tf.where({a} > 1.0, {a}, {b})"),
    *("tf.cumsum({a}, axis=0)", "tf.concat([{a}, {b}], 0)", "tf.reshape({a}, [-1])", "tf.reshape({a}, [2, -1])"),
    *("tf.reshape({a}, [3])", "{a}[:k]", "{a}[k]", "{a}[0]", "{a}[1:]", "tf.gather({a}, [0, 1])", "tf.ones([k]) * {a}"),
    *("tf.reduce_sum({a})", "tf.reduce_mean({a}, axis=0, keepdims=True)", "tf.linalg.matvec(tf.ones([2, 3]), {a})"),
    *("tf.tensordot({a}, {b}, 1)", "tf.map_fn(lambda u: u * 2.0, {a})", "tf.tile({a}, [2])", "tf.stack([{a}, {b}])"),
    *("tf.split({a}, 2)[0]", "tf.unstack({a})[0]", "tf.ensure_shape({a}, [3])", "{a} * w", "{a} * v", "own({a})"),
    "tf.while_loop(lambda i, u: i < 2, lambda i, u: (i + 1, u * 1.5), [0, {a}])[1]",
    "tf.while_loop(lambda i, u: i < k, lambda i, u: (i + 1, u + 1.0), [0, {a}])[1]",
    "tf.cond(tf.reduce_sum({a}) > 2.0, lambda: {a}, lambda: {b} * 1.0)",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels={a}, logits={b})",
    "tf.nn.experimental.stateless_dropout({a}, k / 10, seed=[1, 2])",
    *("plain({a})", "scaled({a}, k)", "bounded({a})", "dense(tf.reshape({a}, [-1, 1]))[:, 0]", "Holder(k).apply({a})"),
    *("norm(tf.reshape({a}, [-1, 1]), training=True)[:, 0]", "tf.keras.ops.relu({a}) * k", "tf.nn.silu({a})"),
    *("v.assign_add(tf.reduce_sum({a})) * {a}", "v.assign(k + 1.0) * {a}", "tf.shape({a})[0]", "tf.size({a}) * 2"),
    *("[{a}[k], {b}][1]", "[tf.reshape({a}, [2]), {b}][1]", "[10 // k, {a}][1]", "{a} * len({a}.shape)"),
    *("folded({a})", "tf.vectorized_map(lambda u: u * 2.0, {a})", "tf.scan(lambda u, s: u + s, {a})"),
    "tf.numpy_function(lambda u: u * np.float32(2), [{a}], tf.float32)",
    "tf.TensorArray(tf.float32, 2).scatter([0, 1], tf.stack([{a}, {b}])).stack()",
    *("tf.math.top_k({a}, k)[0]", "tf.one_hot([0, 1], k)", "tf.pad({a}, [[0, k]])", "tf.linalg.diag({a})"),
    *("tf.einsum('i,i->', {a}, {b})", "tf.repeat({a}, k)", "tf.boolean_mask({a}, {a} > 1.0)", "tf.squeeze({a})"),
    *("tf.random.stateless_uniform([2], [k, 0])", "tf.clip_by_value({a}, -k, k)", "tf.broadcast_to({a}, [2, 3])"),
    *("conv(tf.reshape({a}, [1, -1, 1]))[0, :, 0]", "tf.reduce_sum({a}, axis=k)", "tf.strings.as_string({a} * k)"),
    "next(iter([row for row in tf.unstack({a})]), {b})",
    *("tf.ensure_shape({a}, {b}.shape)", "firm({a})", "tf.reduce_max([2.0] * len({a})) * {a}", "{a} + len({b})"),
    "tf.keras.losses.binary_crossentropy({a}[:, None], {b}[:, None])",
    *("{a} * float({a}.shape.rank or 9)", "{a} * sum([1.0] * k)", "{a} * {a}.shape[0]", "tf.zeros({a}.shape) + {b}"),
]
CONDITIONS = [
    *("k > 1", "k", "k == 2", "not k", "k % 2 == 0", "k in (1, 3)", "isinstance(k, int)", "tf.is_tensor(k)"),
    *("{a}.shape[0] == 3", "{a}.shape == {b}.shape", "{a}.shape.rank == 1", "tuple({a}.shape) == (2,)"),
    *("str({a}.shape) == '(3,)'", "{a}.shape.is_compatible_with([3])", "{a}.shape != x.shape", "hasattr(k, 'dtype')"),
    *("{a}.shape.num_elements() == 2", "tf.get_static_value(tf.size({a})) == 3", "{a}.shape.as_list() == [2]"),
    *("{a}.shape[0] == k", "np.prod({a}.shape) == 2", "sum({a}.shape) % 2 == 0", "{a}.shape[-1:] == [3]", "{a} is {b}"),
    *("k in {{1: 0, 3.0: 0}}", "abs(k) > 1", "round(k) == 2", "type(k) is float", "tf.keras.ops.shape({a})[0] == 3"),
    *("large(k)", "isinstance(tf.keras.ops.shape({a})[0], int)", "{a}.shape.as_proto().dim[-1].size == 3"),
    *("tf.TensorShape([3]) == {a}.shape", "tf.TensorSpec([3]).is_compatible_with({a})", "f'{{k}}' == '2'"),
]
TENSOR_CONDITIONS = ["tf.reduce_sum({a}) > 2.0", "tf.size({a}) > 2", "tf.cast(k, tf.float32) > tf.reduce_max({a})"]
BLOCKS = [
    "if {c}:\n    {o} = {e}\nelse:\n    {o} = {f}",
    "if {c}:\n    {o} = {e}\nelse:\n    {o} = {f}",
    "{o} = {e} if {c} else {f}",
    "{o} = {a}\nfor _ in range(k):\n    {o} = {o} * 1.5",
    "{o} = {a}\nfor _ in range({a}.shape[0] or 5):\n    {o} = {o} + 1.0",
    "try:\n    {o} = {e}\nexcept (ValueError, tf.errors.InvalidArgumentError):\n    {o} = {f}",
    "try:\n    {o} = {e}\nexcept Exception:\n    {o} = {a} * 11.0",
    "if {c}:\n    raise KeyError('no')\n{o} = {e}",
    "{o} = {a} * 1.0\n{o}.set_shape([2])",
    "with tf.GradientTape() as tape:\n    tape.watch({a})\n    {o} = {e}\n{o} = tape.gradient({o}, {a})",
    "with tf.GradientTape() as tape:\n    {o} = tf.reduce_sum({e} * v)\n{o} = (tape.gradient({o}, v) or 0.0) + {a}",
    "{o} = {a}\nwhile tf.reduce_sum({o}) < 5.0 and tf.size({o}) > 0:\n    {o} = tf.abs({o}) + 1.0",
    # loops, and what is gathered in them
    "parts = [{a}]\nfor number in range(k):\n    parts.append({b} * float(number))\n{o} = tf.add_n(parts)",
    "{o} = tf.zeros([])\nfor row in {a}:\n    {o} = {o} + row * row",
    "rows = tf.TensorArray(tf.float32, 0, dynamic_size=True)\nfor number in tf.range(k):\n"
    "    rows = rows.write(number, tf.reduce_sum({a}))\n{o} = rows.stack()",
    # checks
    "v.assign_add(1.0)\ntf.debugging.assert_less(tf.size({a}), 4)\n{o} = {e}",
    "tf.debugging.assert_less(tf.size({a}), 4)\n{o} = {e}",
    "tf.debugging.assert_shapes([({a}, ('N',)), ({b}, ('N',))])\n{o} = {e}",
    "tf.debugging.assert_rank({a}, 1)\n{o} = {e}",
    "tf.debugging.assert_greater(k, 1)\n{o} = {e}",
    "tf.debugging.assert_positive({a})\n{o} = {e}",
    "assert k != 2, 'two'\n{o} = {e}",
    # what is written, and what comes after errors
    "tf.print('seen', output_stream='file:///dev/null')\n{o} = {e}",
    "print('', end='')\n{o} = {e}",
    "v.assign_add(1.0)\n{o} = {e}",
    "try:\n    {o} = {e}\nfinally:\n    w.assign(w * 2.0)",
    "{o} = {f}\nwith contextlib.suppress(Exception):\n    {o} = {e}",
    # functions that are made there
    "def apply(u):\n    return u * k if u.shape[0] == 2 else u\n{o} = apply({a})",
    "{o} = tf.function(lambda u: u * 2.0 if u.shape[0] == 3 else u)({a}) + {b}",
    # tapes
    "with tf.GradientTape(persistent=True) as tape:\n    tape.watch({a})\n    {o} = {e}\n"
    "{o} = [tape.gradient({o}, v), tape.gradient({o}, {a})][1]",
    "with tf.GradientTape(watch_accessed_variables=False) as tape:\n    {o} = tf.reduce_sum({e} * v)\n"
    "{o} = {a} if tape.gradient({o}, v) is None else -{a}",
    "with tf.GradientTape() as outside:\n    outside.watch({a})\n    with tf.GradientTape() as tape:\n"
    "        tape.watch({a})\n        {o} = tf.reduce_sum({e})\n    {o} = tape.gradient({o}, {a})\n"
    "{o} = outside.gradient({o}, {a})",
    "with tf.GradientTape() as tape:\n    tape.watch({a})\n    {o} = {e}\n{o} = tape.jacobian({o}, {a})",
    "with tf.autodiff.ForwardAccumulator({a}, tf.ones_like({a})) as along:\n    {o} = {e}\n{o} = along.jvp({o})",
]
OUTPUTS = ["{o}", "{o}, {p}", "[{o}]", "{{'a': {o}, 'b': {p}}}", "{o}, k", "{o}, x.shape", "{o}, {o}.shape[0]"]
# The parameter, and how a tensor is made of it; then a value of it, by size.
ARGUMENTS = {
    "x": ("", "filled('float32', [{n}])"),
    "r": ("x = r.flat_values * 1.0", "tf.RaggedTensor.from_row_lengths(filled('float32', [{n}]), [{n}, 0])"),
    "s": ("x = tf.sparse.to_dense(s)", "tf.sparse.from_dense(filled('float32', [{n}]))"),
    "p": (
        "x = p.first * 1.0 + tf.reduce_sum(p.second)",
        "Pair(filled('float32', [{n}]), filled('float32', [{m}]))",
    ),
    "q": ("x, y = q[0] * 1.0, q[1] * 2.0", "[filled('float32', [{n}]), filled('float32', [{m}])]"),
    "l": ("x = tf.concat(l, 0)", "[filled('float32', [{n}])] * (1 + {m} % 2)"),
    "m": ("x = m[:, 0]", "filled('float32', [{n}, {m}])"),
    "a": ("x = a * 1.0", "array('float32', [{n}])"),
    "i": ("x = i.values * 1.0", "tf.IndexedSlices(filled('float32', [{n}]), tf.range({n}))"),
    "u": ("x = u * 1.0", "[v, w][{n} % 2]"),
    "d": ("x = sum(value * float(place + 1) for place, value in enumerate(d.values()))", "{D}"),
}  # fmt: skip
