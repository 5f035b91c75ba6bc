"""Power spectra with the options of the analysis in a frozen dataclass."""

from dataclasses import dataclass

import tensorflow as tf


@dataclass(frozen=True)
class Analysis:
    frame: int = 16
    hop: int = 8
    floor: float = 1e-3


@tf.function
def spectrum(signal, options):
    frames = tf.signal.frame(signal, options.frame, options.hop)
    power = tf.abs(tf.signal.rfft(frames)) ** 2
    return tf.math.log(tf.maximum(power, options.floor))


for pitch in range(1, 7):
    signal = tf.sin(tf.range(64, dtype=tf.float32) * pitch / 5.0)
    result = spectrum(signal, Analysis(floor=1e-2))
    print(f"pitch {pitch}: loudest bin {int(tf.argmax(tf.reduce_mean(result, axis=0)))}")
