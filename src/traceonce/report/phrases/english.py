"""What documents say of a run, in English: much of it as the text report does."""

from __future__ import annotations

from traceonce.facts import Breach, Diagnosis, SiteCount, Verdict
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of, size
from traceonce.facts.quantities import duration as duration
from traceonce.facts.quantities import percent as percent
from traceonce.report.phrases import Labels
from traceonce.report.sentences import describe_breaks as describe_breaks
from traceonce.report.sentences import describe_cause as describe_cause
from traceonce.report.sentences import describe_eager_calls as describe_eager_calls
from traceonce.report.sentences import describe_fix as describe_fix
from traceonce.report.sentences import describe_reason as describe_reason
from traceonce.report.sentences import describe_remedy as describe_remedy
from traceonce.report.sentences import describe_traces
from traceonce.report.sentences import describe_values as describe_values
from traceonce.words.notes import diagnosis_notes

VERDICTS = {verdict: verdict.value for verdict in Verdict}
LABELS = Labels(
    function="function",
    verdict="verdict",
    traces="traces",
    calls="calls",
    lost="lost",
    why="why",
    fix="Fix",
    advice="Advice",
    change="Change",
    note="Note",
    known="Known",
    eager="Since then",
    breaks="Graph breaks",
    called_from="called from",
    the_rest="You can ignore these",
    worth_a_look="Worth a look",
    the_run="The run",
    program="program",
    ended_with="It ended with",
    colon=": ",
    comma=", ",
    costly="costly",
)


def lost(seconds: float, share: float | None) -> str:
    part = f" ({percent(share)} of the run)" if share is not None else ""
    return f"{duration(seconds)} lost{part}"


def kept(number: int) -> str:
    return f"{size(number)} kept"


def counted(functions: int, traces: int) -> str:
    return f"{count_of(functions, 'function')}, {count_of(traces, 'trace')}"


def to_look_at(functions: int) -> str:
    return f"{count_of(functions, 'function')} to look at"


def nothing_to_fix(functions: int) -> str:
    return "nothing to fix" if functions else "no function was traced"


def no_alarm(avoidable: int, costly: int) -> str:
    """Where no function is an alarm, and some are worth a line all the same."""
    counts = [(avoidable, "avoidable"), (costly, "bounded but costly")]
    return "no alarm; " + ", ".join(f"{count_of(count, 'function')} {word}" for count, word in counts if count)


def not_shown(functions: int) -> str:
    more = f"{count_of(functions, 'more function')} and " if functions else ""
    return f"{more}the rest of the report did not fit into a comment; traceonce report --format html shows all of it."


def other_lines(number: int) -> str:
    return f" and {count_of(number, 'other line')}"


def through(site: SiteCount) -> str:
    return f" through {package_path(site.via)}" if site.via else ""


def what_happened(diagnosis: Diagnosis) -> str:
    """How often it was traced, or what else is wrong with it."""
    if diagnosis.verdict is Verdict.FAILED:
        return f"raised {count_of(diagnosis.failed, 'time')} during tracing"
    if diagnosis.verdict.is_silent:
        return "is silently wrong" if diagnosis.surely_wrong else "may be silently wrong"
    return describe_traces(diagnosis)


def limit_reached(breach: Breach, calls: int) -> str:
    then = f"{count_of(calls, 'call')} refused" if breach.refused else "the program went on"
    return f"has reached its limit of {breach.limit.describe()}; {then}"


def accepted(diagnosis: Diagnosis) -> str | None:
    return {None: None, True: "accepted by the baseline", False: "worse than the baseline accepts"}[diagnosis.accepted]


def calls(diagnosis: Diagnosis) -> str:
    """For a table."""
    return f"{'≥ ' if diagnosis.calls_at_least else ''}{diagnosis.calls:,}" if diagnosis.calls else ""


def describe_notes(diagnosis: Diagnosis) -> list[str]:
    return diagnosis_notes(diagnosis, "en")
