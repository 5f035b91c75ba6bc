"""Evaluate a small convolutional network on pictures of any size, with running metrics."""

import tensorflow as tf

FEWEST = 2
WHY = "The first size, and one trace with open height and width, which vary together."


def kernel(*shape):
    """Weights that look random and are the same in every run."""
    return tf.Variable(tf.sin(tf.reshape(tf.range(float(tf.reduce_prod(shape))), shape) * 12.9898) * 0.3)


class Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        self.edges, self.shapes, self.output = kernel(3, 3, 1, 4), kernel(3, 3, 4, 8), kernel(8, 3)

    def __call__(self, images):
        features = tf.nn.relu(tf.nn.conv2d(images, self.edges, 1, "SAME"))
        features = tf.nn.max_pool2d(features, 2, 2, "SAME")
        features = tf.nn.relu(tf.nn.conv2d(features, self.shapes, 1, "SAME"))
        return tf.reduce_mean(features, axis=[1, 2]) @ self.output


def run(function):
    model = Classifier()
    accuracy, loss = tf.keras.metrics.SparseCategoricalAccuracy(), tf.keras.metrics.Mean()

    @function
    def evaluate(images, labels):
        images = tf.cast(images, tf.float32) / 255.0
        logits = model(tf.image.per_image_standardization(images))
        accuracy.update_state(labels, logits)
        loss.update_state(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return tf.argmax(logits, axis=-1)

    predictions = []
    for height, width in ((8, 8), (12, 10), (9, 16), (16, 16), (8, 8), (7, 11)):
        pixels = tf.reshape(tf.range(2 * height * width), [2, height, width, 1]) * 37 % 256
        predictions.append(evaluate(tf.cast(pixels, tf.uint8), tf.constant([0, 2])))
    return [*predictions, accuracy.result(), loss.result(), *accuracy.variables, *loss.variables]
