"""Python statements in a tf.function run while it is traced, not when it is called."""

import tensorflow as tf

from traceonce.knowledge.experiment import Logs

symptom = Logs(text=r"\bTensor\(\"|<tf\.Tensor '")


def failure():
    history = []

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        print("loss", loss)
        history.append(loss)
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history


def right():
    return [(1.0 + 2.0 + step) / 3 for step in range(3)]


def workaround_return_it():
    @tf.function
    def train_step(batch):
        return tf.reduce_mean(batch)

    history = []
    for step in range(3):
        loss = train_step(tf.constant([1.0, 2.0, float(step)]))
        print("loss", float(loss))
        history.append(float(loss))
    return history


def workaround_tf_operations():
    history = tf.Variable(tf.zeros([3]))
    count = tf.Variable(0)

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        tf.print("loss", loss)
        history[count].assign(loss)
        count.assign_add(1)
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history.numpy().tolist()


def workaround_py_function():
    history = []

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        tf.py_function(lambda loss: history.append(float(loss)), [loss], [])
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history


def dead_end_numpy_in_the_function():
    history = []

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        history.append(loss.numpy())
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history


def dead_end_read_the_list_later():
    history = []

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        history.append(loss)
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return [loss.numpy() for loss in history]


def dead_end_autograph_off():
    history = []

    @tf.function(autograph=False)
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        print("loss", loss)
        history.append(loss)
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history


def dead_end_eager():
    tf.config.run_functions_eagerly(True)
    history = []

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(batch)
        history.append(float(loss))
        return loss

    for step in range(3):
        train_step(tf.constant([1.0, 2.0, float(step)]))
    return history


def message_print_of_shapes():
    @tf.function
    def forward(images, labels):
        logits = tf.matmul(images, tf.ones([4, 3]))
        print(f"logits: {logits}, labels: {labels}")
        return logits

    for _ in range(3):
        forward(tf.ones([8, 4]), tf.zeros([8], tf.int64))


def message_print_of_a_list():
    activations = []

    @tf.function
    def encode(tokens):
        hidden = tf.one_hot(tokens, 16)
        activations.append(hidden)
        activations.append(tf.reduce_sum(hidden, axis=-1))
        return hidden

    encode(tf.constant([[1, 2, 3]]))
    print(activations)


def message_print_in_a_custom_loss():
    def custom_loss(y_true, y_pred):
        error = tf.abs(y_true - y_pred)
        print(error)
        return tf.reduce_mean(error)

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", loss=custom_loss)
    model.fit(tf.ones([4, 2]), tf.zeros([4, 1]), epochs=2, verbose=0)


def message_print_in_a_dataset():
    def parse(image):
        print("parsing", image)
        return tf.cast(image, tf.float32) / 255.0

    list(tf.data.Dataset.from_tensor_slices(tf.zeros([3, 2, 2], tf.uint8)).map(parse))


def message_unknown_shape():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.string), tf.TensorSpec([None, 3], tf.float16)])
    def describe(names, boxes):
        print(names)
        print("boxes:", boxes)
        return tf.shape(boxes)

    describe(tf.constant(["cat"]), tf.zeros([2, 3], tf.float16))
