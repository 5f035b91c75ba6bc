"""What some calls lack is filled in: which gaps there are, and with what they are filled."""

from __future__ import annotations

from tests.unit.fix.written_case import FILE, case_for, written
from traceonce.facts import Leaf, Signature
from traceonce.facts.signature import Container
from traceonce.fix.recipes.missing_parts import Gap, filled, find_gaps, ways_to_fill
from traceonce.frameworks.torch.recipes.fill_missing import RECIPE


def tensor(path: str, *shape: int, weak: bool = False) -> Leaf:
    return Leaf(path, "tensor", "float32", shape, weak=weak)


def test_none_and_a_tensor() -> None:
    seen = [
        Signature((Leaf("x", "none"),)),
        Signature((tensor("x", 3, 4, weak=True),)),
        Signature((tensor("x", 5, 4, weak=True),)),
    ]
    (gap,) = find_gaps(seen)
    assert gap == Gap("x", None, "x", "float32", (1, 4), weak=True)
    assert filled([gap])(seen[0]).leaves == (tensor("x", 1, 4, weak=True),)


def test_keys_of_a_dict() -> None:
    def of(*keys: str) -> Signature:
        return Signature(tuple(tensor(f"d[{key}]", 2) for key in keys), (Container("d", "dict", keys),))

    gaps = find_gaps([of("'a'"), of("'a'", "'b'"), of("'c'")])
    assert [(gap.holder, gap.key) for gap in gaps] == [("d", "'a'"), ("d", "'b'"), ("d", "'c'")]
    assert filled(gaps)(of("'b'")) == filled(gaps)(of("'a'", "'b'", "'c'"))


def test_something_else_than_a_tensor_is_no_gap() -> None:
    assert not find_gaps(
        [Signature((Leaf("x", "none"),)), Signature((Leaf("x", "python", value="3", type_name="int"),))]
    )


def test_zeros_and_ones_are_mixed_where_there_are_few_gaps() -> None:
    gaps = [Gap(name, None, name, "float32", ()) for name in "abcd"]
    assert [tuple(way.values()) for way, _ in ways_to_fill(gaps[:2], lambda gap, kind: kind)] == [
        ("zeros", "zeros"),
        ("ones", "ones"),
        ("zeros", "ones"),
        ("ones", "zeros"),
    ]
    assert len(list(ways_to_fill(gaps, lambda gap, kind: kind))) == 2


def test_a_call_that_leaves_it_out_gets_it_by_keyword() -> None:
    source = "import torch\n\n\n@torch.compile\ndef f(x, y=None):\n    return x\n\n\nf(1)\nf(1, y)\nf(1, None)\n"
    leaves = [(tensor("x"), Leaf("y", "none")), (tensor("x"), tensor("y", 2))]
    after = written(RECIPE, case_for(source, "f", ("kind", "y"), leaves=leaves), (FILE, source))
    zeros = "torch.zeros((2,), dtype=torch.float32)"
    assert after.endswith(f"f(1, y={zeros})\nf(1, {zeros} if y is None else y)\nf(1, {zeros})\n")
