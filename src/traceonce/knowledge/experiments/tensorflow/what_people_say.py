"""What articles and answers say about retracing, as programs. Each returns its outputs; what is traced is watched.

The programs follow the claims, not the truth: several are expected to come out otherwise than their authors say.
"""

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import cases


def claim_error_after_1000():
    @tf.function
    def train_step(step):
        return step

    return [train_step(step) for step in range(1_050)][-1]


def claim_there_is_a_limit_to_raise():
    """The settings of TensorFlow whose names speak of a limit on tracing."""
    spaces = {"tf.config": tf.config, "tf.config.experimental": tf.config.experimental, "tf.autograph": tf.autograph}
    names = [f"{space}.{name}" for space, module in spaces.items() for name in dir(module)]
    return [name for name in names if "retrac" in name or ("trac" in name and ("limit" in name or "max" in name))]


@cases(
    "x * k",
    "int, float and bool",
    "a shape",
    "reduce_sum axis",
    "one_hot depth",
    "range(k)",
    "tf.split",
    "tf.unstack",
    "tf.stack axis",
    "list index",
    "Dropout(training=)",
)
def claim_numbers_to_tensors(case):
    x = tf.reshape(tf.range(16.0), [4, 4])
    dropout = tf.keras.layers.Dropout(0.5)
    bodies = {
        "x * k": lambda k: x * tf.cast(k, tf.float32),
        "int, float and bool": lambda k: x * tf.cast(k, tf.float32),
        "a shape": lambda k: tf.zeros([k, 2]),
        "reduce_sum axis": lambda k: tf.reduce_sum(x, axis=k),
        "one_hot depth": lambda k: tf.one_hot([0, 1], depth=k),
        "range(k)": lambda k: tf.reduce_sum(tf.range(k)),
        "tf.split": lambda k: tf.split(x, k),
        "tf.unstack": lambda k: tf.unstack(x, k),
        "tf.stack axis": lambda k: tf.stack([x, x], axis=k),
        "list index": lambda k: [x, x + 1][k],
        "Dropout(training=)": lambda k: dropout(x, training=k),
    }
    numbers = {
        "int, float and bool": (1, 2.0, True),
        "Dropout(training=)": (False, False),
        "reduce_sum axis": (0, 1),
        "tf.stack axis": (0, 1),
        "list index": (0, 1),
        "tf.unstack": (4, 4),
        "tf.split": (1, 2),
    }.get(case, (1, 2, 3))
    step = tf.function(bodies[case])
    return [step(tf.constant(number)) for number in numbers]


@cases("a sum", "a mean")
def claim_padding(case):
    reduce = tf.function({"a sum": tf.reduce_sum, "a mean": tf.reduce_mean}[case])
    return [reduce(tf.pad(tf.ones([size]), [[0, 8 - size]])) for size in range(1, 9)]


@cases("a sum", "a mean")
def right_claim_padding(case):
    return [float(size) if case == "a sum" else 1.0 for size in range(1, 9)]


@cases("tensors of other shapes", "tensors of other dtypes", "NumPy arrays of other dtypes", "Python numbers")
def claim_input_signature(case):
    shape = [] if case == "Python numbers" else [None]

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32)])
    def double(x):
        return tf.reduce_sum(x) * 2.0

    inputs = {
        "tensors of other shapes": [tf.ones([size]) for size in (1, 2, 3)],
        "tensors of other dtypes": [tf.ones([2], dtype) for dtype in (tf.float32, tf.int32, tf.float64)],
        "NumPy arrays of other dtypes": [np.ones([2], dtype) for dtype in (np.float32, np.int32, np.float64)],
        "Python numbers": [1, 2.0, 3],
    }
    return [double(x) for x in inputs[case]]


@cases("tf.cond, Python bool", "tf.switch_case, Python int", "tf.cond, tensor", "tf.switch_case, tensor")
def claim_cond(case):
    x = tf.constant(2.0)

    @tf.function
    def step(which):
        if case.startswith("tf.cond"):
            return tf.cond(which, lambda: x + 1.0, lambda: x - 1.0)
        return tf.switch_case(which, [lambda: x + 1.0, lambda: x - 1.0])

    choices = (True, False) if case.startswith("tf.cond") else (0, 1)
    return [step(tf.constant(choice) if case.endswith("tensor") else choice) for choice in choices]


@cases("other shapes", "other ranks", "Python numbers", "other list lengths", "other dtypes")
def claim_reduce_retracing(case):
    @tf.function(reduce_retracing=True)
    def step(x):
        return tf.add_n(x) if isinstance(x, list) else tf.reduce_sum(tf.cast(x, tf.float32))

    inputs = {
        "other shapes": [tf.ones([size]) for size in range(1, 11)],
        "other ranks": [tf.ones([2] * rank) for rank in range(1, 5)],
        "Python numbers": [float(number) for number in range(2, 12)],
        "other list lengths": [[tf.constant(1.0)] * length for length in range(1, 6)],
        "other dtypes": [tf.ones([2], dtype) for dtype in (tf.float32, tf.int32, tf.int64)],
    }
    return [step(x) for x in inputs[case]]


@cases("a tf.function", "a function of tf.data")
def claim_run_eagerly(case):
    tf.config.run_functions_eagerly(True)
    runs = []

    def step(x):
        runs.append(x)
        return x + 1

    if case == "a tf.function":
        step = tf.function(step)
        [step(tf.constant(number)) for number in range(10)]
    else:
        list(tf.data.Dataset.range(10).map(step))
    return {"times that the Python code ran": len(runs)}


def claim_lengths():
    @tf.function
    def process_data(data):
        return tf.reduce_sum(data)

    return [process_data(tf.range(length)) for length in (3, 5, 2)]


@cases("rows of other lengths", "another number of rows")
def claim_ragged(case):
    @tf.function
    def process_data(data):
        return tf.reduce_sum(data)

    rows = {
        "rows of other lengths": [[[1, 2], [3]], [[1], [2, 3, 4]], [[], [5]]],
        "another number of rows": [[[1, 2], [3]], [[1], [2, 3, 4], [5]], [[7]]],
    }
    return [process_data(tf.ragged.constant(one, dtype=tf.int32)) for one in rows[case]]


def claim_dtypes_as_written():
    @tf.function
    def mixed_type_op(x, y):
        return x + y

    return [mixed_type_op(tf.constant(1, dtype), tf.constant(2.0)) for dtype in (tf.int32, tf.float32, tf.int64)]


def claim_type_hints():
    @tf.function
    def mixed_type_op(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.cast(x, tf.float32) + y

    return [mixed_type_op(tf.constant(1, dtype), tf.constant(2.0)) for dtype in (tf.int32, tf.float32, tf.int64)]


class MyData:
    def __init__(self, value):
        self.value = value


def claim_two_instances():
    @tf.function
    def use_custom_class(data):
        return data.value * 2

    data1, data2 = MyData(10), MyData(10)
    return [use_custom_class(data1), use_custom_class(data2)]


class Hashed(MyData):
    def __hash__(self):
        return hash(self.value)


class Equal(Hashed):
    def __eq__(self, other):
        return isinstance(other, Equal) and self.value == other.value

    __hash__ = Hashed.__hash__


class OnlyEqual(MyData):
    def __eq__(self, other):
        return self.value == other.value


@cases("__hash__ alone", "__eq__ and __hash__, objects kept", "__eq__ and __hash__, new objects", "__eq__ alone")
def claim_hash(case):
    @tf.function
    def use_custom_class(data):
        return data.value * 2

    kind = {"__hash__ alone": Hashed, "__eq__ alone": OnlyEqual}.get(case, Equal)
    if case == "__eq__ and __hash__, new objects":
        return [use_custom_class(kind(10)) for _ in range(5)]
    kept = [kind(10) for _ in range(5)]
    return [use_custom_class(data) for data in kept]


scale = 1.0


def claim_external_state():
    global scale

    @tf.function
    def step(x):
        return x * scale

    outputs = []
    for scale in (1.0, 2.0):
        outputs.append(step(tf.constant(3.0)))
    return outputs


def right_claim_external_state():
    return [3.0, 6.0]


@cases("an if on a tensor", "an if on a Python bool")
def claim_branches(case):
    @tf.function
    def step(x, positive):
        if positive:
            return x + 1.0
        return x - 1.0

    flags = (True, False, True, False)
    return [step(tf.constant(1.0), tf.constant(flag) if "tensor" in case else flag) for flag in flags]


@cases("the example with an if", "the example with two shapes")
def claim_undecorated(case):
    def with_an_if(x, y):
        if tf.greater(x, y):
            return tf.add(x, y)
        return tf.subtract(x, y)

    if case == "the example with an if":
        return [with_an_if(tf.constant(10.0), tf.constant(y)) for y in (5.0, 15.0)]
    return [tf.reduce_sum(tf.ones([2, columns])) for columns in (2, 3)]


def claim_values():
    @tf.function
    def double(x):
        return x * 2.0

    return [double(tf.constant(float(value))) for value in range(100)]


def claim_same_types():
    @tf.function
    def my_function(x, y):
        return tf.add(x, y)

    return [my_function(tf.constant(10.0), tf.constant(y)) for y in (5.0, 15.0)]


def claim_two_shapes():
    @tf.function
    def simple_computation(x):
        return tf.reduce_sum(x)

    return [simple_computation(tf.ones([10, columns])) for columns in (20, 21)]


def claim_signature_of_none():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def simple_computation(x):
        return tf.reduce_sum(x)

    return [simple_computation(tf.ones(shape)) for shape in ([10, 20], [10, 21], [15, 15])]


def claim_dynamic_reshape():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def flatten(x):
        rows, columns = tf.shape(x)[0], tf.shape(x)[1]
        return tf.reduce_sum(tf.reshape(x, [1, rows * columns]))

    return [flatten(tf.ones(shape)) for shape in ([10, 20], [10, 21])]
