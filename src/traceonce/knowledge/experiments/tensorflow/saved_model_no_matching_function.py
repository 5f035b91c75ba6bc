"""A SavedModel holds graphs, not Python: only calls that fit one of the graphs that were saved can be made."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(
    type="ValueError", text=r"Could not find matching concrete function to call loaded from the SavedModel"
)


class Average(tf.Module):
    """Traced by whoever calls it, for the shapes that it is called with."""

    @tf.function
    def __call__(self, rows):
        return tf.reduce_sum(rows, axis=0) / tf.cast(tf.shape(rows)[0], tf.float32)


ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]


def failure():
    average = Average()
    average(tf.ones([1, 3]))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")
    return loaded(tf.constant(ROWS))


def right():
    return [sum(column) / len(ROWS) for column in zip(*ROWS, strict=True)]


def workaround_signature_in_the_class():
    class Signed(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, rows):
            return tf.reduce_sum(rows, axis=0) / tf.cast(tf.shape(rows)[0], tf.float32)

    tf.saved_model.save(Signed(), "model")
    loaded = tf.saved_model.load("model")
    return loaded(tf.constant(ROWS))


def workaround_trace_before_saving():
    average = Average()
    average.__call__.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")
    return loaded(tf.constant(ROWS))


def workaround_serving_signature():
    average = Average()
    serve = average.__call__.get_concrete_function(tf.TensorSpec([None, 3], tf.float32, name="rows"))
    tf.saved_model.save(average, "model", signatures={"serving_default": serve})
    loaded = tf.saved_model.load("model")
    return loaded.signatures["serving_default"](rows=tf.constant(ROWS))["output_0"]


def workaround_fit_the_saved_shape():
    average = Average()
    average(tf.ones([1, 3]))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")
    return sum(loaded(tf.constant([row])) for row in ROWS) / len(ROWS)


def dead_end_wrap_what_was_loaded():
    average = Average()
    average(tf.ones([1, 3]))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def average_of_any(rows):
        return loaded(rows)

    return average_of_any(tf.constant(ROWS))


def dead_end_relax_shapes():
    class Relaxed(tf.Module):
        @tf.function(reduce_retracing=True)
        def __call__(self, rows):
            return tf.reduce_sum(rows, axis=0) / tf.cast(tf.shape(rows)[0], tf.float32)

    average = Relaxed()
    average(tf.ones([1, 3]))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")
    return loaded(tf.constant(ROWS))


def dead_end_run_eagerly():
    average = Average()
    average(tf.ones([1, 3]))
    tf.saved_model.save(average, "model")
    loaded = tf.saved_model.load("model")
    tf.config.run_functions_eagerly(True)
    return loaded(tf.constant(ROWS))


def message_other_dtype():
    average = Average()
    average(tf.ones([2, 3]))
    tf.saved_model.save(average, "average")
    return tf.saved_model.load("average")(tf.ones([2, 3], tf.float64))


def message_training_flag():
    class Dropout(tf.Module):
        @tf.function
        def __call__(self, activations, training=False):
            return tf.nn.dropout(activations, 0.5) if training else activations

    layer = Dropout()
    layer(tf.ones([8]))
    tf.saved_model.save(layer, "dropout")
    return tf.saved_model.load("dropout")(tf.ones([8]), training=True)


def message_inside_a_function():
    average = Average()
    average(tf.ones([4, 3]))
    average(tf.ones([8, 3]))
    tf.saved_model.save(average, "encoder")
    encoder = tf.saved_model.load("encoder")

    @tf.function
    def serve(requests):
        return encoder(requests)

    return serve(tf.ones([16, 3]))


def message_tokens_by_keyword():
    class Tokenizer(tf.Module):
        @tf.function
        def tokenize(self, text, lower=True):
            return tf.strings.split(tf.strings.lower(text) if lower else text)

    tokenizer = Tokenizer()
    tokenizer.tokenize(tf.constant(["A b"]))
    tf.saved_model.save(tokenizer, "tokenizer")
    return tf.saved_model.load("tokenizer").tokenize(tf.constant(["A b", "c"]), lower=False)


def message_never_traced():
    tf.saved_model.save(Average(), "untraced")
    return tf.saved_model.load("untraced")(tf.ones([2, 3]))
