"""Claim: two objects that hold the same number cause two traces, and a `__hash__` would make them one.

Half true. Two objects of a plain class do cause two traces, but `__hash__` alone changes nothing: TensorFlow asks
whether the objects are equal. A class with `__eq__` and `__hash__` (a frozen dataclass has both) needs one trace, for
as long as the object of the first call is alive. A class with `__eq__` alone cannot be hashed and raises a TypeError.
"""

from __future__ import annotations

import tensorflow as tf


class Plain:
    def __init__(self, rate: float) -> None:
        self.rate = rate


class Hashed(Plain):
    def __hash__(self) -> int:
        return hash(self.rate)


class Equal(Hashed):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.rate == other.rate

    __hash__ = Hashed.__hash__  # a class that defines `__eq__` loses the one that it inherits


@tf.function
def tax_plain(settings: Plain, amount: tf.Tensor) -> tf.Tensor:
    return settings.rate * amount


@tf.function
def tax_hashed(settings: Hashed, amount: tf.Tensor) -> tf.Tensor:
    return settings.rate * amount


@tf.function
def tax_equal(settings: Equal, amount: tf.Tensor) -> tf.Tensor:
    return settings.rate * amount


def main() -> None:
    amount = tf.constant(80.0)
    for tax, kind in ((tax_plain, Plain), (tax_hashed, Hashed), (tax_equal, Equal)):
        first, second = kind(0.5), kind(0.5)
        print(kind.__name__, float(tax(first, amount)), float(tax(second, amount)))


if __name__ == "__main__":
    main()
