"""`run_functions_eagerly` does not reach the functions of a dataset."""

import logging
import warnings

import numpy as np
import tensorflow as tf

from traceonce.knowledge.experiment import Logs, eager

symptom = Logs(text=r"this option does not apply to tf\.data functions")


def failure():
    tf.config.run_functions_eagerly(True)
    seen = []

    def parse(image):
        seen.append(image)
        return image / 255.0

    dataset = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0]).map(parse)
    return list(dataset) + [image for image in seen if not tf.is_symbolic_tensor(image)]


def right():
    images = [51.0, 102.0, 255.0]
    return [image / 255.0 for image in images] + images


@eager
def workaround_debug_mode():
    tf.config.run_functions_eagerly(True)
    tf.data.experimental.enable_debug_mode()
    seen = []

    def parse(image):
        seen.append(image)
        return image / 255.0

    dataset = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0]).map(parse)
    return list(dataset) + [image for image in seen if not tf.is_symbolic_tensor(image)]


@eager
def workaround_call_it_yourself():
    tf.config.run_functions_eagerly(True)
    seen = []

    def parse(image):
        seen.append(image)
        return image / 255.0

    source = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0])
    parsed = [parse(image) for image in source]
    return parsed + seen


def workaround_py_function():
    seen = []

    def look(image):
        seen.append(image)
        return image / 255.0

    source = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0])
    dataset = source.map(lambda image: tf.py_function(look, [image], tf.float32))
    return list(dataset) + [image for image in seen if not tf.is_symbolic_tensor(image)]


def dead_end_decorate_it():
    tf.config.run_functions_eagerly(True)
    seen = []

    @tf.function
    def parse(image):
        seen.append(image)
        return image / 255.0

    dataset = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0]).map(parse)
    return list(dataset) + [image for image in seen if not tf.is_symbolic_tensor(image)]


def dead_end_debug_mode_too_late():
    tf.config.run_functions_eagerly(True)
    seen = []

    def parse(image):
        seen.append(image)
        return image / 255.0

    dataset = tf.data.Dataset.from_tensor_slices([51.0, 102.0, 255.0]).map(parse)
    tf.data.experimental.enable_debug_mode()
    return list(dataset) + [image for image in seen if not tf.is_symbolic_tensor(image)]


def dead_end_compile_eagerly():
    tf.config.run_functions_eagerly(True)
    seen = []

    def parse(image):
        seen.append(image)
        return image / 255.0, image

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    dataset = tf.data.Dataset.from_tensor_slices([[51.0], [102.0], [255.0]]).map(parse).batch(3)
    model.fit(dataset, verbose=0)
    return seen


def message_filter():
    tf.config.run_functions_eagerly(True)
    list(tf.data.Dataset.range(6).filter(lambda number: number % 2 == 0))


def message_through_logging():
    logging.captureWarnings(True)
    logging.basicConfig()
    tf.config.run_functions_eagerly(True)
    windows = tf.data.Dataset.range(5).window(2, drop_remainder=True)
    list(windows.flat_map(lambda window: window.batch(2)))


def message_in_a_format_of_its_own():
    logging.captureWarnings(True)
    logging.basicConfig(format="%(levelname)s [%(name)s] %(message)s")
    tf.config.run_functions_eagerly(True)

    def batches():
        for size in (1, 2, 3):
            yield tf.ones([size])

    list(tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec([None])))


def message_without_a_place():
    warnings.formatwarning = lambda message, category, *place: f"{category.__name__}: {message}\n"
    tf.config.run_functions_eagerly(True)
    totals = tf.data.Dataset.range(4).reduce(np.int64(0), lambda total, number: total + number)
    return totals
