"""Integrate a function that each call writes down anew as a lambda."""

import tensorflow as tf

FEWEST = 1
WHY = "The lambdas have one code and capture equal values."


def run(function):
    @function
    def integrate(integrand, points):
        values = integrand(points)
        return tf.reduce_sum((values[1:] + values[:-1]) * (points[1:] - points[:-1])) / 2.0

    def area(exponent):
        return integrate(lambda x: x**exponent, tf.linspace(0.0, 1.0, 11))

    return [area(2) for _ in range(6)]
