"""Recordings as the schema allows them: every field of every line takes every value that its type admits.

What a run would never write is what a reader has never been tried on. Names are drawn from few, so that lines belong
together: the same function traced again, arguments that come back with another type, findings about what was traced.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as types

from traceonce.facts import SCHEMA, Header, Leaf, TraceEvent
from traceonce.facts.entries import Entry

LONG_NUMBER = "1032997848823905926259970209939472709539774634011737… #a852fd7aeec7"
TEXTS = [
    "",
    "x",
    "é 中文",
    "a|b`c*",
    "\x1b]0;t\x07",
    "line\nline",
    "\u202eabc",
    "0" * 300,
    "None",
    "nan",
    "ValueError: no",
]
NAMES: dict[str, list[str]] = {
    "backend": ["tensorflow", "jax", "torch", "another"],
    "path": ["x", "x.shape[0]", "k", "k[0]", "k['a']", "self.rate", "len(k)", "", " ", "a b", "x.shape[99]"],
    "type_name": ["int", "float", "bool", "str", "complex", "list", "tuple", "dict", "Config", "parameters", "*args"],
    "value": [
        "0",
        "1",
        "-1",
        "2.5",
        "1e400",
        "nan",
        "inf",
        "True",
        "'a'",
        LONG_NUMBER,
        "9" * 5_000,
        "not a number",
        "",
    ],
    "dtype": ["float32", "int32", "bool", "string", "bfloat16", "nonsense"],
    "name": [
        "train_step",
        "Model.call",
        "<lambda>",
        "f.<locals>.g",
        "step [scan]",
        "f [dataset]",
        "initialize_variables",
    ],
    "file": ["train.py", "/venv/lib/python3.11/site-packages/keras/trainer.py", "<string>", "a b/c.py", ""],
    "process": ["1", "2", "r1:1", ""],
    "graph": ["g", "h"],
    "run": ["a", "b"],
    "keys": ["a", "0", "k=1", "x", ""],
    "command": ["train.py", "-m", "-c", "--epochs", "a b", "$(x)"],
    "reasons": [
        "L['x'].size()[0] == 3",
        "tensor 'x' size mismatch at index 0. expected 3, actual 4",
        "len(L['k']) == 2",
    ],
    "recipe": ["input_signature", "hoist", "nobody knows it"],
}
NUMBERS = [0, 1, 2, 3, 7, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 0.5, 1.0, 1000.0, -1.0, 1e-9, 1e18, 1e308, -1e308]


def admitted(type_: types.Type, field: str = "") -> st.SearchStrategy[Any]:
    """What JSON may say where this type is expected."""
    if isinstance(type_, types.StrType):
        return st.sampled_from([*NAMES.get(field, ()), *NAMES.get(field, ()), *TEXTS]) | st.text(max_size=8)
    if isinstance(type_, types.BoolType):
        return st.booleans()
    if isinstance(type_, types.IntType):
        return st.integers(0, 4) | st.sampled_from(NUMBERS)
    if isinstance(type_, types.FloatType):
        return st.floats(0, 10) | st.sampled_from(FLOATS)
    if isinstance(type_, types.NoneType):
        return st.none()
    if isinstance(type_, types.LiteralType):
        return st.sampled_from(type_.values)
    if isinstance(type_, types.EnumType):
        return st.sampled_from([member.value for member in type_.cls])
    if isinstance(type_, types.UnionType):
        return st.one_of([admitted(each, field) for each in type_.types])
    if isinstance(type_, (types.VarTupleType, types.ListType)):
        return st.lists(admitted(type_.item_type, field), max_size=3)
    if isinstance(type_, types.DictType):
        return st.dictionaries(admitted(type_.key_type, "key"), admitted(type_.value_type, field), max_size=3)
    if isinstance(type_, types.StructType):
        return struct(type_.cls)
    raise AssertionError(f"{field}: {type_} is a type that this does not know yet")


def struct(cls: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """All that is required, and of the rest some."""
    info = types.type_info(cls)
    assert isinstance(info, types.StructType)
    fields = {field.encode_name: st.deferred(lambda f=field: admitted(f.type, f.name)) for field in info.fields}
    required = {name: fields[name] for name in (field.encode_name for field in info.fields if field.required)}
    optional = {name: strategy for name, strategy in fields.items() if name not in required}
    made = st.fixed_dictionaries(required, optional=optional)
    if info.tag_field is None:
        return made
    return made.map(lambda entry: {info.tag_field: info.tag, **entry})


ENTRIES: list[type[msgspec.Struct]] = list(Entry.__args__)


@st.composite
def an_argument(draw: st.DrawFn) -> st.SearchStrategy[dict[str, Any]]:
    """What is passed at one path, again and again: numbers (also such as are none), tensors, or anything."""
    number = {"type_name": draw(st.sampled_from(["int", "int", "float", "bool"])), "kind": "python"}
    values = st.sampled_from(NAMES["value"]) | st.integers(0, 9).map(str)
    tensor = {"kind": "tensor", "dtype": draw(st.sampled_from(NAMES["dtype"]))}
    shapes = st.lists(st.integers(0, 3) | st.none() | st.sampled_from(NUMBERS), max_size=3)
    return draw(
        st.sampled_from(
            [
                values.map(lambda value: {**number, "value": value}),
                values.map(lambda value: {**number, "value": value}),
                shapes.map(lambda shape: {**tensor, "shape": shape}),
                struct(Leaf),
            ]
        )
    )


@st.composite
def recordings(draw: st.DrawFn) -> bytes:
    """The bytes of a file: a header, then traces of few functions, then whatever may come."""
    traces = draw(retraces() | st.lists(struct(TraceEvent), min_size=1, max_size=6))
    others = st.one_of([struct(cls) for cls in ENTRIES if cls is not Header])
    rest = draw(st.lists(others, max_size=5))
    for line in rest:
        if "function" in line and draw(st.booleans()):
            line |= {"function": traces[0]["function"], "backend": traces[0]["backend"]}
    lines = [draw(struct(Header)) | {"schema": SCHEMA}, *traces, *rest]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@st.composite
def retraces(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One function, traced again and again for a few arguments, so that causes are found and repairs proposed."""
    backend = draw(st.sampled_from(["tensorflow", "tensorflow", *NAMES["backend"]]))
    function = {"name": draw(st.sampled_from(NAMES["name"])), "file": "train.py", "line": 22}
    paths = draw(
        st.lists(
            st.sampled_from(["x", "k", "step"]) | st.sampled_from(NAMES["path"]), min_size=1, max_size=2, unique=True
        )
    )
    arguments = {path: draw(an_argument()) for path in paths}
    named = sorted({path.partition(".")[0].partition("[")[0] for path in paths})
    oddities = draw(st.sets(st.sampled_from([*TraceEvent.__struct_fields__]), max_size=2))
    odd = draw(st.lists(struct(TraceEvent), min_size=3, max_size=8))
    return [
        {name: value for name, value in trace.items() if name in oddities}
        | {
            "entry": "trace",
            "id": number,
            "backend": backend,
            "function": function,
            "signature": {
                "leaves": [draw(arguments[path]) | {"path": path} for path in paths],
                "structure": [{"path": "", "type_name": "parameters", "keys": named}],
            },
            "start": float(number),
            "seconds": 0.1,
            "phase": "retrace" if number else "first",
            "call": number + 1,
        }
        for number, trace in enumerate(odd)
    ]
