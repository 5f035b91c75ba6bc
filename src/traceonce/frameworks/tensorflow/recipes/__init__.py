"""The repairs of TensorFlow: one module per repair."""
