"""Print tomorrow's temperature for some towns with records of different length."""

import tensorflow as tf
from weather_model import describe, forecast

RECORDS = {
    "Lisbon": ([16.0, 17.5, 18.0, 17.0], 0.2),
    "Oslo": ([4.0, 3.5, 5.0, 6.0, 5.5], 0.1),
    "Cairo": ([25.0, 27.0, 26.5], -0.3),
    "Lima": ([18.0, 18.5], 0.05),
    "Perth": ([22.0, 21.0, 23.0, 24.5, 24.0, 23.5], 0.4),
}

for town, (temperatures, trend) in RECORDS.items():
    value = float(forecast(tf.constant(temperatures), trend))
    print(f"{town:8} {value:5.1f} degrees, {describe(value)}")
