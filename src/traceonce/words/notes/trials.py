"""What a trial of the knowledge base came to: pieces that stand beside each other, with a comma between them."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

TRACES = Phrase("traces", en="{count} {count:trace|traces}", zh="追踪 {count} 次")
CAUSE = Phrase("cause", en="cause {cause}", zh="原因 {cause}")
CAUSE_AT = Phrase("cause_at", en="cause {cause} at {path}", zh="原因 {cause}（{path}）")
COMPILED = Phrase("compiled", en="{count} compiled", zh="编译 {count} 次")
COMPILATIONS = Phrase("compilations", en="{count} {count:compilation|compilations}", zh="编译 {count} 次")
GRAPH_BREAKS = Phrase("graph_breaks", en="{count} graph {count:break|breaks}", zh="图中断 {count} 处")
GROWN = Phrase("grown", en="memory grew by {mib} MiB", zh="内存增长 {mib} MiB")
PRINTED = Phrase("printed", en="printed", zh="打印一次")
PRINTED_TIMES = Phrase("printed_times", en="printed {count} times", zh="打印 {count} 次")
RAISED = Phrase("raised", en="{error} raised", zh="抛出 {error}")
NO_ERROR = Phrase("no_error", en="no error", zh="没有报错")
RIGHT_OUTPUTS = Phrase("right_outputs", en="right outputs", zh="输出正确")
OTHER_OUTPUTS = Phrase("other_outputs", en="other outputs", zh="输出不同")
WRONG_OUTPUTS = Phrase("wrong_outputs", en="wrong outputs", zh="输出错误")
NO_OUTPUTS = Phrase("no_outputs", en="no outputs to compare", zh="没有可比较的输出")
NOTHING_TRACED = Phrase("nothing_traced", en="nothing traced", zh="没有追踪")
NOTHING_COMPILED = Phrase(
    "nothing_compiled",
    en="nothing is compiled: no trace is left",
    zh="什么都没有编译：不再有追踪",
)
DOES_NOT_SHOW = Phrase("does_not_show", en="does not show", zh="未出现")
IT_HELPS = Phrase("it_helps", en="it helps", zh="有效")
