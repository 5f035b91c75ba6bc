"""A trace type of one's own that never equals itself: no trace is found again, whatever the argument."""

import tensorflow as tf

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="unequal", path="vocabulary")

ids = tf.constant([0, 1, 1])


class TypeOfVocabulary(tf.types.experimental.TraceType):
    """What the trials share: all but equality."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.vocabulary


def failure():
    class VocabularyType(TypeOfVocabulary):
        def __eq__(self, other):
            return self is other

        def __hash__(self):
            return id(self)

    class Vocabulary:
        weights = (0.25, 0.75)

        def __tf_tracing_type__(self, context):
            return VocabularyType(self)

    @tf.function
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, vocabulary) for _ in range(5)]


def workaround_compare_contents():
    class VocabularyType(TypeOfVocabulary):
        def __eq__(self, other):
            return isinstance(other, VocabularyType) and self.vocabulary.weights == other.vocabulary.weights

        def __hash__(self):
            return hash(self.vocabulary.weights)

    class Vocabulary:
        weights = (0.25, 0.75)

        def __tf_tracing_type__(self, context):
            return VocabularyType(self)

    @tf.function
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, vocabulary) for _ in range(5)]


def workaround_extension_type():
    class Vocabulary(tf.experimental.ExtensionType):  # its type compares field by field
        weights: tf.Tensor

    @tf.function
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary(weights=tf.constant([0.25, 0.75]))
    return [embed(ids, vocabulary) for _ in range(5)]


def workaround_pass_the_tensors():
    class Vocabulary:
        weights = (0.25, 0.75)

    @tf.function
    def embed(ids, weights):
        return tf.gather(weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, tf.constant(vocabulary.weights)) for _ in range(5)]


def dead_end_only_hash():
    class VocabularyType(TypeOfVocabulary):
        def __eq__(self, other):
            return self is other

        def __hash__(self):
            return hash(self.vocabulary.weights)

    class Vocabulary:
        weights = (0.25, 0.75)

        def __tf_tracing_type__(self, context):
            return VocabularyType(self)

    @tf.function
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, vocabulary) for _ in range(5)]


def dead_end_equality_of_the_argument():
    class VocabularyType(TypeOfVocabulary):
        def __eq__(self, other):
            return self is other

        def __hash__(self):
            return id(self)

    class Vocabulary:
        weights = (0.25, 0.75)

        def __eq__(self, other):  # nobody asks the argument: its type decides
            return self.weights == other.weights

        def __hash__(self):
            return hash(self.weights)

        def __tf_tracing_type__(self, context):
            return VocabularyType(self)

    @tf.function
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, vocabulary) for _ in range(5)]


def dead_end_reduce_retracing():
    class VocabularyType(TypeOfVocabulary):
        def __eq__(self, other):
            return self is other

        def __hash__(self):
            return id(self)

    class Vocabulary:
        weights = (0.25, 0.75)

        def __tf_tracing_type__(self, context):
            return VocabularyType(self)

    @tf.function(reduce_retracing=True)
    def embed(ids, vocabulary):
        return tf.gather(vocabulary.weights, ids)

    vocabulary = Vocabulary()
    return [embed(ids, vocabulary) for _ in range(5)]


class MeshType(TypeOfVocabulary):
    """A type for the programs below: compared by identity, through a detour."""

    def __eq__(self, other):
        return id(self) == id(other)

    def __hash__(self):
        return id(self)


class Mesh:
    """What a library of simulations might pass around."""

    spacing = 0.1

    def __tf_tracing_type__(self, context):
        return MeshType(self)


class Solver:
    @tf.function
    def advance(self, field, mesh, dt):
        return field - dt * field / mesh.spacing


def message_method_of_a_solver():
    solver, mesh = Solver(), Mesh()
    return [solver.advance(tf.ones([3]), mesh, tf.constant(0.01)) for _ in range(8)]


def message_nested_in_a_batch():
    @tf.function
    def residual(batch):
        return batch["field"] * batch["meshes"][1].spacing

    meshes = [Mesh(), Mesh()]
    return [residual({"field": tf.ones([2, 2]), "meshes": meshes}) for _ in range(6)]


def message_two_calls():
    @tf.function(autograph=False)
    def interpolate(points, mesh):
        return points / mesh.spacing

    mesh = Mesh()
    return [interpolate(tf.zeros([4, 2]), mesh=mesh) for _ in range(2)]
