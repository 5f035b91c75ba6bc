"""`training=1` and `training=True` are equal, and share a trace."""

import tensorflow as tf

from traceonce.knowledge.experiment import Wrong

symptom = Wrong()


def failure():
    @tf.function
    def forward(features, training):
        if training is True:
            return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
        return features

    features = tf.ones([6])
    return [forward(features, training=1), forward(features, training=True)]


def right():
    features = tf.ones([6])
    dropped = tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
    return [dropped, dropped]


def workaround_bool_before_the_call():
    @tf.function
    def forward(features, training):
        if training is True:
            return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
        return features

    features = tf.ones([6])
    return [forward(features, training=bool(flag)) for flag in (1, True)]


def workaround_truth_in_the_body():
    @tf.function
    def forward(features, training):
        if training:
            return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
        return features

    features = tf.ones([6])
    return [forward(features, training=1), forward(features, training=True)]


def workaround_two_functions():
    @tf.function
    def train_forward(features):
        return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])

    @tf.function
    def test_forward(features):
        return features

    def forward(features, training):
        return train_forward(features) if training else test_forward(features)

    features = tf.ones([6])
    return [forward(features, training=1), forward(features, training=True)]


def dead_end_type_hint():
    @tf.function
    def forward(features: tf.Tensor, training: bool):
        if training is True:
            return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
        return features

    features = tf.ones([6])
    return [forward(features, training=1), forward(features, training=True)]


def dead_end_tensor():
    @tf.function
    def forward(features, training):
        if training is True:
            return tf.nn.experimental.stateless_dropout(features, rate=0.5, seed=[1, 2])
        return features

    features = tf.ones([6])
    return [forward(features, training=tf.constant(flag)) for flag in (1, True)]


def message_layer():
    class GaussianNoise:
        def __init__(self):
            self.scale = tf.Variable(0.5)

        @tf.function
        def __call__(self, features, training=False):
            return features + self.scale if training is True else features

    noise = GaussianNoise()
    noise(tf.ones([2]), training=1)
    noise(tf.ones([2]), training=True)


def message_keras_model():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dropout(0.5)])
    model.build([None, 3])

    @tf.function
    def predict(images, training):
        return model(images, training=training)

    predict(tf.ones([1, 3]), 0)
    predict(tf.ones([1, 3]), False)


def message_float_flag():
    @tf.function
    def encode(tokens, *, training):
        return tf.one_hot(tokens, 4) * training

    encode(tf.constant([1, 2]), training=1.0)
    encode(tf.constant([1, 2]), training=True)
