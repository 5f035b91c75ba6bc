"""In Keras layers and models, `traceonce.function` does what `tf.function` does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tensorflow.dropin.paired import Maker, alike, thrice


def dense(tf: Any, function: Maker) -> Any:
    """A layer whose `call` is a function that has a Python number and a flag."""

    class Dense(tf.keras.layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.units = units

        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="ones")

        @function
        def call(self, x: Any, training: bool = False, scale: float = 0.5) -> Any:
            return x @ self.kernel * scale + (1.0 if training else 0.0)

    return Dense


def test_a_keras_layer(tf: Any) -> None:
    """Called by itself, with varying rows and flags."""

    def program(function: Maker) -> Any:
        layer = dense(tf, function)(2)
        calls = [(rows, flag) for rows in (1, 2, 3) for flag in (False, True)]
        return [thrice(layer, tf.ones([rows, 3]), training=flag) for rows, flag in calls], layer.weights

    alike(tf, program)


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_keras_model_that_is_fitted(tf: Any, eagerly: bool) -> None:
    """Losses, weights, evaluations and predictions of a model whose layer is such a function."""

    def program(function: Maker) -> Any:
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Input([3]), dense(tf, function)(2), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse", run_eagerly=eagerly)
        x, y = np.arange(15, dtype=np.float32).reshape(5, 3) / 15, np.ones([5, 1], np.float32)
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0, shuffle=False).history
        answers = [model.evaluate(x, y, verbose=0), model.predict(x, verbose=0), model(x), model.get_weights()]
        return history, answers

    alike(tf, program)


def test_a_keras_model_with_its_own_train_step(tf: Any) -> None:
    """Keras puts a tf.function around it; and it works alone, too."""

    def program(function: Maker) -> Any:
        class Model(tf.keras.Model):
            def __init__(self) -> None:
                super().__init__()
                self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

            def call(self, x: Any) -> Any:
                return self.dense(x)

            @function
            def train_step(self, data: Any) -> Any:
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
                weights = self.trainable_variables
                self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
                return {"loss": loss}

        model = Model()
        model.compile(tf.keras.optimizers.SGD(0.1))
        x, y = np.ones([5, 3], np.float32), np.zeros([5, 1], np.float32)
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0).history
        alone = [thrice(model.train_step, (tf.ones([rows, 3]), tf.zeros([rows, 1]))) for rows in (1, 2, 3)]
        return history, alone, model.get_weights()

    alike(tf, program)
