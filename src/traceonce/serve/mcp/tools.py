"""The tools that there are. What answers them is imported when the first of them is called: an agent waits for us."""

from __future__ import annotations

from traceonce.frameworks.base.registry import titles, wrappers
from traceonce.knowledge.outcomes import Outcome
from traceonce.serve.mcp import contract
from traceonce.serve.mcp.tool import Tool


def _or(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


TOOLS = (
    Tool(
        "explain_error",
        "Explain an error",
        f"Explain a tracing error of {_or(titles())}. Pass an error message, a traceback or a log; for each known "
        "failure you get its root cause, what to try first, which fixes don't work, and in how many runs each "
        "held. Says so if nothing is known. Use it before guessing at a fix for an error around "
        f"{', '.join(wrappers())}, retracing or a compiler.",
        contract.ErrorAsked,
        contract.ErrorExplained,
        lambda desk, asked: desk.explain_error(asked),
    ),
    Tool(
        "list_recordings",
        "List the recordings",
        "List the recordings that the other tools accept, newest first, with their names.",
        contract.RecordingsAsked,
        contract.RecordingsFound,
        lambda desk, asked: desk.list_recordings(asked),
    ),
    Tool(
        "recording_findings",
        "Read a recording's findings",
        "Read what `traceonce run` recorded: time lost in retraces, and for each function, worst first, its "
        "verdict, cost, the causes (which argument, dimension or value changed, with the values), the lines "
        "that call it, and proposed fixes in short. Name a function to get all of its causes. Functions marked "
        "ignorable need no change.",
        contract.FindingsAsked,
        contract.RunFound,
        lambda desk, asked: desk.recording_findings(asked),
    ),
    Tool(
        "propose_fix",
        "Propose a fix for a function",
        "Return the fixes for one function of a recording: the code to write, a diff if it was tried, whether it "
        "was proved by running it or is only predicted, what to know before using it, and the command that "
        "would prove it. It edits nothing. Says so if there is no fix.",
        contract.FixAsked,
        contract.FixesFound,
        lambda desk, asked: desk.propose_fix(asked),
    ),
    Tool(
        "search_records",
        "Search the records",
        "Find records of tracing failures by words. For an error message use explain_error instead, which matches it.",
        contract.SearchAsked,
        contract.RecordsFound,
        lambda desk, asked: desk.search_records(asked),
    ),
    Tool(
        "get_record",
        "Read a record",
        "Read one complete record: root cause, all workarounds with code and evidence (numbered from 1), dead "
        "ends, and what usually comes next.",
        contract.RecordAsked,
        contract.RecordFound,
        lambda desk, asked: desk.get_record(asked),
    ),
    Tool(
        "report_outcome",
        "Report whether a workaround worked",
        "Record whether a workaround worked when it was run here. Outcomes are stored next to the evidence and "
        "never counted into it. Call it once, after the program was run with the change, and never for "
        "something that was not run.",
        contract.OutcomeAsked,
        Outcome,
        lambda desk, asked: desk.report_outcome(asked),
        writes=True,
    ),
)
