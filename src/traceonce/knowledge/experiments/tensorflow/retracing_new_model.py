"""Every Keras model traces its steps anew, and so does one that is compiled again."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces, eager

symptom = Retraces(traces=5, cause="new_function")


def failure():
    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("adam", "mse")
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def workaround_put_the_state_back():
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    state = [*model.variables, *model.optimizer.variables]
    fresh = [variable.numpy() for variable in state]

    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        for variable, value in zip(state, fresh):
            variable.assign(value)
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


@eager
def workaround_run_eagerly():
    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("adam", "mse", run_eagerly=True)
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def dead_end_clear_session():
    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        tf.keras.backend.clear_session()
        model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("adam", "mse")
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def dead_end_compile_again():
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    fresh = model.get_weights()

    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        model.set_weights(fresh)
        model.compile("adam", "mse")  # for an optimizer without memory of the last fold
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def dead_end_clone_model():
    template = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])

    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        model = tf.keras.models.clone_model(template)
        model.compile("adam", "mse")
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def dead_end_weights_only():
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("adam", "mse")
    fresh = model.get_weights()

    features, targets = tf.ones([8, 3]), tf.constant([[1.0]] * 8)
    trained = []
    for fold in range(5):
        model.set_weights(fresh)
        for _ in range(4):
            model.train_on_batch(features * float(fold), targets)
        trained.append(model.get_weights())
    return trained


def message_cross_validation_with_fit():
    images, labels = tf.ones([12, 3]), tf.zeros([12], tf.int32)
    for _ in range(5):
        model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        model.fit(images, labels, batch_size=12, verbose=0)


def message_predict_of_an_ensemble():
    for width in (4, 4, 4, 4, 4, 4):
        member = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(width)])
        member.predict(tf.ones([2, 3]), verbose=0)


def message_evaluate_after_compile():
    model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1)])
    for threshold in range(5):
        model.compile(loss="mae")
        model.evaluate(tf.ones([4, 2]), tf.ones([4, 1]) * float(threshold), verbose=0)
