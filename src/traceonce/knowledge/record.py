"""A record: one failure, its root cause, what helps, what does not, what comes next, and the runs that show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from traceonce.facts.note import Argument
from traceonce.knowledge.json_files import json_text, naming, parse_json, read_text, write_text
from traceonce.knowledge.open_struct import Open

Tier: TypeAlias = Literal["ai_generated", "documented", "reproduced", "verified"]
TIERS: tuple[Tier, ...] = get_args(Tier)


class Evidence(Open, frozen=True, kw_only=True):
    """A claim that was run with one version of a framework, `runs` times; `held` of these bore it out.

    A failure holds where it shows; a workaround where the failure is gone and the outputs are right; a dead end where
    it does not help. `seen` has the `outcome` as codes with their arguments, where it is no error's own text. `cases`
    says, for a claim that was run in several situations, in which of them it held.
    """

    experiment: str
    framework: str
    version: str
    python: str
    date: str
    runs: int
    held: int
    outcome: str
    seen: dict[str, dict[str, Argument]] = {}
    traces_before: int | None = None
    traces_after: int | None = None
    outputs: Literal["equal", "different", "none"] | None = None
    error: str | None = None
    seconds: float | None = None
    cases: dict[str, bool] = {}


class Version(Open, frozen=True, kw_only=True):
    """A version of the framework, and whether the failure is there."""

    version: str
    introduced: str | None = None
    deprecated: str | None = None
    removed: str | None = None
    behavior_change: str | None = None
    status: str | None = None


class Workaround(Open, frozen=True, kw_only=True):
    """What helps: `action` in words, `how` as code, `condition` under which it does, `cost` of doing it."""

    action: str
    success_rate: float | None = None
    success_interval: tuple[float, float] | None = None
    how: str = ""
    condition: str = ""
    condition_zh: str = ""
    cost: str = ""
    cost_zh: str = ""
    sources: list[Any] = []
    experiment: str | None = None
    evidence: tuple[Evidence, ...] = ()


class DeadEnd(Open, frozen=True, kw_only=True):
    """What people try, and why it does not help."""

    action: str
    why_fails: str
    why_fails_zh: str = ""
    fail_rate: float | None = None
    fail_interval: tuple[float, float] | None = None
    how: str = ""
    condition: str = ""
    condition_zh: str = ""
    cost: str = ""
    cost_zh: str = ""
    sources: list[Any] = []
    experiment: str | None = None
    evidence: tuple[Evidence, ...] = ()


class RecordClaim(NamedTuple):
    """A workaround or a dead end, and where it stands."""

    at: str
    item: Workaround | DeadEnd


class TransitionGraph(Open, frozen=True, kw_only=True):
    """The failures around this one; each is a list of record ids, or of objects that name one."""

    leads_to: list[Any] = []
    preceded_by: list[Any] = []
    frequently_confused_with: list[Any] = []

    def targets(self, way: str) -> list[str]:
        """The ids that are named on this way."""
        return [target for entry in getattr(self, way) if (target := record_named_in(entry)) is not None]


TRANSITIONS = ("leads_to", "preceded_by", "frequently_confused_with")


def record_named_in(entry: object) -> str | None:
    """The id that an entry of a transition gives: the entry itself, or a field of it."""
    if isinstance(entry, dict):
        entry = next((entry[key] for key in ("id", "record", "error_id") if key in entry), None)
    return entry if isinstance(entry, str) else None


class Record(Open, frozen=True, kw_only=True):
    """One failure.

    `raised_by` names the package whose text the message is (a framework, "traceonce", "python"; None: its domain's).
    `context` is a second expression that must be found near the first: it tells a message that other programs print,
    too, from one of this framework. With `outside_errors` the expression is for what a program prints: it is not looked
    for in errors and tracebacks, which may quote the same. `experiment` is the module that runs the claims.
    """

    id: str
    signature: str
    signature_zh: str = ""
    regex: str = ""
    regex_zh: str = ""
    context: str | None = None
    outside_errors: bool = False
    raised_by: str | None = None
    domain: str = ""
    category: str = ""
    subcategory: str | None = None
    root_cause: str = ""
    root_cause_type: str | None = None
    root_cause_zh: str = ""
    versions: tuple[Version, ...] = ()
    os_specific: dict[str, Any] = {}
    dead_ends: tuple[DeadEnd, ...] = ()
    dead_ends_zh: list[str] = []
    workarounds: tuple[Workaround, ...] = ()
    workarounds_zh: list[str] = []
    transition_graph: TransitionGraph = TransitionGraph()
    official_doc_url: str | None = None
    official_doc_section: str | None = None
    error_code: str | None = None
    verification_tier: str = "ai_generated"
    confidence: float | None = None
    fix_success_rate: float | None = None
    fix_success_interval: tuple[float, float] | None = None
    resolvable: str | bool | None = None
    first_seen: str | None = None
    last_confirmed: str | None = None
    last_updated: str | None = None
    evidence_count: int = 0
    tags: list[str] = []
    locale: str = "en"
    aliases: list[str] = []
    examples: list[str] = []
    experiment: str | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def claims(self) -> list[RecordClaim]:
        """All workarounds, then all dead ends."""
        return [
            *(RecordClaim(f"workarounds[{number}]", item) for number, item in enumerate(self.workarounds)),
            *(RecordClaim(f"dead_ends[{number}]", item) for number, item in enumerate(self.dead_ends)),
        ]

    @classmethod
    def load(cls, path: Path) -> Record:
        """Read a file; a message names it, the field and the remedy."""
        with naming(path):
            return cls.read(parse_json(read_text(path)).data)

    def to_json(self) -> str:
        return json_text(self.plain())

    def save(self, path: Path) -> None:
        write_text(path, self.to_json())
