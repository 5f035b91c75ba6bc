"""A graph network with TF-GNN: every graph has its own number of nodes and edges."""

import numpy as np
import tensorflow as tf
import tensorflow_gnn as tfgnn

random = np.random.default_rng(0)
dense = tf.keras.layers.Dense(4)


def make_graph(nodes, edges):
    ends = [tf.constant(random.integers(0, nodes, size=edges), tf.int32) for _ in range(2)]
    adjacency = tfgnn.Adjacency.from_indices(("atoms", ends[0]), ("atoms", ends[1]))
    features = tf.constant(random.normal(size=(nodes, 4)), tf.float32)
    return tfgnn.GraphTensor.from_pieces(
        node_sets={"atoms": tfgnn.NodeSet.from_fields(sizes=tf.constant([nodes]), features={"state": features})},
        edge_sets={"bonds": tfgnn.EdgeSet.from_fields(sizes=tf.constant([edges]), features={}, adjacency=adjacency)},
    )


@tf.function
def energy(graph):
    sent = tfgnn.broadcast_node_to_edges(graph, "bonds", tfgnn.SOURCE, feature_name="state")
    pooled = tfgnn.pool_edges_to_node(graph, "bonds", tfgnn.TARGET, "sum", feature_value=sent)
    return tf.reduce_sum(dense(pooled))


for nodes, edges in ((4, 6), (5, 9), (7, 12), (4, 8), (9, 17), (6, 9), (8, 15), (10, 21)):
    total = energy(make_graph(nodes, edges))
print(np.isfinite(float(total)))
