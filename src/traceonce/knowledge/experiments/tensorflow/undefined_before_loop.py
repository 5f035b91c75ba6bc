"""What a loop over tensors carries from one pass to the next needs a value before the first one."""

import tensorflow as tf

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="Exception",
    text=r"'found' must be defined before the loop|a return statement cannot be placed inside this TensorFlow loop",
)


@cases("assigned in the loop", "returned from the loop")
def failure(use):
    @tf.function
    def last_large(losses):
        for loss in losses:
            if loss > 2.0:
                found = loss
        return found

    @tf.function
    def first_large(losses):
        for loss in losses:
            if loss > 2.0:
                return loss
        return 0.0

    large = last_large if use == "assigned in the loop" else first_large
    return [large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop", "returned from the loop")
def right(use):
    return [4.0, 6.0] if use == "assigned in the loop" else [3.0, 5.0]


@cases("assigned in the loop")
def workaround_define_before(use):
    @tf.function
    def last_large(losses):
        found = tf.constant(0.0)  # the dtype and shape that it will have
        for loss in losses:
            if loss > 2.0:
                found = loss
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("returned from the loop")
def workaround_break(use):
    @tf.function
    def first_large(losses):
        found = tf.constant(0.0)
        for loss in losses:
            if loss > 2.0:
                found = loss
                break
        return found

    return [first_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def workaround_without_a_loop(use):
    @tf.function
    def last_large(losses):
        return tf.boolean_mask(losses, losses > 2.0)[-1]

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def workaround_while_loop(use):
    @tf.function
    def last_large(losses):
        def more(i, found):
            return i < tf.size(losses)

        def look(i, found):
            return i + 1, tf.where(losses[i] > 2.0, losses[i], found)

        _, found = tf.while_loop(more, look, [tf.constant(0), tf.constant(0.0)])
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def dead_end_default_inside(use):
    @tf.function
    def last_large(losses):
        for loss in losses:
            found = 0.0
            if loss > 2.0:
                found = loss
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def dead_end_none_before(use):
    @tf.function
    def last_large(losses):
        found = None
        for loss in losses:
            if loss > 2.0:
                found = loss
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def dead_end_other_dtype(use):
    @tf.function
    def last_large(losses):
        found = 0
        for loss in losses:
            if loss > 2.0:
                found = loss
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


@cases("assigned in the loop")
def dead_end_else(use):
    @tf.function
    def last_large(losses):
        for loss in losses:
            if loss > 2.0:
                found = loss
            else:
                found = found
        return found

    return [last_large(tf.constant(losses)) for losses in ([1.0, 3.0, 4.0, 2.0], [5.0, 0.5, 6.0, 1.0])]


def message_sum_without_a_start():
    @tf.function
    def total_of(values):
        index = 0
        while index < tf.size(values):
            total = total + values[index]  # noqa: F821
            index += 1
        return total

    return total_of(tf.constant([1.0, 2.0]))


def message_empty_loop():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def last_of(values):
        for value in values:
            last = value
        return last

    return last_of(tf.zeros([0]))


def message_none_before_a_decoder():
    class Decoder(tf.Module):
        @tf.function
        def decode(self, state, steps):
            token = None
            for _ in tf.range(steps):
                state = state * 2
                if state > 10:
                    token = state % 7
            return token

    return Decoder().decode(tf.constant(3), tf.constant(4))


def message_in_a_nested_function():
    def best_row(rows):
        for row in rows:
            if tf.reduce_sum(row) > 1.0:
                best = row
        return best

    @tf.function
    def select(batch):
        return best_row(batch) * 2.0

    return select(tf.ones([2, 3]))


def message_return_in_a_dataset():
    def first_token(line):
        for token in tf.strings.split(line):
            if token != "<pad>":
                return token
        return ""

    return list(tf.data.Dataset.from_tensors("<pad> a b").map(first_token))
