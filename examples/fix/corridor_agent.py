"""Q-learning in a corridor: the agent starts in the middle and finds the door at the right end.

The share of random moves (epsilon) falls with every step, and every few steps the target network is brought up to date.
"""

import tensorflow as tf

CELLS = 9
ACTIONS = 2  # 0: left, 1: right
EPISODES = 6
STEPS = 12
UPDATE_EVERY = 5
DISCOUNT = 0.9

tf.random.set_seed(42)


class Corridor:
    def __init__(self):
        self.position = CELLS // 2

    def reset(self):
        self.position = CELLS // 2
        return self.position

    def move(self, action):
        self.position = min(max(self.position + (1 if action == 1 else -1), 0), CELLS - 1)
        reward = 1.0 if self.position == CELLS - 1 else -0.05
        if reward > 0:
            self.position = CELLS // 2
        return self.position, reward


class Agent(tf.Module):
    def __init__(self):
        super().__init__()
        self.table = tf.Variable(tf.zeros([CELLS, ACTIONS]), name="table")
        self.target = tf.Variable(tf.zeros([CELLS, ACTIONS]), name="target")

    @tf.function
    def act(self, state, epsilon):
        """A random action with probability epsilon, else the best one."""
        if tf.random.uniform([]) < epsilon:
            return tf.random.uniform([], maxval=ACTIONS, dtype=tf.int32)
        return tf.argmax(self.table[state], output_type=tf.int32)

    @tf.function
    def learn(self, state, action, reward, next_state, step):
        """Move the value of this action towards what it brought; now and then renew the target."""
        wanted = reward + DISCOUNT * tf.reduce_max(self.target[next_state])
        error = wanted - self.table[state, action]
        self.table.scatter_nd_add([[state, action]], [0.5 * error])
        if step % UPDATE_EVERY == 0:
            self.target.assign(self.table)
        return error


def main():
    corridor, agent = Corridor(), Agent()
    step = 0
    epsilon = 1.0
    for episode in range(EPISODES):
        state = tf.constant(corridor.reset())
        total = 0.0
        for _ in range(STEPS):
            action = agent.act(state, epsilon)
            cell, reward = corridor.move(int(action))
            next_state = tf.constant(cell)
            agent.learn(state, action, tf.constant(reward), next_state, step)
            state = next_state
            total += reward
            step += 1
            epsilon = max(0.1, epsilon * 0.95)
        print(f"episode {episode}: reward {total:.2f}, epsilon {epsilon:.2f}")
    best = "".join("<>"[int(a)] for a in tf.argmax(agent.table, axis=1))
    print(f"policy after {step} steps: {best}")


if __name__ == "__main__":
    main()
