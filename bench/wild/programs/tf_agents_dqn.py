"""A DQN agent of TF-Agents that is trained on random experience, with batches that grow."""

import numpy as np
import tensorflow as tf
from tf_agents.agents.dqn import dqn_agent
from tf_agents.networks import sequential
from tf_agents.specs import tensor_spec
from tf_agents.trajectories import time_step, trajectory
from tf_agents.utils import common

observation = tensor_spec.TensorSpec((4,), tf.float32)
action = tensor_spec.BoundedTensorSpec((), tf.int32, 0, 1)
network = sequential.Sequential([tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(2)])
agent = dqn_agent.DqnAgent(
    time_step.time_step_spec(observation),
    action,
    q_network=network,
    optimizer=tf.keras.optimizers.legacy.Adam(1e-3),
    td_errors_loss_fn=common.element_wise_squared_loss,
)
agent.initialize()
agent.train = common.function(agent.train)
for size in (8, 8, 16, 16, 24, 24, 32, 32, 40, 40):
    shape = (size, 2)
    experience = trajectory.Trajectory(
        step_type=tf.ones(shape, tf.int32),
        observation=tf.random.normal((*shape, 4)),
        action=tf.zeros(shape, tf.int32),
        policy_info=(),
        next_step_type=tf.ones(shape, tf.int32),
        reward=tf.ones(shape),
        discount=tf.ones(shape),
    )
    loss = agent.train(experience).loss
print("loss", np.isfinite(float(loss)))
