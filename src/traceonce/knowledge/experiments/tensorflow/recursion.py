"""Both branches of a tensor's `if` are traced, so a function that calls itself is traced without an end."""

import sys

import tensorflow as tf

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="Exception", text=r"RecursionError: maximum recursion depth exceeded")

SIZES = [3, 5]


def failure():
    @tf.function
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    return [factorial(tf.constant(n)) for n in SIZES]


def right():
    return [6, 120]


def workaround_while_loop():
    @tf.function
    def factorial(n):
        result = 1
        while n > 1:
            result *= n
            n -= 1
        return result

    return [factorial(tf.constant(n)) for n in SIZES]


def workaround_one_operation():
    @tf.function
    def factorial(n):
        return tf.reduce_prod(tf.range(1, n + 1))

    return [factorial(tf.constant(n)) for n in SIZES]


def workaround_python_number():
    @tf.function
    def factorial(n):
        if n <= 1:
            return tf.constant(1)
        return n * factorial(n - 1)

    return [factorial(n) for n in SIZES]


def dead_end_higher_limit():
    sys.setrecursionlimit(2500)

    @tf.function
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    return [factorial(tf.constant(n)) for n in SIZES]


def dead_end_tf_cond():
    @tf.function
    def factorial(n):
        return tf.cond(n <= 1, lambda: 1, lambda: n * factorial(n - 1))

    return [factorial(tf.constant(n)) for n in SIZES]


def dead_end_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    return [factorial(tf.constant(n)) for n in SIZES]


def message_mutual():
    @tf.function
    def is_even(n):
        if n == 0:
            return True
        return is_odd(n - 1)

    @tf.function
    def is_odd(n):
        if n == 0:
            return False
        return is_even(n - 1)

    return is_even(tf.constant(4))


def message_tree_method():
    class Tree(tf.Module):
        def __init__(self):
            self.left = tf.constant([1, 3, -1, -1])
            self.value = tf.constant([0.5, 0.25, 0.125, 1.0])

        @tf.function
        def depth_sum(self, node):
            if node < 0:
                return 0.0
            return self.value[node] + self.depth_sum(self.left[node])

    tree = Tree()
    return tree.depth_sum(tf.constant(0))


def message_cond():
    @tf.function
    def collatz(n, steps):
        return tf.cond(n == 1, lambda: steps, lambda: collatz(tf.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1))

    return collatz(tf.constant(7), tf.constant(0))
