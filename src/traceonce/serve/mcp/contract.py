"""What the tools take and what they give. The schemas that agents see are made from these."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from traceonce.facts.cause import CauseCode, Evidence
from traceonce.facts.diagnosis import SiteCount, Verdict
from traceonce.facts.fix import Safety
from traceonce.facts.proof import Measurement, ProofVerdict
from traceonce.frameworks.base.registry import known_backends
from traceonce.knowledge.advice import Explanation
from traceonce.knowledge.outcomes import Outcome

LONGEST_TEXT = 200_000  # characters to explain
MOST_RECORDS = 50  # of one search
MOST_RECORDINGS = 50  # of one list

AnswerLanguage: TypeAlias = Annotated[
    Literal["en", "zh"] | None,
    Meta(description="Language of the answer: en or zh. Default: that of the text, otherwise en."),
]
RecordingName: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4_096,
        description="'latest', or a recording's name as in list_recordings.",
    ),
]
FunctionName: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        description="A function's name as in the findings, such as 'LanguageModel.train_step' or just "
        "'train_step'; if several share it, add the place: 'train_step@train.py:22'.",
    ),
]
_FRAMEWORKS = [known.name for known in known_backends()]
RecordId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, description="A record's id: <domain>/<slug>.")]
LeftOut: TypeAlias = Annotated[
    list[str], Meta(description="Parts left out to save space: the place, and how much is shown.")
]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a tool: a name that it does not know is an error, and not ignored."""


class ErrorAsked(Asked, frozen=True, kw_only=True):
    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_TEXT,
            description="An error message, a traceback or a log, at most 200,000 characters. Of a longer log, "
            "send the end.",
        ),
    ]
    language: AnswerLanguage = None


class RecordingsAsked(Asked, frozen=True, kw_only=True):
    search: Annotated[
        str, Meta(max_length=200, description="Words that the recording's name must contain. Empty: every recording.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_RECORDINGS, description="How many to return, 1 to 50, newest first.")] = 10


class RecordingAsked(Asked, frozen=True, kw_only=True):
    recording: RecordingName = "latest"


class FindingsAsked(RecordingAsked, frozen=True, kw_only=True):
    function: Annotated[
        FunctionName | None, Meta(description="Only this function, in detail. Default: all functions of the run.")
    ] = None


class FixAsked(RecordingAsked, frozen=True, kw_only=True):
    function: FunctionName


class SearchAsked(Asked, frozen=True, kw_only=True):
    query: Annotated[
        str, Meta(max_length=1_000, description="Words that a record must all contain. Empty: every record.")
    ] = ""
    language: AnswerLanguage = None
    limit: Annotated[int, Meta(ge=1, le=MOST_RECORDS, description="How many records to return, 1 to 50.")] = 10


class RecordAsked(Asked, frozen=True, kw_only=True):
    id: RecordId
    language: AnswerLanguage = None


class OutcomeAsked(Asked, frozen=True, kw_only=True):
    record: RecordId
    workaround: Annotated[int, Meta(ge=1, le=1_000, description="Its number in get_record: 1 is the one to try first.")]
    worked: Annotated[bool, Meta(description="Did it help when it was run? Report nothing that was not run.")]
    note: Annotated[str, Meta(max_length=2_000, description="A note worth keeping.")] = ""
    version: Annotated[str, Meta(max_length=2_000, description="The framework and version it was run with.")] = ""


class ErrorExplained(msgspec.Struct, frozen=True, kw_only=True):
    """The errors in a text that records explain, most acute first. `unknown` are errors that no record explains."""

    explanations: list[Explanation]
    ignorable: list[Ignorable]
    unknown: list[str]
    guesses: Annotated[
        list[Guess], Meta(description="Only if nothing matches: the nearest records by words; they may be wrong.")
    ]
    left_out: LeftOut


class Ignorable(msgspec.Struct, frozen=True):
    """A record that was found in these functions and can be ignored there."""

    record: str
    functions: list[str]


class Guess(msgspec.Struct, frozen=True):
    record: str
    score: float
    why: str


class CauseFound(msgspec.Struct, frozen=True, kw_only=True):
    """Why a function was retraced: the argument, what changed, and the values."""

    path: str
    code: CauseCode
    what: str
    count: Annotated[int, Meta(description="How many traces it caused.")]
    was: str
    now: str
    values: Annotated[list[str], Meta(description="The values seen there, in order; none for objects.")]
    evidence: Evidence
    remedy: str


class FixInShort(msgspec.Struct, frozen=True, kw_only=True):
    recipe: str
    status: Annotated[FixStatus, Meta(description="Only 'proved' was run successfully; 'predicted' was not run.")]
    safety: Safety
    snippet: str | None
    traces_after: int | None


FixStatus: TypeAlias = Literal["proved", "predicted", "advice", "refuted", "not_proved"]


class FellBackFound(msgspec.Struct, frozen=True, kw_only=True):
    """The framework no longer compiles the function: from the call in this line on, it runs as plain Python."""

    what: str
    compilations: Annotated[int, Meta(description="How often it had been compiled.")]
    file: str | None
    line: int | None
    compiled_seconds: Annotated[float | None, Meta(description="Of one compiled call; null if not measured.")]
    eager_seconds: Annotated[float | None, Meta(description="Of one call since; null if not measured.")]


class FunctionFound(msgspec.Struct, frozen=True, kw_only=True):
    """What one function did in the run. `ignorable`: it needs no change. `costly`: it took much of the run."""

    framework: Annotated[
        str, Meta(description=f"{', '.join(_FRAMEWORKS)}; where tracing also compiles, each trace is a compilation.")
    ]
    name: str
    file: str | None
    line: int | None
    verdict: Verdict
    costly: bool
    ignorable: bool
    reason: str
    traces: int
    retraces: int
    calls: int | None
    calls_at_least: Annotated[bool, Meta(description="There may have been more calls than `calls`.")]
    compiles: Annotated[
        int,
        Meta(description="Compilations in addition to traces; 0 if not watched, or if there were none."),
    ]
    failed: Annotated[int, Meta(description="How often tracing raised an error.")]
    lost_seconds: Annotated[float, Meta(description="Seconds lost to retraces.")]
    unclear_seconds: Annotated[
        float, Meta(description="Of first runs of graphs that ran once: unknown whether lost, so not counted as lost.")
    ]
    share: Annotated[float | None, Meta(description="Of the run's time, 0 to 1.")]
    kept_bytes: Annotated[int | None, Meta(description="How much the process grew during tracing.")]
    fell_back: FellBackFound | None
    graph_breaks: Annotated[list[str], Meta(description="Why and where it was split into several graphs.")]
    causes: list[CauseFound]
    call_sites: list[SiteCount]
    fixes: list[FixInShort]
    records: Annotated[list[str], Meta(description="Records that explain it; read them with get_record.")]
    notes: list[str]


class RecordingLine(msgspec.Struct, frozen=True, kw_only=True):
    """A recording in one line. Null fields have not been read yet; recording_findings reads them."""

    recording: Annotated[str, Meta(description="The name that other tools take as `recording`.")]
    name: str
    written: Annotated[str, Meta(description="When it was written or uploaded, in UTC.")]
    size: Annotated[int, Meta(description="Bytes of the recording.")]
    command: list[str] | None = None
    traces: int | None = None
    lost_seconds: float | None = None
    worst: Annotated[str | None, Meta(description="The function that needs attention first, and its verdict.")] = None


class RecordingsFound(msgspec.Struct, frozen=True, kw_only=True):
    """The recordings, newest first."""

    total: Annotated[int, Meta(description="The total number.")]
    recordings: list[RecordingLine]
    left_out: LeftOut


class RunFound(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a run, worst function first."""

    recording: str
    headline: str
    command: list[str]
    exit_code: int | None
    seconds: float
    started: Annotated[str, Meta(description="When the run began, in UTC; check that it is the run you mean.")]
    environment: dict[str, str]
    error: Annotated[str | None, Meta(description="The error that ended the program, if any: see explain_error.")]
    functions: list[FunctionFound]
    next_step: str
    notices: Annotated[list[str], Meta(description="What is incomplete or damaged in the recording.")]
    left_out: LeftOut


class ProofShown(msgspec.Struct, frozen=True, kw_only=True):
    """Before and after running the change. `compared` counts the calls whose results were compared."""

    verdict: ProofVerdict
    reason: str | None
    outputs_equal: bool | None
    compared: int | None
    speedup: float | None
    before: Measurement
    after: Measurement


class FixFound(msgspec.Struct, frozen=True, kw_only=True):
    """A change that should stop the retraces; `in_words` describes it."""

    recipe: str
    status: FixStatus
    safety: Safety
    in_words: list[str]
    snippet: str | None
    diff: Annotated[str | None, Meta(description="A unified diff, if the change was made and run.")]
    wider: Annotated[str | None, Meta(description="Use this instead if the change is too narrow.")]
    traces_before: int
    traces_after: Annotated[int | None, Meta(description="Measured if proved, otherwise predicted.")]
    note: str | None
    proof: ProofShown | None


class FixesFound(msgspec.Struct, frozen=True, kw_only=True):
    """The fixes for one function, and what would prove them. `advice` covers causes that no fix here treats."""

    recording: str
    function: str
    file: str | None
    line: int | None
    verdict: Verdict
    summary: str
    fixes: list[FixFound]
    advice: list[str]
    records: Annotated[list[str], Meta(description="Records that explain it; read them with get_record.")]
    prove_with: Annotated[
        str | None, Meta(description="The command that tries and proves changes; run it where the program is.")
    ]
    left_out: LeftOut


class RecordLine(msgspec.Struct, frozen=True, kw_only=True):
    """A record in one line: its message, and how well it was verified."""

    id: str
    signature: str
    category: str
    tier: str


class RecordsFound(msgspec.Struct, frozen=True, kw_only=True):
    query: str
    total: Annotated[int, Meta(description="How many records match in all.")]
    records: list[RecordLine]
    left_out: LeftOut


class RecordFound(msgspec.Struct, frozen=True, kw_only=True):
    """A complete record: `try_first` is workaround 1, the others follow; `do_not` are dead ends; all were run."""

    explanation: Explanation
    category: str
    outcomes: Annotated[
        list[Outcome],
        Meta(description="Outcomes reported for its workarounds, newest first; success rates do not include them."),
    ]
    left_out: LeftOut
