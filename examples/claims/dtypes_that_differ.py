"""Claim: adding an int32, a float32 and an int64 to a float32 traces a function three times; type hints prevent it.

The example cannot run: TensorFlow does not add an int32 to a float32, so the very first call of `raise_price` is a
TypeError and leaves no trace behind. With a cast inside, `raise_price_cast` does run, and is traced once per dtype.
Type hints change nothing (`raise_price_cast` has them): what helps is a cast before the call, so that `raise_price`
only ever meets float32.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def raise_price(price, rise):
    return price + rise


@tf.function
def raise_price_cast(price: tf.Tensor, rise: tf.Tensor) -> tf.Tensor:
    return tf.cast(price, tf.float32) + rise


def main() -> None:
    rise = tf.constant(0.25)
    prices = [tf.constant(12, tf.int32), tf.constant(12.0), tf.constant(12, tf.int64)]
    try:
        raise_price(prices[0], rise)
    except TypeError as error:
        print("as written:", type(error).__name__, "on the first call")
    for price in prices:
        print("cast inside:", price.dtype.name, float(raise_price_cast(price, rise)))
    for price in prices:
        print("cast before:", price.dtype.name, float(raise_price(tf.cast(price, tf.float32), rise)))


if __name__ == "__main__":
    main()
