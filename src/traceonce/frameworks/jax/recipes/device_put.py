"""Arrays that come from another device, or laid out otherwise, at times: put them in one place, once. Advice."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode, Verdict
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.jax.words import COMPILES_PER_SHARDING

NAME = "device_put"


def propose(case: Case) -> Iterator[Candidate]:
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.SHARDING]
    if not causes or case.diagnosis.function.library or case.diagnosis.verdict is Verdict.FAILED:
        return
    paths = list(dict.fromkeys(cause.path.removesuffix(".sharding") for cause in causes))
    place = next((cause.was for cause in causes if cause.was), "…")
    lines = [f"{path} = jax.device_put({path}, sharding)  # once, before the calls" for path in paths]
    snippet = "\n".join([f"sharding = …  # one for all calls, as that of the first: {place}", *lines])
    notes = (COMPILES_PER_SHARDING(names=paths),)
    yield Candidate(NAME, "advice", (CauseCode.SHARDING,), None, None, snippet, notes)


RECIPE = Recipe(
    name=NAME,
    title="Place the array once",
    what="Suggests one `jax.device_put` with a single sharding, before the calls, for arguments that come from "
    "several devices.",
    why="JAX compiles for the devices and the sharding of its arguments. A different placement recompiles even "
    "though the trace is reused.",
    beware="Moving an array costs time and memory too: do it once, where the array is created.",
    propose=propose,
)
