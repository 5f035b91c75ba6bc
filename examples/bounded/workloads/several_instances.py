"""Three filters, each with a state of its own, fed by the same method with series of varying length."""

import tensorflow as tf

FEWEST = 6
WHY = "Two per object: the first length and the open one; objects share none, as each has its own variable."


def run(function):
    class Filter:
        def __init__(self, share):
            self.share, self.state = share, tf.Variable(0.0)

        @function
        def feed(self, series):
            self.state.assign(self.share * self.state + (1.0 - self.share) * tf.reduce_mean(series))
            return series - self.state

    filters = [Filter(share) for share in (0.5, 0.8, 0.9)]
    outputs = [each.feed(tf.range(float(length))) for length in (3, 5, 4, 3, 6) for each in filters]
    return [*outputs, *(each.state for each in filters)]
