"""What the file of a recording lacks, as notices.

Facts know no words: the code and the English stand here, the same in every language in `words.notes.notices`.
"""

from __future__ import annotations

from collections.abc import Sequence

from traceonce.facts.entries import Notice

PROCESSES = 20  # that are named in one notice


def child_file_left_out(error: Exception) -> Notice:
    text = f"skipped the file of a child process: {error}"
    return Notice(text, error=True, code="child_file_left_out", arguments={"error": str(error)})


def line_cut_short(file: str, line: int) -> Notice:
    text = f"{file}, line {line}: cut short; everything before it was read"
    return Notice(text, error=True, code="line_cut_short", arguments={"file": file, "line": str(line)})


def line_damaged(file: str, line: int, error: Exception) -> Notice:
    text = f"{file}, line {line}: damaged and skipped ({error})"
    place = {"file": file, "line": str(line), "error": str(error)}
    return Notice(text, error=True, code="line_damaged", arguments={**place})


def more_lines_damaged(file: str, count: int) -> Notice:
    text = f"{file}: {count:,} more damaged lines were skipped"
    return Notice(text, error=True, code="more_lines_damaged", arguments={"file": file, "count": count})


def more_notices(count: int, *, error: bool) -> Notice:
    text = f"{count:,} more notices were left out"
    return Notice(text, error=error, code="more_notices", arguments={"count": count})


def ended_without_closing(processes: Sequence[str]) -> Notice:
    shown, more = ", ".join(processes[:PROCESSES]), len(processes) - PROCESSES
    others = f" and {more:,} more" if more > 0 else ""
    text = (
        f"process {shown}{others} ended without closing its recording (killed, terminated, crashed, or os._exit): "
        "everything up to its last trace is included, calls after that were not counted; "
        "to count all, run it again and let it finish"
    )
    if more > 0:
        return Notice(text, code="many_processes_ended", arguments={"processes": shown, "count": more})
    return Notice(text, code="process_ended", arguments={"processes": shown})
