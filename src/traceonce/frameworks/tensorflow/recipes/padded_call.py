"""A batch is filled up to one of a few sizes where it is given to a function that needs to know the size."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.padded_call import NAME, padded_calls

HELPER = '''\
def _padded(call, *batch):
    """The function with one of a few sizes: the last row of these arguments is repeated, and the results are cut."""

    def is_array(part):
        return getattr(part, "ndim", 0) > 0 and hasattr(part, "dtype")

    def padded_call(*args, **kwargs):
        given = {{**dict(enumerate(args)), **kwargs}}
        rows = [given[key] for key in batch]
        size = next((len(part) for part in tf.nest.flatten(rows) if is_array(part)), 0)
        full = {full}

        def fill(part):
            if not is_array(part) or len(part) != size or size == full:
                return part
            taken = [min(row, size - 1) for row in range(full)]
            return tf.gather(part, taken) if tf.is_tensor(part) else part[taken]

        def cut(part):
            return part[:size] if is_array(part) and len(part) == full else part

        given.update(zip(batch, tf.nest.map_structure(fill, rows)))
        result = call(*(given[n] for n in range(len(args))), **{{name: given[name] for name in kwargs}})
        return tf.nest.map_structure(cut, result)

    return padded_call
'''


def propose(case: Case) -> Iterator[Candidate]:
    yield from padded_calls(case, HELPER)


_PROGRAM = """\
import tensorflow as tf


@tf.function
def directions(rows):
    return tf.stack([row / tf.norm(row) for row in tf.unstack(rows)])

{helper}
for count in (3, 5, 6, 7, 8):
    print(tf.reduce_sum({call}(tf.reshape(tf.range(2.0 * count) + 1.0, [count, 2]))).numpy())
"""

RECIPE = Recipe(
    name=NAME,
    title="Pad calls to a few sizes",
    what="Pads the first dimension of the varying arguments to a power of two, or to the largest recorded size, by "
    "repeating the last row, and cuts the results. Also for a library's method, at the program's own line.",
    why="A library's function, and a body that counts in Python (`tf.unstack`), retrace for every size. A few sizes "
    "need a few traces.",
    beware="Each row must be computed by itself: a sum, a mean or a loss over the rows would count the last row more "
    "than once. The added rows are computed, too. Every "
    "result whose first dimension equals the padded size is cut, whatever it holds.",
    propose=propose,
    examples=(
        Example(
            title="A body that takes the rows apart",
            program=_PROGRAM.format(helper="", call="directions"),
            function="directions",
            traces_before=5,
            repaired=_PROGRAM.format(
                helper="\n" + HELPER.format(full="1 << (size - 1).bit_length() if size else 0") + "\n",
                call="_padded(directions, 0)",
            ),
            traces_after=2,
        ),
    ),
)
