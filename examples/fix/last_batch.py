"""Go over 70 examples in batches of 16: four whole batches and one of 6, three times."""

import tensorflow as tf

examples = tf.reshape(tf.sin(tf.range(140, dtype=tf.float32)), [70, 2])
weights = tf.Variable([0.0, 0.0])


@tf.function
def train_step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(batch, weights) - batch[:, 0]))
    weights.assign_sub(0.2 * tape.gradient(loss, weights))
    return loss


for epoch in range(3):
    for batch in tf.data.Dataset.from_tensor_slices(examples).batch(16):
        loss = train_step(batch)
    print(f"epoch {epoch}: loss {loss.numpy():.5f}, weights {weights.numpy().round(3)}")
