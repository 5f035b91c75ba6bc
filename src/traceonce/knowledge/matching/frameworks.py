"""Which framework a message is about. Our own messages read the same for all, but for what compiled the function.

1.  A message of ours about `jax.jit` or `torch.compile` says so where it tells the function's place; one that names
    neither is about TensorFlow. A record whose message is ours (`raised_by`) counts for its own framework only.
2.  A Chinese text is in anybody's words. If it names frameworks, only records of these count.
"""

from __future__ import annotations

import re2

DEFAULT = "tensorflow"
OURS = "traceonce"
_MADE_BY = re2.compile(r"\b(?:(jax)\.(?:jit|pmap|shard_map|lax\.\w+)|(torch)\.compile) at ")
_OF_JAX = "TRACING CACHE MISS"  # how JAX's own explanation begins, which says what ours do
_NAMED = {
    "jax": re2.compile(r"(?i)\bjax\b|\bjnp\b|\bjit\("),
    "torch": re2.compile(r"(?i)\b(?:py)?torch\b|\bdynamo\b|\binductor\b"),
    "tensorflow": re2.compile(r"(?i)\btensorflow\b|\bkeras\b|\btf\."),
}
FRAMEWORKS = frozenset(_NAMED)


def framework_of_ours(text: str) -> str:
    """The framework of a message of ours."""
    if _OF_JAX in text:
        return "jax"
    found = _MADE_BY.search(text) if " at " in text else None
    return found[1] or found[2] if found else DEFAULT


def frameworks_named(text: str) -> set[str]:
    """The frameworks that a text names."""
    return {framework for framework, names in _NAMED.items() if names.search(text)}
