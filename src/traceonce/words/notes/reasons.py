"""Why a repair was not proved: what stands after *refuted* or *not proved*, so that these are no sentences.

What a program returns, prints or raises is told as it is.
"""

from __future__ import annotations

from traceonce.words.sentence import Phrase

# Refuted: the first difference.
EXIT_STATUS_DIFFERS = Phrase(
    "exit_status_differs",
    en="exit status {before} → {after}",
    zh="退出状态 {before} → {after}",
)
EXIT_STATUS_DIFFERS_BY_ERROR = Phrase(
    "exit_status_differs_by_error",
    en="exit status {before} → {after} ({error})",
    zh="退出状态 {before} → {after}（{error}）",
)
LEFT_NO_RESULTS = Phrase(
    "left_no_results",
    en="the program ended without saving its results",
    zh="程序结束时没有留下结果",
)
RESULT_DIFFERS = Phrase(
    "result_differs",
    en="{function}, call {call}: {difference}",
    zh="{function} 的第 {call} 次调用：{difference}",
)
NUMBER_OF_CALLS_DIFFERS = Phrase(
    "number_of_calls_differs",
    en="{function}, {before} calls → {after} calls",
    zh="{function} 的调用次数：{before} → {after}",
)
VARIABLE_DIFFERS = Phrase(
    "variable_differs",
    en="variable {number} at the end: {difference}",
    zh="结束时的第 {number} 个变量：{difference}",
)
VARIABLE_IS_MISSING = Phrase(
    "variable_is_missing",
    en="variable {number} at the end: missing",
    zh="结束时没有第 {number} 个变量",
)
PRINTED_DIFFERS = Phrase(
    "printed_differs",
    en="printed {difference}",
    zh="打印内容不同：{difference}",
)

# Not proved.
NOT_FEWER_TRACES = Phrase(
    "not_fewer_traces",
    en="{before} traces → {after}",
    zh="追踪 {before} 次 → {after} 次",
)
TRACED_ELSEWHERE = Phrase(
    "traced_elsewhere",
    en="{before} traces → {after} (the saved traces now happen in other functions)",
    zh="追踪 {before} 次 → {after} 次（减少的追踪发生在别的函数中）",
)
RUNS_AS_PLAIN_PYTHON = Phrase(
    "runs_as_plain_python",
    en="fewer traces, but only because tracing fails and the function runs as plain Python: {error}",
    zh="追踪减少只是因为追踪失败、函数改为普通 Python 运行：{error}",
)
NOT_DETERMINISTIC = Phrase(
    "not_deterministic",
    en="two unmodified runs differ in what {functions} returns: it is non-deterministic, so its values prove nothing",
    zh="两次未修改的运行中，{functions} 的返回值不同：结果不确定，无法对它的值下结论",
)
CRASHED_WITHOUT_RESULTS = Phrase(
    "crashed_without_results",
    en="the program ended without saving its results (os._exit, or a crash)",
    zh="程序结束时没有留下结果（os._exit 或者崩溃）",
)
NOTHING_TO_COMPARE = Phrase(
    "nothing_to_compare",
    en="there is nothing to compare: no eager call returned a result, and there are no variables and no output",
    zh="没有可以比较的内容：没有来自 eager 代码的调用结果，没有变量，也没有输出",
)
NOT_CALLED = Phrase(
    "not_called",
    en="the function was not called",
    zh="这个函数没有被调用",
)
CALLS_TAKE_LONGER = Phrase(
    "calls_take_longer",
    en="fewer traces, but its calls take longer: {before:seconds} → {after:seconds}",
    zh="追踪减少，但调用变慢：{before:seconds} → {after:seconds}",
)
RUN_TAKES_LONGER = Phrase(
    "run_takes_longer",
    en="the program takes much longer: {before:seconds} → more than {after:seconds}",
    zh="程序运行时间长得多：{before:seconds} → 超过 {after:seconds}",
)

# Not tried.
BUDGET_USED_UP = Phrase(
    "budget_used_up",
    en="the budget of {seconds:seconds} is used up",
    zh="时间预算 {seconds:seconds} 已用完",
)
INTERRUPTED = Phrase(
    "interrupted",
    en="interrupted",
    zh="已中断",
)
