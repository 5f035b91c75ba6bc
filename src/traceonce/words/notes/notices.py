"""What a reader must know of a run as a whole: what was not watched, what of ours went wrong, what a file lacks."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

WATCHED_THROUGH = Phrase("watched_through", en="{name} is watched through {hook}", zh="{name} 通过 {hook} 观察")
NOT_WATCHED = Phrase("not_watched", en="{name} is not watched: {error}", zh="没有观察 {name}：{error}")
NOT_WATCHED_IN_FULL = Phrase(
    "not_watched_in_full", en="{name} is only partly watched: {error}", zh="对 {name} 的观察不完整：{error}"
)
LISTENER_MISSING = Phrase(
    "listener_missing", en="{name} does not receive traces: {error}", zh="{name} 收不到追踪：{error}"
)
NOTHING_WATCHED = Phrase(
    "nothing_watched",
    en="the main process never imported a framework that traceonce can watch (traceonce doctor lists them)",
    zh="主进程没有导入 traceonce 能够观察的框架（traceonce doctor 会列出它们）",
)
NOTHING_WATCHED_OR_INSTALLED = Phrase(
    "nothing_watched_or_installed",
    en="the main process never imported a framework that traceonce can watch (traceonce doctor lists them); not "
    "installed here, and needed if the program uses it: {hints}",
    zh="主进程没有导入 traceonce 能够观察的框架（traceonce doctor 会列出它们）；"
    "这里没有安装，而程序若使用就需要：{hints}",
)
OWN_PROBLEM = Phrase(
    "own_problem",
    en="traceonce failed ({error}; in {place}); the program was not affected, the report may be incomplete",
    zh="traceonce 自身出错（{error}；位于 {place}）；程序不受影响，报告可能不完整",
)
OBSERVER_PROBLEM = Phrase(
    "observer_problem",
    en="{purpose} failed ({error}); the program was not affected",
    zh="{purpose} 失败（{error}）；程序不受影响",
)
LIMIT_PROBLEM = Phrase(
    "limit_problem",
    en="the limit of {limit} failed inside traceonce ({error}); the program was not affected, but the limit may not "
    "have held",
    zh="上限（{limit}）在 traceonce 内部出错（{error}）；程序不受影响，上限可能没有生效",
)
CHILD_FILE_LEFT_OUT = Phrase(
    "child_file_left_out",
    en="skipped the file of a child process: {error}",
    zh="跳过了一个子进程的文件：{error}",
)
LINE_CUT_SHORT = Phrase(
    "line_cut_short",
    en="{file}, line {line}: cut short; everything before it was read",
    zh="{file} 第 {line} 行：不完整；之前的内容都已读取",
)
LINE_DAMAGED = Phrase(
    "line_damaged",
    en="{file}, line {line}: damaged and skipped ({error})",
    zh="{file} 第 {line} 行：已损坏，已跳过（{error}）",
)
MORE_LINES_DAMAGED = Phrase(
    "more_lines_damaged",
    en="{file}: {count} more damaged lines were skipped",
    zh="{file}：另有 {count} 个损坏的行已跳过",
)
MORE_NOTICES = Phrase("more_notices", en="{count} more notices were left out", zh="另有 {count} 条说明没有列出")
PROCESS_ENDED = Phrase(
    "process_ended",
    en="process {processes} ended without closing its recording (killed, terminated, crashed, or os._exit): everything "
    "up to its last trace is included, calls after that were not counted; to count all, run it again and let it finish",
    zh="进程 {processes} 结束时没有关闭记录（被终止、崩溃或者 os._exit）："
    "到最后一次追踪为止的内容都在其中，之后的调用没有计数；若要全部计数，请重新运行并等它结束",
)
MANY_PROCESSES_ENDED = Phrase(
    "many_processes_ended",
    en="process {processes} and {count} more ended without closing its recording (killed, terminated, crashed, or "
    "os._exit): everything up to its last trace is included, calls after that were not counted; to count all, run it "
    "again and let it finish",
    zh="进程 {processes} 以及另外 {count} 个结束时没有关闭记录（被终止、崩溃或者 os._exit）："
    "到最后一次追踪为止的内容都在其中，之后的调用没有计数；若要全部计数，请重新运行并等它结束",
)
