"""Count votes that come as sparse matrices with a varying number of voters."""

import tensorflow as tf

importance = tf.constant([[1.0], [2.0], [0.5], [4.0]])


@tf.function
def tally(votes):
    return tf.sparse.sparse_dense_matmul(votes, importance)


for voters in (2, 5, 3, 7, 4):
    indices = [[row, (row * 3 + 1) % 4] for row in range(voters)]
    votes = tf.sparse.SparseTensor(indices, [1.0] * voters, dense_shape=[voters, 4])
    print(voters, "voters:", tf.reshape(tally(votes), [-1]).numpy())
