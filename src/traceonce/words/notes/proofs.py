"""What a proof adds about the repair that was run."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

BEYOND_NOT_TRIED = Sentence(
    "beyond_not_tried",
    en="No calls beyond the run could be tried.",
    zh="无法试行本次运行之外的调用。",
)
BEYOND_DIFFERS = Sentence(
    "beyond_differs",
    en="Calls beyond the run return different results: {differences:texts}.",
    zh="本次运行之外的调用结果不同：{differences:texts}。",
)
BEYOND_RAISES = Sentence(
    "beyond_raises",
    en="Calls beyond the run now raise: {errors:texts}.",
    zh="本次运行之外的调用现在会报错：{errors:texts}。",
)
ONLY_TOGETHER = Sentence(
    "only_together",
    en="It is correct only together with the changes to the other functions it was proved with.",
    zh="只有与一同证明的其他函数的修改合在一起，它才正确。",
)
GRAPH_IS_CUT_NOW = Sentence(
    "graph_is_cut_now",
    en="The function now has graph breaks: {breaks:texts}.",
    zh="函数现在被分成几个图：{breaks:texts}。",
)
PRINTED_COUNT_CHANGED = Sentence(
    "printed_count_changed",
    en="A printed number changed with the number of traces, and was treated as a trace count.",
    zh="打印的一个数随追踪次数一起变了，被当作追踪次数。",
)
PRINTED_COUNT_NOT_EAGER = Sentence(
    "printed_count_not_eager",
    en="A printed number differs from the eager run, and was treated as a trace count.",
    zh="打印的一个数与 eager 运行不同，被当作追踪次数。",
)
READS_OPEN_SIZE = Sentence(
    "reads_open_size",
    en="The body reads a size that is now None: check whether it takes a different branch.",
    zh="函数体读取的一个大小现在是 None：请检查它是否会走到别的分支。",
)
