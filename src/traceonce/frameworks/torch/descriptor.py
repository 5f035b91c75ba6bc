"""PyTorch, as far as it is known without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from traceonce.facts import Cause, Signature, TraceEvent
from traceonce.frameworks.base.descriptor import Framework, Package, Source
from traceonce.frameworks.torch.dialect import DIALECT
from traceonce.frameworks.torch.examples import EXAMPLES
from traceonce.frameworks.torch.records import record_of

if TYPE_CHECKING:
    from traceonce.fix.kit import Kit

_SOURCE = Source(
    wrapper="torch.compile",
    wraps=frozenset({"torch.compile"}),
    given_as="model",
    methods=frozenset({"compile"}),
    binds_self=True,
    packages={
        "torch": Package(frozenset({"torch"}), ("torch", "_torch")),
    },
)


def _explain_reasons(event: TraceEvent, compiled: Mapping[str, Signature]) -> tuple[Cause, ...]:
    from traceonce.frameworks.torch.guards.causes import explain_guards

    return explain_guards(event, compiled)


def _kit() -> Kit:
    from traceonce.frameworks.torch.recipes.kit import KIT

    return KIT


FRAMEWORK = Framework(
    name="torch",
    title="PyTorch",
    module="torch",
    distributions=("torch",),
    says_of_traces=r"torch\._dynamo hit config\.\w+_limit|\[\d+/\d+\]\s+(?:function: |last reason: "
    r"|To (?:log all recompilation reasons|diagnose recompilation issues)|Recompiling function |triggered by the )",
    companions={"keras": "Keras"},
    per_model=frozenset({"keras"}),
    configured_by=("TORCH", "PYTORCH_", "KERAS_"),
    inside=("_orig_mod",),
    along=("torch._dynamo", "torch._dynamo.convert_frame", "torch._dynamo.backends.debugging"),
    dialect=DIALECT,
    source=_SOURCE,
    kit=_kit,
    explain_reasons=_explain_reasons,
    notes=("traceonce.frameworks.torch.words", "traceonce.frameworks.torch.notices"),
    record=record_of,
    examples=EXAMPLES,
    made_by=lambda _: "torch.compile",
    mentions=r"(?i)\b(?:py)?torch\b|\bdynamo\b|\binductor\b",
    ours=r"\btorch\.compile at ",
)
