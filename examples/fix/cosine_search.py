"""Look documents up by cosine similarity; the collection grows with every document that is read."""

import numpy as np
import tensorflow as tf


def similarity(query, documents):
    query = tf.math.l2_normalize(query)
    documents = tf.math.l2_normalize(documents, axis=1)
    return tf.linalg.matvec(documents, query)


fast_similarity = tf.function(similarity)

rng = np.random.default_rng(5)
query = tf.constant(rng.normal(size=8), tf.float32)
collection = rng.normal(size=(3, 8)).astype(np.float32)
for _ in range(6):
    scores = fast_similarity(query, tf.constant(collection))
    print(len(collection), "documents, best", int(tf.argmax(scores)), f"{tf.reduce_max(scores).numpy():.4f}")
    collection = np.vstack([collection, rng.normal(size=(1, 8)).astype(np.float32)])
