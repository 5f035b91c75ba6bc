"""Places of signatures: named as causes name them, what varied first."""

from __future__ import annotations

from tests.unit.handmade import container, none, python, ragged, signature, tensor, thing, unranked, variable
from traceonce.facts import Signature
from traceonce.report.page.change_grid import ABSENT, MOST_PLACES, find_places


def table(*signatures: Signature) -> dict[str, list[str | None]]:
    """What stood at each place, by its path."""
    places = find_places(signatures)
    texts = [[places.texts[number] if number != ABSENT else None for number in row] for row in places.rows]
    return {path: [row[column] for row in texts] for column, path in enumerate(places.paths)}


def test_what_varied_comes_first() -> None:
    """And the constant ones are named, too."""
    places = find_places([signature(tensor("x", 8, size), python("step", size)) for size in (3, 4)])
    assert places.paths == ["x.shape[1]", "step", "x.dtype", "x.shape[0]"]
    assert places.constant == ["x.dtype", "x.shape[0]"]


def test_equal_texts_are_kept_once() -> None:
    """Rows refer to texts by number."""
    places = find_places([signature(python("a", 1), python("b", 1))] * 3)
    assert places.texts == ["1"]
    assert places.rows == [[0, 0]] * 3


def test_every_kind_of_leaf() -> None:
    """Values, None, objects by identity, variables, composites, open dimensions and unknown ranks."""
    whole = signature(
        python("flag", True),
        none("mask"),
        thing("config", 7),
        variable("w", 2, identity=4),
        ragged("rows", None, 3),
        tensor("x", None, dtype="int32"),
        tensor("rate"),
        unranked("any"),
    )
    told = {path: values[0] for path, values in table(whole).items()}
    assert told["flag"] == "True"
    assert told["mask"] == "None"
    assert told["config"] == "Config object #7"
    assert (told["w"], told["w.shape[0]"], told["w.trainable"]) == ("variable 4", "2", "trainable")
    assert (told["rows.dtype"], told["rows.shape[1]"]) == ("int32", "3")
    assert told["x.shape[0]"] == "None"
    assert told["rate.shape"] == "[]"
    assert told["any.shape"] == "[?]"


def test_a_changing_rank_has_a_row_of_its_own() -> None:
    """The cause is called `x.shape`; the dimensions that one of them lacks are empty."""
    told = table(signature(tensor("x", 2, 3)), signature(tensor("x", 2)))
    assert told["x.shape"] == ["[2,3]", "[2]"]
    assert told["x.shape[1]"] == ["3", None]


def test_a_changing_kind_has_a_row_of_its_own() -> None:
    """None, then a tensor: the cause is called by the argument's name."""
    told = table(signature(none("mask")), signature(tensor("mask", 4)))
    assert told["mask"] == ["None", "float32[4]"]
    assert told["mask.dtype"] == [None, "float32"]


def test_containers() -> None:
    """Lengths of lists, keys of dicts, and the type where that changes."""
    told = table(
        signature(
            container("", "parameters", "a"), container("images", "list", "0", "1"), container("batch", "dict", "x")
        ),
        signature(
            container("", "parameters", "a"), container("images", "list", "0"), container("batch", "dict", "x", "y")
        ),
    )
    assert told == {"len(images)": ["2", "1"], "batch": ["keys x", "keys x, y"]}
    mixed = table(signature(container("pair", "list", "0")), signature(container("pair", "tuple", "0")))
    assert mixed["pair"] == ["list", "tuple"]


def test_context() -> None:
    """Under the name that its cause has; where it is absent there is nothing."""
    assert table(signature(), signature(graph="FuncGraph f"))["graph"] == [None, "FuncGraph f"]


def test_a_place_for_each_of_a_thousand_arguments_is_too_much() -> None:
    """The table is cut, but not the count of what never changed; long texts are cut."""
    leaves = [tensor(f"x{number}", 1) for number in range(500)]
    places = find_places([signature(*leaves, python("step", "s" * 1000 + str(step))) for step in range(2)])
    assert len(places.paths) == MOST_PLACES
    assert len(places.constant) == 1001
    assert max(map(len, places.texts)) == 300
