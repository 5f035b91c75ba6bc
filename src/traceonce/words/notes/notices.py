"""What a reader must know of a run as a whole: what was not watched, what of ours went wrong, what a file lacks."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

WATCHED_THROUGH = Phrase("watched_through", en="{name} is watched through {hook}", zh="{name} 通过 {hook} 观察")
NOT_WATCHED = Phrase("not_watched", en="{name} is not watched: {error}", zh="没有观察 {name}：{error}")
NOT_WATCHED_IN_FULL = Phrase(
    "not_watched_in_full", en="{name} is not watched in full: {error}", zh="对 {name} 的观察不完整：{error}"
)
LISTENER_MISSING = Phrase(
    "listener_missing", en="{name} is not told of traces: {error}", zh="没有把追踪告知 {name}：{error}"
)
NOTHING_WATCHED = Phrase(
    "nothing_watched",
    en="the main process never imported a framework that traceonce can watch",
    zh="主进程没有导入 traceonce 能够观察的框架",
)
NOTHING_WATCHED_OR_INSTALLED = Phrase(
    "nothing_watched_or_installed",
    en="the main process never imported a framework that traceonce can watch; not installed here, and needed if the "
    "program is to use it: {hints}",
    zh="主进程没有导入 traceonce 能够观察的框架；这里没有安装，而程序若要使用就需要：{hints}",
)
OWN_PROBLEM = Phrase(
    "own_problem",
    en="traceonce had a problem of its own ({error}; in {place}); the program was not affected, the report may be "
    "incomplete",
    zh="traceonce 自身出了问题（{error}；位于 {place}）；程序不受影响，报告可能不完整",
)
OBSERVER_PROBLEM = Phrase(
    "observer_problem",
    en="{purpose} had a problem ({error}); the program was not affected",
    zh="{purpose} 出了问题（{error}）；程序不受影响",
)
LIMIT_PROBLEM = Phrase(
    "limit_problem",
    en="the limit of {limit} had a problem of its own ({error}); the program was not affected, the limit may have been",
    zh="上限（{limit}）自身出了问题（{error}）；程序不受影响，上限可能没有生效",
)
CHILD_FILE_LEFT_OUT = Phrase(
    "child_file_left_out",
    en="the file of a child process was left out: {error}",
    zh="没有读取一个子进程的文件：{error}",
)
LINE_CUT_SHORT = Phrase(
    "line_cut_short",
    en="{file}, line {line}: cut short; everything before it was read",
    zh="{file} 第 {line} 行：不完整；之前的内容都已读取",
)
LINE_DAMAGED = Phrase(
    "line_damaged",
    en="{file}, line {line}: damaged and left out ({error})",
    zh="{file} 第 {line} 行：已损坏，没有读取（{error}）",
)
MORE_LINES_DAMAGED = Phrase(
    "more_lines_damaged",
    en="{file}: {count} more damaged lines were left out",
    zh="{file}：另有 {count} 个损坏的行没有读取",
)
MORE_NOTICES = Phrase("more_notices", en="{count} more notices were left out", zh="另有 {count} 条说明没有列出")
PROCESS_ENDED = Phrase(
    "process_ended",
    en="process {processes} ended without a word (killed, terminated, crashed, or os._exit): what it did up to its "
    "last trace is here, calls after that were not counted",
    zh="进程 {processes} 没有正常结束（被终止、崩溃或者 os._exit）：到最后一次追踪为止的内容"
    "都在这里，之后的调用没有计数",
)
MANY_PROCESSES_ENDED = Phrase(
    "many_processes_ended",
    en="process {processes} and {count} more ended without a word (killed, terminated, crashed, or os._exit): what it "
    "did up to its last trace is here, calls after that were not counted",
    zh="进程 {processes} 以及另外 {count} 个没有正常结束（被终止、崩溃或者 os._exit）：到最后一次追踪为止的内容"
    "都在这里，之后的调用没有计数",
)
