"""A `tf.function` with a dispatch of its own. These modules import TensorFlow: they are loaded when one is made."""
