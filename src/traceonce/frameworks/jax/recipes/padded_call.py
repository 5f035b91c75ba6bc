"""A batch is filled up to one of a few sizes where a function is called: JAX compiles for every size."""

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

    def take(part, rows):  # with NumPy, which compiles nothing
        taken = jax.device_get(part)[rows]
        return jnp.asarray(taken) if isinstance(part, jax.Array) else taken

    def padded_call(*args, **kwargs):
        given = {{**dict(enumerate(args)), **kwargs}}
        rows = [given[key] for key in batch]
        size = next((len(part) for part in jax.tree.leaves(rows) if is_array(part)), 0)
        full = {full}
        taken = [min(row, size - 1) for row in range(full)]

        def fill(part):
            return take(part, taken) if is_array(part) and len(part) == size < full else part

        def cut(part):
            return take(part, slice(size)) if is_array(part) and len(part) == full else part

        given.update(zip(batch, jax.tree.map(fill, rows)))
        result = call(*(given[n] for n in range(len(args))), **{{name: given[name] for name in kwargs}})
        return jax.tree.map(cut, result)

    return padded_call
'''


def propose(case: Case) -> Iterator[Candidate]:
    yield from padded_calls(case, HELPER)


_PROGRAM = """\
import jax
import jax.numpy as jnp


@jax.jit
def predict(weights, rows):
    return jax.nn.softmax(rows @ weights)


weights = jnp.arange(6.0).reshape(3, 2) / 10{helper}
for count in (3, 5, 6, 7, 8):
    print({call}(weights, jnp.arange(3.0 * count).reshape(count, 3) / count)[-1].round(4))
"""

RECIPE = Recipe(
    name=NAME,
    title="Pad calls to a few sizes",
    what="Pads the first dimension of the varying arguments to a power of two, or to the largest recorded size, by "
    "repeating the last row, and cuts the results. Also for a library's method, at the program's own line.",
    why="JAX compiles for every size. A few sizes need a few compilations.",
    beware="Each row must be computed by itself: a sum, a mean or a loss over the rows would count the last row more "
    "than once, and needs a [mask](pad_to_bucket.md). The added rows are computed, too. Every "
    "result whose first dimension equals the padded size is cut, whatever it holds.",
    propose=propose,
    examples=(
        Example(
            title="A prediction for each row",
            function="predict",
            traces_before=5,
            traces_after=2,
            program=_PROGRAM.format(helper="", call="predict"),
            repaired=_PROGRAM.format(
                helper="\n\n\n" + HELPER.format(full="1 << (size - 1).bit_length() if size else 0") + "\n",
                call="_padded(predict, 1)",
            ),
        ),
    ),
)
