"""What was compiled under one line is one entry; the JSON keeps each function, and says where it belongs."""

from __future__ import annotations

import json

from tests.unit.handmade import Events, record, tensor
from tests.unit.report.made_reports import material_of
from traceonce.facts import CallSite, FunctionId, Recording
from traceonce.report.json import render_json
from traceonce.report.text import render_text

HERE, THERE = CallSite("train.py", 9), CallSite("train.py", 12)
NET = FunctionId("Net.forward", "model.py", 4)


def compiled() -> Recording:
    """One `torch.compile` with two functions inside, and one that has nothing to do with it."""
    whole = Events(NET, made_at=HERE, backend="torch")
    parts = [
        Events(FunctionId(name, "model.py", 20), made_at=HERE, inner=True, backend="torch", start=2000.0)
        for name in ("Block.forward", "Head.forward")
    ]
    other = Events(FunctionId("other", "train.py", 12), made_at=THERE, backend="torch", start=3000.0)
    events = [
        make(tensor("x", size), phase="first" if size == 1 else "retrace", id=10 * number + size, reasons=())
        for number, make in enumerate((whole, *parts, other))
        for size in range(1, 7)
    ]
    return record(*events, calls=6)


def test_the_text_has_one_entry_that_names_what_is_inside() -> None:
    text = render_text(material_of(compiled(), "text"))
    assert "\n  Net.forward  6 compilations" in text
    assert "torch.compile at train.py:9, defined at model.py:4" in text
    assert "  inside: 2 more functions, 12 traces\n    Block.forward  recompiled 5 times" in text
    assert "\n  Block.forward  " not in text
    assert "\n  other  " in text


def test_json_keeps_every_function() -> None:
    functions = {
        entry["name"]: entry for entry in json.loads(render_json(material_of(compiled(), "json")))["functions"]
    }
    assert set(functions) == {"Net.forward", "Block.forward", "Head.forward", "other"}
    assert sorted(functions["Net.forward"]["parts"]) == ["Block.forward|model.py|20", "Head.forward|model.py|20"]
    assert functions["Block.forward"]["part_of"] == NET.key
    assert "part_of" not in functions["other"]
    assert functions["Net.forward"]["made_at"] == {"file": "train.py", "line": 9, "count": 6, "via": None}
