"""`@traceonce.function`: a drop-in for `tf.function` that traces as seldom as it may, and cannot run away."""
