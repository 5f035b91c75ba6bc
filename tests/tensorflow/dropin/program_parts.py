"""The lines, values and forms of call that generated programs are put together from."""

from __future__ import annotations

OUTPUTS = [
    "{a}", "{a}", "{a}", "{a}", "{a}", "({a}, {b})", "({b}, {a})", "[{a}, {b}]", "{{'z': {a}, 'a': {b}}}",
    "Pair({a}, [{b}])", "({a}, None)", "[{a}, 2, 'text']", "({a}, {a})", "[{a}, {{}}]", "None",
]  # fmt: skip

# What lines may do with them, and the values.
NUMBER_POOLS = [
    ("sizes", ["1", "2", "3", "4", "0", "7", "11", "-1"]),
    ("arithmetic", ["0.5", "0.25", "0.1", "0.57", "-2.75", "0.3", "3.0", "0.0", "1e14"]),
    ("sizes", ["1", "True", "1.0", "0", "False", "0.0", "-0.0", "2", "2.0"]),
    ("arithmetic", ["0.0", "-0.0", "float('nan')", "float('inf')", "-float('inf')", "1.0", "1e300"]),
    ("arithmetic", ["1", "-1", "2**31 - 1", "2**31", "-2**31", "2**40", "10**15", "3"]),
    ("little", ["'a'", "'b'", "''", "'1'", "1", "None", "b'a'", "True"]),
    ("little", ["None", "2", "0.5", "'a'", "np.float32(2)", "np.int64(2)", "np.bool_(True)", "filled('float32', [])"]),
    ("arithmetic", ["1", "True", "1.0", "0", "False", "0.0", "-0.0"]),
    ("sizes", ["np.int32(2)", "np.int32(3)", "np.float32(2.5)", "np.float64(2.5)", "2", "np.float16(2)"]),
]  # fmt: skip

# Each sets {o} from the number {k} and the tensor `x`.
NUMBER_LINES = [
    "{o} = x * {k}", "{o} = x + {k}", "{o} = {k} - x", "{o} = x / {k}", "{o} = {k}", "{o} = {k} * 2",
    "{o} = f'{{{k}}}'", "{o} = str({k})", "{o} = x if {k} else -x", "{o} = x if {k} == 2 else x + x",
    "{o} = 'int' if isinstance({k}, int) else 'other'", "{o} = x * 2 if isinstance({k}, int) else x * 3",
    "{o} = type({k}).__name__", "{o} = x if {k} is None else x * 2", "{o} = tf.constant({k})",
    "{o} = tf.cast({k}, tf.float64)", "{o} = tf.convert_to_tensor({k}, tf.float32)", "{o} = abs({k})", "{o} = -{k}",
    "{o} = tf.where(x > 1, {k}, 0)", "{o} = {{'many' if {k} > 2 else 'few': x}}", "{o} = max({k}, 1)", "{o} = int({k})",
    "{o} = [10, 20, 30][{k}]", "{o} = tf.cond(x[0] > 0, lambda: x * {k}, lambda: x)", "{o} = x[{k}:]", "{o} = x[{k}]",
    "{o} = {k} == 1", "{o} = not {k}", "{o} = tf.fill([2], {k})", "{o} = {k} & 6", "{o} = {k} if {k} > 1 else -1",
    "{o} = tf.math.pow(x, {k})", "{o} = round({k} * 1.5)", "{o} = hash({k}) % 13", "{o} = tf.equal({k}, 1)",
    "{o} = ({k}, {k} + 1, x)", "{o} = tf.cast({k}, tf.int64)", "{o} = tf.one_hot([0, 1], 3, {k})",
    "{o} = tf.clip_by_value(x, -{k}, {k})", "{o} = x * float({k})",
]  # fmt: skip

# Likewise, in branches and loops that are not entered, and at places that are not looked at, for some of the data.
BRANCHES = [
    "{o} = tf.cond(x[0] > 0, lambda: x * (2 if isinstance({k}, int) else 3), lambda: x)",
    "{o} = tf.cond(x[0] > 0, lambda: x * ({k} * 0.1), lambda: x)",
    "{o} = tf.cond(x[0] > 0, lambda: x + {k}, lambda: x)",
    "{o} = tf.cond(x[0] > 99, lambda: x * (1 / {k}), lambda: x)",
    "{o} = tf.cond(x[0] > 99, lambda: x if {k} else -x, lambda: x)",
    "{o} = tf.cond(x[0] > 99, lambda: x, lambda: x * {k} if type({k}) is int else x)",
    "{o} = tf.where(x > 0, x * (2 if isinstance({k}, int) else 3), x)",
    "{o} = tf.where(x > 99, x * (2 if isinstance({k}, int) else 3), x)",
    "{o} = tf.minimum(x, 99) * {k} if isinstance({k}, (int, float)) else x * {k}",
    "{o} = tf.switch_case(tf.cast(x[0] > 99, tf.int32), [lambda: x, lambda: x + {k}])",
    "{o} = tf.while_loop(lambda i, a: i < 3 * tf.cast(x[0], tf.int32), lambda i, a: (i + 1, a + {k}), [0, x])[1]",
]  # fmt: skip

# Likewise, where {k} is no text. What Python computes, a tensor may compute otherwise at the ends of its range.
ARITHMETIC = [
    "{o} = {k} * 1103515245 % 97", "{o} = x + {k} * 1103515245 % 97", "{o} = ({k} + 1) * 65536 * 65536 % 1000",
    "{o} = x + ({k} + 1000000) * 3000 // 7", "{o} = x * ({k} * 0.1)", "{o} = {k} * 0.1", "{o} = {k} // 2",
    "{o} = {k} / 3", "{o} = x * ({k} / 3)", "{o} = {k} ** 2", "{o} = {k} % 5", "{o} = 1.0 / {k}", "{o} = x * (1 / {k})",
    "{o} = 7 % {k}", "{o} = {k} ** 0.5", "{o} = {k} // 0.1", "{o} = {k} % 0.1", "{o} = tf.cast({k} * 100, tf.int32)",
    "{o} = x * ({k} ** 3 * 1e-20)", "{o} = {k} * {k} * {k}", "{o} = {k} << 20", "{o} = 2.0 ** {k}",
    "{o} = {k} - 1 - {k}", "10 // {k}; {o} = x", "1 / {k}; {o} = x", "{k} ** 400; {o} = x", "{o} = x * {k} * 0.3",
    "{o} = 0.9 * {k} * x", "{o} = x - {k} * 3 + 1",
]  # fmt: skip
# Two numbers that may be lifted, and then some for which that may be wrong.
RANGES = [
    (["1", "2", "3", "5", "12"], ["0", "-1", "2**31 - 1", "2**31", "-2**31", "2**40", "65536", "100000", "2**24 + 1"]),
    (["0.5", "0.25", "3.0", "1.5"], ["0.0", "-0.0", "-2.75", "1e14", "1e300", "1e-30", "float('nan')", "float('inf')"]),
]

# Likewise, where {k} is a size, a count or an exponent.
SIZES = [
    "{o} = tf.zeros([{k}])", "{o} = [i for i in range({k})]", "{o} = sum([x * i for i in range({k})], x)",
    "{o} = 10 ** {k}", "{o} = tf.one_hot([0, 1], {k})", "{o} = tf.range({k})", "{o} = tf.tile(x, [{k}])",
    "{o} = 2 ** -{k}", "{o} = tf.eye({k})", "{o} = 0.9 ** {k}", "{o} = 'a' * {k}", "{o} = tf.reshape(x, [{k}, -1])",
    "{o} = tf.concat([x] * {k}, 0)", "{o} = 1 << {k}", "{o} = tf.split(x, {k})", "{o} = tf.expand_dims(x, {k})",
    "{o} = tf.reduce_sum(x, {k})",
    "{o} = tf.while_loop(lambda i, a: i < {k}, lambda i, a: (i + 1, a + a), [0, x])[1]",
]  # fmt: skip

DTYPES = ["float32", "float32", "float64", "float16", "int32", "int64", "bool", "complex64", "string"]
SHAPE_POOLS = [
    ["[3]", "[4]", "[5]", "[0]", "[1]"],
    ["[2, 3]", "[2, 4]", "[3, 3]", "[0, 3]", "[2, 0]"],
    ["[]", "[3]", "[2, 3]", "[1, 2, 2]", "[0]", "[4]", "[3, 3]"],
]  # fmt: skip

# Each sets {o} from the tensor {x}; many ask what is known of its shape and dtype while tracing.
TENSOR_LINES = [
    "{o} = tf.identity({x})", "{o} = {x}", "{o} = {x} + {x}", "{o} = tf.reduce_sum({x})", "{o} = tf.shape({x})",
    "{o} = tf.size({x})", "{o} = tf.rank({x})", "{o} = tf.reshape({x}, [-1])", "{o} = tf.stack([{x}, {x}])",
    "{o} = tf.zeros_like({x})", "{o} = {x}.dtype.name", "{o} = tf.cast({x}, tf.int32)", "{o} = tf.equal({x}, {x})",
    "{o} = {x}.shape.rank", "{o} = {x}.shape[0]", "{o} = len({x}.shape)", "{o} = {x}.shape",
    "{o} = tf.zeros({x}.shape)", "{o} = {x} * 2 if {x}.shape.rank == 1 else {x} + 1", "{o} = tf.transpose({x})",
    "{o} = {x} * 2 if {x}.shape.rank and {x}.shape[0] == 3 else {x} * 5", "{o} = {x}.shape.num_elements()",
    "{o} = {x} @ {x}", "{o} = [part for part in tf.unstack({x})]", "{o} = sum({x}[i] for i in range({x}.shape[0]))",
    "{o} = {x}[0]", "{o} = {x}[-1:]", "{o} = {x} + tf.ones([3], {x}.dtype)", "{o} = tf.reshape({x}, [3])",
    "{o} = tf.ensure_shape({x}, [3])", "{o} = {x}.shape.as_list()", "{o} = tf.reduce_mean({x})",
    "{o} = {x} / {x}.shape[0]", "{o} = tf.cond(tf.size({x}) > 3, lambda: {x}, lambda: {x} + {x})",
    "{o} = tf.concat([{x}, {x}], 0)", "{o} = tf.reduce_max({x}, -1)", "{o} = {x}.shape.is_fully_defined()",
    "{o} = tf.sort({x})",
    "{o} = tf.while_loop(lambda i, a: i < tf.size({x}), lambda i, a: (i + 1, a + a), [0, {x}])[1]",
    "{o} = tf.gather({x}, [0])", "{o} = {x} if {x}.dtype.is_floating else tf.zeros([2])",
    "{o} = tf.broadcast_to({x}, [2, 3])", "{o} = tf.linalg.diag({x})", "{o} = tf.ones([{x}.shape[0] or 1])",
    "{o} = {x} if {x}.shape.as_list() == [3] else None", "{o} = tf.expand_dims({x}, 0)",
    "{o} = tf.squeeze({x})", "{o} = tf.strings.length({x})", "{o} = tf.strings.join([{x}, 'b'])",
    "{o} = {x} if {x}.shape.is_compatible_with([3]) else {x} + {x}", "{o} = {x} if {x}.shape else {x} + {x}",
    "{o} = {x} if tf.get_static_value(tf.size({x})) == 3 else {x} + {x}",
    "{o} = tf.cond(tf.size({x}) > 3, lambda: {x} if {x}.shape.rank == 1 else {x} + {x}, lambda: {x})",
]  # fmt: skip

MIXED = [
    "{o} = {x} * {k}", "{o} = tf.reduce_sum({x}) * {k}", "{o} = {x} + {k} if {x}.shape.rank == 1 else {x}",
    "{o} = {x}.shape[0] * {k}", "{o} = tf.fill(tf.shape({x}), {k})", "{o} = ({x}, {k})",
    "{o} = [{x}.shape.rank, {k}]", "{o} = {x} * 2 if isinstance({k}, int) else {x}",
    "{o} = tf.tile(tf.reshape({x}, [-1]), [2]) * {k}", "{o} = f'{{{k}}} {{{x}.shape.rank}}'",
    "{o} = {x} + 1 if {k} == 1 else {x} - 1", "{o} = tf.zeros([{x}.shape.rank or 1]) + {k}",
    "{o} = {x} * {k} if {x}.shape.rank and {x}.shape[0] == 3 else {x} + {k}", "{o} = {x} * {k}",
    "{o} = {x} * {k} if {x}.shape.rank == 1 else {x} * (2 if {k} == 3 else 7)",
    "{o} = {x} * {k} if {x}.dtype == tf.float32 else {x} + {x}",
    "{o} = {x} * {k} if {x}.dtype == tf.float32 else {x} * (2 if type({k}) is int else 7)",
    "{o} = {x} * {k} if {x}.shape.rank == 1 else {x} * (2 if type({k}) is int else 7)",
]  # fmt: skip

# What a leaf of an argument can be.
CONTENTS = [
    "filled('float32', [2])", "filled('float32', [3])", "filled('int32', [2])", "filled('float64', [])",
    "filled('string', [1])", "filled('bool', [2, 1])", "1", "True", "1.0", "2", "'a'", "None", "0.0", "-0.0",
    "array('float32', [2])", "array('int64', [2, 2])", "np.float32(1.5)", "np.int64(3)", "np.bool_(False)",
    "np.str_('a')",
]  # fmt: skip
NESTS = [
    "[{p}, {q}]", "({p}, {q})", "{{'a': {p}, 'b': {q}}}", "{{'b': {q}, 'a': {p}}}", "Pair({p}, {q})", "[]", "()",
    "{{}}", "[{p}]", "({p},)", "{{'a': {p}}}", "[{p}, [{q}]]", "{{'a': [{p}], 'b': ({q},)}}", "[{p}, {q}, {p}]",
    "Pair([{p}], {{'c': {q}}})", "{{'a': {{}}, 'b': {p}}}", "[[], {p}]", "[(), {p}]", "{{1: {p}, 2: {q}}}",
]  # fmt: skip

# Each sets o1 from the nest `n` and the list `o0` of its leaves.
NEST_LINES = [
    "o1 = len(n)", "o1 = type(n).__name__", "o1 = [str(type(part)) for part in o0 if not tf.is_tensor(part)]",
    "o1 = n", "o1 = [tf.cast(part, tf.float64) * 2 for part in o0 if not isinstance(part, (str, type(None)))]",
]  # fmt: skip

# Each line of a function of the variables `p` and `q`, which are arguments, and `c` and `d`, which are captured.
CAPTURED = [
    "{o} = p + q", "{o} = p is q", "{o} = p.assign_add(q)", "{o} = p.assign(q * 0.5)", "{o} = c.assign_add(p) + d",
    "{o} = d.assign(p + s)", "{o} = c + s", "{o} = p.trainable",
    "{o} = [p.read_value(), q.assign_sub(p), p.read_value()]", "{o} = c.assign(d) * p", "{o} = c is d",
    "{o} = c.assign_add([1.0, 1.0]); {o} = d.assign({o} * s)",
    "{o} = tf.cond(p[0] < 9, lambda: p.assign_add(q), lambda: q + s)", "{o} = p.shape",
    "{o} = q[0].assign(s) if isinstance(s, float) else p + s", "{o} = p * q; c.assign({o} * 0.25)",
    "{o} = tf.stack([p, q, c, d])", "{o} = tf.cond(p[0] > 99, lambda: p.assign(p * s), lambda: q + 0)",
]  # fmt: skip
ARGUMENTS = ["v, v", "v, w", "w, v", "w, w", "v, u", "u, u"]
# Likewise, where what is captured may be an argument, too.
READ = ["{o} = p + q * c", "{o} = [p is c, q is d]", "{o} = tf.stack([p, q, c, d]) * s", "{o} = c - p if p is q else d"]
ALSO_CAPTURED = ["c, c", "c, d", "v, c", "d, c", "c, v", "d, d"]

FLOATS = ["[2]", "[3, 2]", "[1, 2]", "[2, 2]"]
# Each sets {o} from a float tensor, a number or tensor {k}, and a captured variable {v}.
SMOOTH = [
    "{o} = {x} * {x} * {k} + {v}", "{o} = tf.sin({x}) * {v} * {k}", "{o} = {x} * {k}", "{o} = {v} * {v} * {k}",
    "{o} = ({x}, {v} * {x})", "{o} = tf.stop_gradient({x}) * {x} * {v}",
    "{o} = [tf.reduce_sum({x} ** 2) * {k}, tf.shape({x})]", "{o} = {x} / ({v} + {k})",
    "{v}.assign_add([1.0, 1.0]); {o} = {x} * {v}", "{o} = {x}", "{o} = tf.exp(-{x}) + {k} * {v}",
    "{o} = tf.gather({v}, [0, 0]) * {x}",
    "{o} = tf.cond({x}[..., 0][0] > 0 if {x}.shape.rank > 1 else {x}[0] > 0, lambda: {x} * {v}, lambda: {v})",
]  # fmt: skip
