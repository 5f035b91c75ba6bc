"""What the file of a recording lacks, as notices.

Facts know no words: the code and the English stand here, the same in every language in `words.notes.notices`.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceonce.facts.entries import Notice

PROCESSES = 20  # that are named in one notice


def child_file_left_out(error: Exception) -> Notice:
    text = f"the file of a child process was left out: {error}"
    return Notice(text, error=True, code="child_file_left_out", arguments={"error": str(error)})


def line_cut_short(file: str, line: int) -> Notice:
    text = f"{file}, line {line}: cut short; everything before it was read"
    return Notice(text, error=True, code="line_cut_short", arguments={"file": file, "line": str(line)})


def line_damaged(file: str, line: int, error: Exception) -> Notice:
    text = f"{file}, line {line}: damaged and left out ({error})"
    place = {"file": file, "line": str(line), "error": str(error)}
    return Notice(text, error=True, code="line_damaged", arguments={**place})


def more_lines_damaged(file: str, count: int) -> Notice:
    text = f"{file}: {count:,} more damaged lines were left out"
    return Notice(text, error=True, code="more_lines_damaged", arguments={"file": file, "count": count})


def more_notices(count: int, *, error: bool) -> Notice:
    text = f"{count:,} more notices were left out"
    return Notice(text, error=error, code="more_notices", arguments={"count": count})


def ended_without_a_word(processes: Sequence[str]) -> Notice:
    shown, more = ", ".join(processes[:PROCESSES]), len(processes) - PROCESSES
    others = f" and {more:,} more" if more > 0 else ""
    text = (
        f"process {shown}{others} ended without a word (killed, terminated, crashed, or os._exit): "
        "what it did up to its last trace is here, calls after that were not counted"
    )
    if more > 0:
        return Notice(text, code="many_processes_ended", arguments={"processes": shown, "count": more})
    return Notice(text, code="process_ended", arguments={"processes": shown})
