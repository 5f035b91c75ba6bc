"""What savings are worth after some years, with inflation taken off."""

import tensorflow as tf


@tf.function
def worth(balances, years):
    grown = balances * 1.04**years
    return grown - balances * 0.01 * years


balances = tf.constant([100.0, 2500.0, 40000.0])
for years in (1, 2, 5, 10, 20, 30):
    print(f"after {years:2d} years", worth(balances, years).numpy().round())
