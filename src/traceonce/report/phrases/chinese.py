"""What documents say of a run, in Chinese."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from traceonce.causes.cause_text import say_reason, say_remedy, say_what
from traceonce.causes.definition import Happened
from traceonce.facts import Breach, Cause, Diagnosis, FellBack, Fix, Limit, Proof, Safety, SiteCount, Verdict
from traceonce.facts.event import package_path
from traceonce.facts.quantities import size
from traceonce.frameworks.base.registry import dialect_of
from traceonce.report import sentences
from traceonce.report.phrases import Labels
from traceonce.report.sentences import BREAKS, compilations, what_to_know
from traceonce.words import durations
from traceonce.words.notes import diagnosis_notes, proof_reason
from traceonce.words.verdicts import BADGES

VERDICTS = {verdict: badge.zh for verdict, badge in BADGES.items()} | {Verdict.STALE: "旧值", Verdict.CONFUSED: "混淆"}
LABELS = Labels(
    function="函数",
    verdict="结论",
    traces="追踪",
    calls="调用",
    lost="损失",
    why="原因",
    fix="修改",
    advice="建议",
    change="改法",
    note="说明",
    known="相关知识",
    eager="此后",
    breaks="图中断",
    called_from="调用处",
    the_rest="以下可以忽略",
    worth_a_look="值得一看",
    the_run="本次运行",
    program="程序",
    ended_with="程序以此错误结束",
    colon="：",
    comma="，",
    costly="耗时多",
)
SAFETY: dict[Safety, str] = {
    "safe": "",
    "review": "请先审阅",
    "narrow": "范围较窄，没有出现过的输入现在会报错，而不是重新追踪",
    "advice": "仅为建议，由你决定",
}


def duration(seconds: float) -> str:
    return durations.duration(seconds, "zh")


def percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "不到 1%"


def lost(seconds: float, share: float | None) -> str:
    part = f"（占运行的 {percent(share)}）" if share is not None else ""
    return f"损失 {duration(seconds)}{part}"


def kept(number: int) -> str:
    return f"占用内存 {size(number)}"


def counted(functions: int, traces: int) -> str:
    return f"{functions:,} 个函数，{traces:,} 次追踪"


def to_look_at(functions: int) -> str:
    return f"{functions:,} 个函数需要处理"


def nothing_to_fix(functions: int) -> str:
    return "没有需要修改的地方" if functions else "没有函数被追踪"


def no_alarm(avoidable: int, costly: int) -> str:
    counts = [(avoidable, "可以避免"), (costly, "次数有限但耗时多")]
    return "没有警报；" + "，".join(f"{count:,} 个函数{word}" for count, word in counts if count)


def not_shown(functions: int) -> str:
    more = f"另有 {functions:,} 个函数，以及" if functions else ""
    return f"{more}报告的其余部分放不进一条评论；traceonce report --format html 可显示全部。"


def other_lines(number: int) -> str:
    return f"，另有 {number:,} 行"


def through(site: SiteCount) -> str:
    return f"，经由 {package_path(site.via)}" if site.via else ""


def what_happened(diagnosis: Diagnosis) -> str:
    at_least = "至少 " if diagnosis.calls_at_least else ""
    calls = f"在{at_least or ' '}{diagnosis.calls:,} 次调用中" if diagnosis.calls else ""
    if diagnosis.verdict is Verdict.FELL_BACK:
        return f"编译 {compilations(diagnosis):,} 次后退回普通 Python 运行"
    if diagnosis.verdict is Verdict.RECOMPILING:
        dialect = dialect_of(diagnosis.backend)
        return f"{calls}{dialect.compiled.zh} {diagnosis.compiles:,} 次（{diagnosis.traces:,} 次{dialect.trace.zh}）"
    if diagnosis.verdict is Verdict.FAILED:
        return f"追踪时报错 {diagnosis.failed:,} 次"
    if diagnosis.verdict.is_silent:
        return "结果有错而没有任何提示" if diagnosis.surely_wrong else "结果可能有错而没有任何提示"
    return f"{calls}{dialect_of(diagnosis.backend).retraced.zh}了 {diagnosis.retraces:,} 次"


def calls(diagnosis: Diagnosis) -> str:
    return f"{'≥ ' if diagnosis.calls_at_least else ''}{diagnosis.calls:,}" if diagnosis.calls else ""


def limit_reached(breach: Breach, calls: int) -> str:
    return f"达到上限（{_limit(breach.limit)}）；{_then(breach.refused, calls)}"


def describe_reached(breaches: Iterable[Breach]) -> Iterator[str]:
    """The limits that a function has reached, and what the program got."""
    counts = Counter((_limit(breach.limit), breach.refused) for breach in breaches)
    for (limit, refused), count in counts.items():
        yield f"{limit}；{_then(refused, count)}"


def _limit(limit: Limit) -> str:
    counted_as = "重新追踪" if limit.of == "retraces" else "追踪"
    warm_up = f"，前 {limit.warmup:,} 次调用不计" if limit.warmup else ""
    return f"{counted_as} {limit.most:,} 次{warm_up}"


def _then(refused: bool, calls: int) -> str:
    return f"{calls:,} 次调用被拒绝" if refused else "程序继续运行"


def accepted(diagnosis: Diagnosis) -> str | None:
    return {None: None, True: "基线已接受", False: "比基线接受的更差"}[diagnosis.accepted]


def describe_reason(diagnosis: Diagnosis) -> str:
    return say_reason(diagnosis.reason, diagnosis.backend, "zh")


def describe_notes(diagnosis: Diagnosis) -> list[str]:
    return diagnosis_notes(diagnosis, "zh")


def describe_cause(cause: Cause, traces: int, backend: str) -> str:
    return say_what(Happened(cause, backend, traces=traces), "zh")


def describe_values(cause: Cause) -> str:
    values = sentences.listed_values(cause)
    return f"{cause.count:,} 次" if values is None else values


def describe_remedy(cause: Cause, diagnosis: Diagnosis) -> str:
    return say_remedy(sentences.befallen(cause, diagnosis), "zh")


def describe_eager_calls(fell_back: FellBack) -> str:
    site = fell_back.call_site
    parts = [f"从 {package_path(site.file)}:{site.line} 的调用起不再编译" if site is not None else ""]
    compiled, eager = fell_back.compiled_seconds, fell_back.eager_seconds
    if compiled is not None and eager is not None:
        parts.append(f"编译时一次调用用 {call_time(compiled)}，现在用 {call_time(eager)}")
        ratio = sentences.times_as_long(compiled, eager)
        if ratio is not None:
            parts[-1] += f"，{'是原来的' if eager > compiled else '速度是原来的'} {ratio:,.1f} 倍"
    elif eager is not None:
        parts.append(f"不编译的一次调用用 {call_time(eager)}")
    elif compiled is not None:
        parts.append(f"编译时一次调用用 {call_time(compiled)}")
    return "；".join(filter(None, parts)) or "没有测量此后一次调用所用的时间"


def call_time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} 秒"
    return f"{seconds * 1e3:.1f} 毫秒" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} 微秒"


def describe_breaks(graph_breaks: Sequence[str]) -> str:
    more = f"；另有 {len(graph_breaks) - BREAKS:,} 处" if len(graph_breaks) > BREAKS else ""
    return f"{len(graph_breaks):,} 处：{'；'.join(graph_breaks[:BREAKS])}{more}"


def describe_fix(fix: Fix, diagnosis: Diagnosis, command: str | None, *, marked: bool = False) -> Iterator[str]:
    if fix.proof is not None:
        yield _describe_proof(fix.proof, dialect_of(diagnosis.backend).trace.zh)
    else:
        yield _describe_prediction(fix, diagnosis, command)
    yield from what_to_know(
        fix, "zh", SAFETY[fix.safety], "：", "更宽的写法，同样已验证（--wide 采用它）", marked=marked
    )


def _describe_prediction(fix: Fix, diagnosis: Diagnosis, command: str | None) -> str:
    way = "尚未运行"
    if command is not None and fix.safety != "advice":
        way += f"；{command} 会试行并验证"
    if fix.predicted_traces is None or fix.predicted_traces >= diagnosis.traces:
        return way
    return (
        f"{dialect_of(diagnosis.backend).trace.zh} {diagnosis.traces:,} 次 → {fix.predicted_traces:,} 次（预测，{way}）"
    )


def _describe_proof(proof: Proof, noun: str) -> str:
    if proof.verdict != "proved":
        return f"{'已被否定' if proof.verdict == 'refuted' else '未能验证'}：{proof_reason(proof, 'zh')}"
    parts = [f"{noun} {proof.before.traces:,} 次 → {proof.after.traces:,} 次"]
    if proof.outputs_equal and proof.compared == 0:
        parts.append("调用它的代码输出相同")
    elif proof.outputs_equal:
        compared = proof.compared if proof.compared is not None else proof.after.calls
        eagerly = "与 eager 运行" if proof.measure == "eager" else ""
        parts.append(f"{compared:,} 次调用的输出{eagerly}相同")
    if proof.speedup is not None and proof.speedup >= 1.05:
        parts.append(f"速度是原来的 {proof.speedup:.1f} 倍")
    return f"{'，'.join(parts)}（已验证）"
