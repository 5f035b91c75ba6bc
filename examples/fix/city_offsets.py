"""Correct measurements by an offset that is looked up by the name of the city."""

import tensorflow as tf

OFFSETS = {
    "Accra": 1.5,
    "Doha": 3.0,
    "Hanoi": 0.75,
    "Kyiv": -1.0,
    "Lagos": -2.0,
    "Quito": 2.25,
    "Rome": 0.5,
    "Seoul": 0.0,
    "Sofia": -0.25,
    "Tunis": 1.25,
}


@tf.function
def correct(values, city):
    offset = OFFSETS[city]
    return (values - offset) / (1.0 + abs(offset))


for hour in (6, 18):
    values = tf.constant([10.0, 12.0, 14.0]) + float(hour)
    for city in OFFSETS:
        print(hour, f"{city:6}", correct(values, city).numpy().round(4))
