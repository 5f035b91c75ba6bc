"""Retrieval with TensorFlow Recommenders: a model is trained, then an index is asked for any number of candidates."""

import numpy as np
import tensorflow as tf
import tensorflow_recommenders as tfrs

random = np.random.default_rng(0)
users = random.integers(0, 50, size=200).astype("int64")
items = random.integers(0, 80, size=200).astype("int64")


class Retrieval(tfrs.Model):
    def __init__(self):
        super().__init__()
        self.users = tf.keras.layers.Embedding(50, 8)
        self.items = tf.keras.layers.Embedding(80, 8)
        self.task = tfrs.tasks.Retrieval()

    def compute_loss(self, features, training=False):
        return self.task(self.users(features["user"]), self.items(features["item"]), compute_metrics=not training)


model = Retrieval()
model.compile(optimizer=tf.keras.optimizers.legacy.Adagrad(0.1))
batches = tf.data.Dataset.from_tensor_slices({"user": users, "item": items}).batch(64)
model.fit(batches, epochs=3, verbose=0)

index = tfrs.layers.factorized_top_k.BruteForce(model.users)
index.index(model.items(np.arange(80)))
recommend = tf.function(index.call)
for wanted in range(1, 9):
    scores, found = recommend(tf.constant([3, 5]), k=wanted)
print(found.shape)
