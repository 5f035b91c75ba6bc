"""What there is to know about a function, beside its causes."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

TRACES_RAISED = Sentence(
    "traces_raised",
    en="{failed} of {traces} traces raised: {error}",
    zh="{traces} 次追踪中有 {failed} 次报错：{error}",
)
TRACES_RAISED_WITHOUT_A_WORD = Sentence(
    "traces_raised_without_a_word",
    en="{failed} of {traces} traces raised an error without a message.",
    zh="{traces} 次追踪中有 {failed} 次报错，没有错误信息。",
)
CALLS_NOT_COUNTED = Sentence(
    "calls_not_counted",
    en="Its calls are not counted: it is called inside other functions, or not at all.",
    zh="它的调用没有计数：它在别的函数中被调用，或者没有被调用。",
)
FIRST_RUNS_UNCLEAR = Sentence(
    "first_runs_unclear",
    en="First runs of graphs that ran once took another {seconds:duration}. How much of that was graph "
    "preparation is unknown, so it does not count as lost.",
    zh="只运行过一次的图，首次运行另外用了 {seconds:duration}：其中多少用于准备图不得而知，所以不计入损失。",
)
DIFFERENT_GRAPHS = Sentence(
    "different_graphs",
    en="{count} different graphs under this name (other models, or other steps) do not count as retraces.",
    zh="这个名字下有 {count} 个不同的图（别的模型或步骤），不算重新追踪。",
)
OTHER_SIZES = Sentence(
    "other_sizes",
    en="{count} {count:retrace|retraces} of the same code had other sizes ({sizes}). Another model needs its "
    "own graph; data can be passed as an argument.",
    zh="同样的代码有 {count} 次因为大小不同（{sizes}）而重新追踪。另一个模型需要自己的图；数据可以作为参数传入。",
)
TOO_MUCH_VARIES = Sentence(
    "too_much_varies",
    en="No fix was searched for: {causes} things vary in {traces} traces.",
    zh="没有寻找修改方法：{traces} 次追踪中有 {causes} 处变化。",
)
LOOKING_FAILED = Sentence(
    "looking_failed",
    en="No fix was found because traceonce itself failed: {error:code}. Please report it.",
    zh="没有找到修改方法，因为 traceonce 自身出错：{error:code}。请报告这个问题。",
)
RIGHT_WITH_ANOTHER = Sentence(
    "right_with_another",
    en="The fix of another function also makes this one correct.",
    zh="修改另一个函数之后，这个函数也正确了。",
)
REPAIRED_ELSEWHERE = Sentence(
    "repaired_elsewhere",
    en="The fix of another function leaves {after} of its {before} {before:trace|traces}.",
    zh="修改另一个函数之后，它的追踪从 {before} 次减少到 {after} 次。",
)
