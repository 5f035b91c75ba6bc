"""Convert by one of two rules, objects with an equality of their own that live for one call."""

import tensorflow as tf

FEWEST = 2
WHY = "Two rules that are not equal; each stands for all later ones that are equal to it, though it is gone by then."


class Rule:
    def __init__(self, factor, offset):
        self.factor, self.offset = factor, offset

    def __eq__(self, other):
        return isinstance(other, Rule) and (self.factor, self.offset) == (other.factor, other.offset)

    def __hash__(self):
        return hash((self.factor, self.offset))


def run(function):
    @function
    def convert(values, rule):
        return values * rule.factor + rule.offset

    values = tf.constant([-40.0, 0.0, 100.0])
    return [convert(values, rule) for _ in range(4) for rule in (Rule(1.8, 32.0), Rule(1.0, 273.15))]
