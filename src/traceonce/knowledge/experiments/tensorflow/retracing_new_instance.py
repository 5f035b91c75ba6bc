"""A decorated method keeps its traces per object."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=10, cause="new_instance")


def failure():
    class Normalizer:
        def __init__(self, mean):
            self.mean = mean

        @tf.function
        def normalize(self, batch):
            return batch - self.mean

    batch = tf.constant([1.0, 2.0, 3.0])
    results = []
    for mean in range(10):
        normalizer = Normalizer(tf.constant(float(mean)))
        results.append(normalizer.normalize(batch))
    return results


def workaround_one_object():
    class Normalizer:
        def __init__(self, mean):
            self.mean = tf.Variable(mean)

        @tf.function
        def normalize(self, batch):
            return batch - self.mean

    batch = tf.constant([1.0, 2.0, 3.0])
    normalizer = Normalizer(0.0)
    results = []
    for mean in range(10):
        normalizer.mean.assign(float(mean))
        results.append(normalizer.normalize(batch))
    return results


def workaround_function_of_its_own():
    @tf.function
    def normalize(batch, mean):
        return batch - mean

    class Normalizer:
        def __init__(self, mean):
            self.mean = mean

        def normalize(self, batch):
            return normalize(batch, self.mean)

    batch = tf.constant([1.0, 2.0, 3.0])
    results = []
    for mean in range(10):
        normalizer = Normalizer(tf.constant(float(mean)))
        results.append(normalizer.normalize(batch))
    return results


def workaround_static_method():
    class Normalizer:
        def __init__(self, mean):
            self.mean = tf.Variable(mean)

        def __call__(self, batch):
            return self.normalize(batch, self.mean)

        @staticmethod
        @tf.function
        def normalize(batch, mean):
            return batch - mean

    batch = tf.constant([1.0, 2.0, 3.0])
    return [Normalizer(float(mean))(batch) for mean in range(10)]


def dead_end_reduce_retracing():
    class Normalizer:
        def __init__(self, mean):
            self.mean = mean

        @tf.function(reduce_retracing=True)
        def normalize(self, batch):
            return batch - self.mean

    batch = tf.constant([1.0, 2.0, 3.0])
    results = []
    for mean in range(10):
        normalizer = Normalizer(tf.constant(float(mean)))
        results.append(normalizer.normalize(batch))
    return results


def dead_end_tf_module():
    class Normalizer(tf.Module):
        def __init__(self, mean):
            super().__init__()
            self.mean = tf.Variable(mean)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def normalize(self, batch):
            return batch - self.mean

    batch = tf.constant([1.0, 2.0, 3.0])
    results = []
    for mean in range(10):
        normalizer = Normalizer(float(mean))
        results.append(normalizer.normalize(batch))
    return results


def dead_end_equality():
    class Normalizer:
        def __init__(self, mean):
            self.mean = mean

        def __eq__(self, other):
            return isinstance(other, Normalizer)

        def __hash__(self):
            return hash(Normalizer)

        @tf.function
        def normalize(self, batch):
            return batch - self.mean

    batch = tf.constant([1.0, 2.0, 3.0])
    normalizers = [Normalizer(tf.constant(float(mean))) for mean in range(10)]
    return [normalizer.normalize(batch) for normalizer in normalizers]


def message_environment_of_an_agent():
    class Agent(tf.Module):
        def __init__(self):
            super().__init__()
            self.weights = tf.Variable(tf.ones([4, 2]))

        @tf.function
        def act(self, observation):
            return tf.argmax(observation @ self.weights, axis=-1)

    for _ in range(8):
        agent = Agent()
        agent.act(tf.ones([1, 4]))


def message_call_of_a_layer():
    class Encoder:
        def __init__(self, units):
            self.kernel = tf.Variable(tf.zeros([3, units]))

        @tf.function
        def __call__(self, tokens):
            return tf.nn.relu(tokens @ self.kernel)

    for _ in range(12):
        encoder = Encoder(5)
        encoder(tf.ones([2, 3]))


def message_loss_in_a_hyperparameter_search():
    class Trial:
        def __init__(self, rate):
            self.rate = rate

        @tf.function
        def step(self, loss):
            return loss * self.rate

    for rate in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        trial = Trial(rate)
        trial.step(tf.constant(1.0))
