"""PyTorch, as far as it is known without importing it."""

from __future__ import annotations

from traceonce.frameworks.base.descriptor import SHARED_ADVICE, Framework, Kit, Package, Source, within
from traceonce.frameworks.torch.dialect import DIALECT
from traceonce.frameworks.torch.records import record_of

_RECIPES = "traceonce.frameworks.torch.recipes"
_SOURCE = Source(
    wrapper="torch.compile",
    wraps=frozenset({"torch.compile"}),
    given_as="model",
    methods=frozenset({"compile"}),
    packages={
        "torch": Package(frozenset({"torch"}), ("torch", "_torch")),
    },
)
_KIT = Kit(
    recipes=within(
        _RECIPES,
        "hoist",
        "mark_dynamic",
        "allow_unspec_int",
        "dynamic",
        "dynamic_sources",
        "step_counter_buffer",
        "tensor_argument",
        "contiguous",
    ),
    advice=(*SHARED_ADVICE, *within(_RECIPES, "list_length", "size_one", "static_value", "graph_breaks")),
    of_libraries=True,
    replayed=False,
)
FRAMEWORK = Framework(
    name="torch",
    title="PyTorch",
    module="torch",
    distributions=("torch",),
    companions={"keras": "Keras"},
    along=("torch._dynamo", "torch._dynamo.convert_frame", "torch._dynamo.backends.debugging"),
    dialect=DIALECT,
    source=_SOURCE,
    kit=_KIT,
    notes=("traceonce.words.notes.torch",),
    record=record_of,
    made_by=lambda _: "torch.compile",
    mentions=r"(?i)\b(?:py)?torch\b|\bdynamo\b|\binductor\b",
    ours=r"\btorch\.compile at ",
)
