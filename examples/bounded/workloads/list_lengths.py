"""Average the predictions of an ensemble: a list of one to four tensors."""

import tensorflow as tf

FEWEST = 4
WHY = "One per length of the list: a list of another length is another structure."


def run(function):
    @function
    def ensemble(predictions):
        return tf.add_n([tf.nn.softmax(prediction) for prediction in predictions]) / len(predictions)

    def predict(member):
        return tf.sin(tf.reshape(tf.range(6.0), [2, 3]) + member)

    return [ensemble([predict(member) for member in range(size)]) for size in (1, 2, 3, 4, 2, 1, 4, 3)]
