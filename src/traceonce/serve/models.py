"""What the server answers, as OpenAPI and MCP describe it.

`Explanation` and `Outcome` have the fields of those in `knowledge`, which FastAPI cannot read: it takes pydantic's
models. A test holds them to each other.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Verdict: TypeAlias = Literal[
    "retracing", "recompiling", "fell_back", "failed", "stale", "confused", "avoidable", "bounded", "ok"
]
Change: TypeAlias = Literal["better", "worse", "same", "gone", "new"]


class Problem(BaseModel):
    """Why a request was refused, and what to do about it."""

    detail: str


class Health(BaseModel):
    status: Literal["ok"]
    version: str
    records: int = Field(description="Records of the knowledge base.")


class Worst(BaseModel):
    """The function that needs attention first."""

    name: str
    verdict: Verdict


class Description(BaseModel):
    """What a run was, in a line."""

    name: str
    command: list[str]
    seconds: float
    exit_code: int | None
    started: float = Field(description="When the run began, in seconds since 1970.")
    environment: dict[str, str]
    functions: int = Field(description="How many functions were traced.")
    traces: int
    lost_seconds: float
    worst: Worst | None


class Summary(Description):
    """A recording that is kept here."""

    id: str
    uploaded: str = Field(description="When, in UTC (ISO 8601).")
    size: int = Field(description="Bytes of the recording.")
    sha256: str


class CauseSummary(BaseModel):
    """What changed between two traces."""

    code: str
    path: str
    count: int


class FunctionCounts(BaseModel):
    """What is compared of a function."""

    verdict: Verdict
    traces: int
    retraces: int
    calls: int | None
    calls_at_least: bool = Field(default=False, description="There may have been more calls than `calls`.")
    lost_seconds: float


class FunctionSummary(FunctionCounts):
    """What became of one function in a run."""

    backend: str
    name: str
    file: str | None
    line: int | None
    costly: bool = Field(
        default=False, description="Beside the verdict: it took much of the run again, lost or unclear."
    )
    causes: list[CauseSummary]


class RecordingDetails(Summary):
    """A recording with its functions, worst first."""

    by_function: list[FunctionSummary]
    left_out: int = Field(default=0, description="Functions that would make the answer too long.")


class RecordingList(BaseModel):
    total: int = Field(description="How many there are in all; `limit` and `offset` choose among them.")
    recordings: list[Summary]


class Side(FunctionCounts):
    """One function in one of two runs."""


class ComparedFunction(BaseModel):
    """One function in both runs; None on the side where it was not traced."""

    name: str
    file: str | None
    before: Side | None
    after: Side | None
    change: Change
    causes_gone: list[CauseSummary]
    causes_new: list[CauseSummary]


class SecondsChange(BaseModel):
    before: float
    after: float


class CountChange(BaseModel):
    before: int
    after: int


class Comparison(BaseModel):
    """Two runs side by side, the worst change first."""

    before: Summary
    after: Summary
    functions: list[ComparedFunction]
    lost_seconds: SecondsChange
    traces: CountChange
    left_out: int = Field(default=0, description="Functions that would make the answer too long.")


class Findings(BaseModel):
    """The JSON report of `traceonce report --format json`, without its events."""

    model_config = ConfigDict(extra="allow")

    schema_: str = Field(alias="schema")
    environment: dict[str, str]
    command: list[str]
    exit_code: int | None
    seconds: float
    functions: list[dict[str, Any]] = Field(description="Each with its verdict, cost, causes, call sites and fixes.")
    left_out: int = Field(default=0, description="Functions that would make the answer too long.")


class FunctionFixes(BaseModel):
    """What was proved, or is proposed, for one function."""

    function: str
    file: str | None
    line: int | None
    verdict: Verdict
    fixes: list[dict[str, Any]] = Field(description="Each with recipe, safety, snippet or diff, and proof if proved.")


class Fixes(BaseModel):
    functions: list[FunctionFixes]
    left_out: int = Field(default=0, description="Functions that would make the answer too long.")


class ExplainQuestion(BaseModel):
    """A message, a whole traceback or a log; without `language` the answer is in that of the text."""

    text: str = Field(min_length=1)
    language: Literal["en", "zh"] | None = None


class MatchQuestion(BaseModel):
    text: str = Field(min_length=1)


class Match(BaseModel):
    """A record that explains the text: `score` is above 0.5 for a match, and below it for a guess by words."""

    record: str
    score: float
    why: str
    guess: bool
    function: str | None = None
    matched: str | None = None
    line: int | None = None
    shared: list[str] = Field(default=[], description="The words that a guess shares with the text.")


class MatchAnswer(BaseModel):
    matches: list[Match]


class Shown(BaseModel):
    """What the runs of a claim show: it held in `held` of `runs`; `least` is the share that is safe to expect."""

    held: int
    runs: int
    rate: float
    least: float
    versions: list[str]


class Advice(BaseModel):
    action: str
    how: str = ""
    condition: str = ""
    cost: str = ""
    why: str = ""
    shown: Shown | None = None


class Related(BaseModel):
    record: str
    signature: str


class Explanation(BaseModel):
    """One failure: why it happens, what to try first, what not to try, and what tends to come next."""

    record: str
    language: Literal["en", "zh"]
    signature: str
    function: str | None
    why: str
    count: int
    root_cause: str
    tier: str
    functions: list[str] = []
    try_first: Advice | None = None
    other_workarounds: list[Advice] = []
    do_not: list[Advice] = []
    comes_next: list[Related] = []
    confused_with: list[Related] = []
    also: list[str] = []
    line: int | None = None
    url: str | None = None


class Ignorable(BaseModel):
    record: str
    functions: list[str]


class ExplainAnswer(BaseModel):
    """What is known about the errors of a text; `unknown` are those that no record knows."""

    explanations: list[Explanation]
    ignorable: list[Ignorable]
    unknown: list[str]
    guesses: list[Match]


class RecordLine(BaseModel):
    """A record of the knowledge base, in a line."""

    id: str
    signature: str
    category: str
    tier: str
    domain: str
    tags: list[str]
    workarounds: int
    dead_ends: int
    last_confirmed: str | None


class RecordList(BaseModel):
    total: int
    records: list[RecordLine]


class RecordAnswer(BaseModel):
    """A record, explained in one language, and whole as its file has it."""

    explanation: Explanation
    record: dict[str, Any]


class NewOutcome(BaseModel):
    """Whether a workaround of a record, counted from 1, worked for somebody."""

    record: str = Field(min_length=1, max_length=200)
    workaround: int = Field(ge=1, le=1000)
    worked: bool
    note: str = Field(default="", max_length=2000)
    version: str = Field(default="", max_length=2000, description="The framework and version it was run with.")


class Outcome(BaseModel):
    number: int
    record: str
    workaround: int
    action: str
    worked: bool
    note: str
    version: str
    date: str


class OutcomeList(BaseModel):
    outcomes: list[Outcome]
