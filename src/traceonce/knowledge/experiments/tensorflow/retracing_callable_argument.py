"""A bound method, a lambda or a partial is a new object each time it is written: passed as an argument, it retraces."""

import functools

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="collected", path="loss_fn")

predictions, labels = tf.constant([1.0, 2.0]), tf.constant([0.5, 1.0])


class Trainer:
    """What the trials train with."""

    weight = 2.0

    def loss(self, predictions, labels):
        return self.weight * tf.reduce_mean((predictions - labels) ** 2)


def failure():
    @tf.function
    def evaluate(predictions, labels, loss_fn):
        return loss_fn(predictions, labels)

    trainer = Trainer()
    return [evaluate(predictions, labels, trainer.loss) for _ in range(5)]


def workaround_keep_the_method():
    @tf.function
    def evaluate(predictions, labels, loss_fn):
        return loss_fn(predictions, labels)

    trainer = Trainer()
    loss_fn = trainer.loss  # one object, kept as long as the function is called
    return [evaluate(predictions, labels, loss_fn) for _ in range(5)]


def workaround_bind_it_once():
    def make_evaluate(loss_fn):
        @tf.function
        def evaluate(predictions, labels):
            return loss_fn(predictions, labels)

        return evaluate

    trainer = Trainer()
    evaluate = make_evaluate(trainer.loss)
    return [evaluate(predictions, labels) for _ in range(5)]


def workaround_pass_the_object():
    @tf.function
    def evaluate(predictions, labels, trainer):
        return trainer.loss(predictions, labels)

    trainer = Trainer()
    return [evaluate(predictions, labels, trainer) for _ in range(5)]


def workaround_pass_a_name():
    trainer = Trainer()
    losses = {"weighted": trainer.loss}

    @tf.function
    def evaluate(predictions, labels, loss):
        return losses[loss](predictions, labels)

    return [evaluate(predictions, labels, "weighted") for _ in range(5)]


def dead_end_lambda():
    @tf.function
    def evaluate(predictions, labels, loss_fn):
        return loss_fn(predictions, labels)

    trainer = Trainer()
    return [evaluate(predictions, labels, lambda y, t: trainer.loss(y, t)) for _ in range(5)]


def dead_end_partial():
    @tf.function
    def evaluate(predictions, labels, loss_fn):
        return loss_fn(predictions, labels)

    trainer = Trainer()
    return [evaluate(predictions, labels, functools.partial(Trainer.loss, trainer)) for _ in range(5)]


def dead_end_reduce_retracing():
    @tf.function(reduce_retracing=True)
    def evaluate(predictions, labels, loss_fn):
        return loss_fn(predictions, labels)

    trainer = Trainer()
    return [evaluate(predictions, labels, trainer.loss) for _ in range(5)]


@tf.function
def apply_activation(inputs, activation):
    return activation(inputs)


def message_lambda_in_a_loop():
    return [apply_activation(tf.ones([4]), lambda x: tf.nn.relu(x) * 2.0) for _ in range(6)]


def message_partial_with_options():
    class Augmenter:
        @tf.function
        def augment(self, images, op):
            return op(images)

    augmenter = Augmenter()
    return [
        augmenter.augment(tf.ones([1, 4, 4, 3]), op=functools.partial(tf.image.adjust_contrast, contrast_factor=2.0))
        for _ in range(6)
    ]


def message_methods_in_a_dictionary():
    class Metrics:
        def accuracy(self, y):
            return tf.reduce_mean(y)

    metrics = Metrics()

    @tf.function
    def report(y, fns):
        return {name: fn(y) for name, fn in fns.items()}

    return [report(tf.ones([3]), {"accuracy": metrics.accuracy}) for _ in range(6)]


def message_functions_that_live():
    @tf.function
    def transform(x, fn):
        return fn(x)

    scalers = [lambda x, factor=factor: x * factor for factor in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)]
    return [transform(tf.constant(1.0), scaler) for scaler in scalers]
