"""What documents say of a run, in Chinese. What a recipe notes about its fix comes as it is, in English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import Breach, Cause, CauseCode, Diagnosis, Fix, FunctionId, Proof, Safety, SiteCount, Verdict
from traceonce.facts.event import package_path
from traceonce.facts.quantities import size
from traceonce.report import wording
from traceonce.report.phrases import Labels
from traceonce.report.wording import Words

VERDICTS = {
    Verdict.RETRACING: "反复追踪",
    Verdict.RECOMPILING: "反复编译",
    Verdict.FAILED: "失败",
    Verdict.STALE: "旧值",
    Verdict.CONFUSED: "混淆",
    Verdict.BOUNDED: "有限",
    Verdict.OK: "正常",
}
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
    called_from="调用处",
    the_rest="以下可以忽略",
    worth_a_look="值得一看",
    the_run="本次运行",
    program="程序",
    ended_with="程序以此错误结束",
    colon="：",
    comma="，",
)
WORDS: dict[CauseCode, Words] = {
    CauseCode.SHAPE: Words("大小变化", "在 input_signature 中把这一维写成 None，或者设置 reduce_retracing=True"),
    CauseCode.RANK: Words("维数变化", "调用之前 reshape 成同样的维数"),
    CauseCode.DTYPE: Words("dtype 变化", "调用之前转换成同一种 dtype"),
    CauseCode.VALUE: Words("Python 的 {type}", "如果函数不需要 Python 值，就传入张量"),
    CauseCode.KIND: Words("种类变化", "每次调用都传入同一种东西"),
    CauseCode.STRUCTURE: Words("结构变化", "保持同一种结构：同样的键、同样的长度，统一用 list 或者 tuple"),
    CauseCode.SPEC: Words("类型说明（TypeSpec）变化", "让类型的这个字段在每次调用中保持不变"),
    CauseCode.IDENTITY: Words(
        "另一个 {type} 对象", "传入同一个对象；如果它只保存设置，在它的类里定义 __eq__ 和 __hash__ 也可以"
    ),
    CauseCode.COLLECTED: Words("{type} 对象；之前的那个已被回收", "让一个对象一直存在，每次调用都传入它"),
    CauseCode.UNEQUAL: Words("它的类型与自身不相等", "让这个类的 __eq__ 比较内容"),
    CauseCode.ALIASING: Words("与另一个参数是（或者不是）同一个变量", "每次传入变量的方式保持一致"),
    CauseCode.NEW_FUNCTION: Words("同样的代码又被 tf.function 包装了一次", "在循环或调用之外只创建一次 tf.function"),
    CauseCode.NEW_INSTANCE: Words("另一个对象的方法", "重复使用同一个对象"),
    CauseCode.VARIABLE_CREATION: Words("第一次调用时创建了变量", "不必修改：只会发生一次"),
    CauseCode.CONTEXT: Words("调用的环境变了", "在同样的环境中调用"),
    CauseCode.COMPILE: Words("XLA 再次编译", "填充到少数几种固定形状；XLA 对每种新形状都要编译"),
    CauseCode.BACKWARD: Words("构建了反向图", "不必修改：每次追踪只发生一次"),
    CauseCode.STALE: Words("追踪时读取，之后变了：图里仍是旧值", "把它作为参数传入，或者放进 tf.Variable"),
    CauseCode.CONFUSED: Words("类型不同而相等的数用了同一个图", "每次调用都传入同一种类型"),
    CauseCode.UNKNOWN: Words("原因未知", "请附上记录文件报告这个问题"),
}
SAFETY: dict[Safety, str] = {
    "safe": "",
    "review": "请先审阅",
    "narrow": "范围较窄：没有出现过的输入现在会报错，而不是重新追踪",
    "advice": "仅为建议，由你决定",
}
REASONS = {  # as `explain` gives them
    "it keeps being traced as it is called": "随着调用不断被重新追踪",
    "it is traced again and again (its calls are not counted)": "一再被追踪（它的调用没有计数）",
    "the same graph is traced again under new function objects": "同样的图在新的函数对象下又被追踪",
    "a dataset is built again and again": "数据集一再被重新构建",
    "it was traced for a good part of its calls": "相当一部分调用都引起了追踪",
    "it has cost a good part of the run": "耗费了运行的相当一部分时间",
    "XLA compiles it again for new shapes": "XLA 为新的形状再次编译",
    "a trace raised an error": "追踪时报错",
    "a call was served with a value that the trace was not made for": "有调用用了不适合它的值的图",
    "traced once": "只追踪一次",
    "each graph traced once": "每个图只追踪一次",
    "the argument has only a few possible states": "这个参数只有少数几种状态",
    "all traces came early": "所有追踪都发生在开头",
    "each trace served many calls": "每次追踪都服务了许多次调用",
    "few traces so far": "目前只有少数几次追踪",
}
NOTES = [  # as `explain` gives them
    (r"(\d+) of (\d+) traces raised: (.*)", r"\2 次追踪中有 \1 次报错：\3"),
    (r"its calls are not counted \(.*\)", "它的调用没有计数（它在别的函数中被调用，或者没有被调用）"),
    (
        r"(\d+) different graphs under this name \(.*",
        r"这个名字下有 \1 个不同的图（别的模型或步骤）：不算重新追踪",
    ),
]
ONE_OBJECT = (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE)


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} 秒"
    return f"{seconds * 1000:.0f} 毫秒" if seconds >= 0.001 else "不到 1 毫秒"


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


def not_shown(functions: int) -> str:
    more = f"另有 {functions:,} 个函数，以及" if functions else ""
    return f"{more}报告的其余部分放不进一条评论；traceonce report --format html 可显示全部。"


def other_lines(number: int) -> str:
    return f"，另有 {number:,} 行"


def through(site: SiteCount) -> str:
    return f"，经由 {package_path(site.via)}" if site.via else ""


def what_happened(diagnosis: Diagnosis) -> str:
    calls = f"在 {diagnosis.calls:,} 次调用中" if diagnosis.calls else ""
    if diagnosis.verdict is Verdict.RECOMPILING:
        return f"{calls}编译了 {diagnosis.compiles:,} 次（{diagnosis.traces:,} 次追踪）"
    if diagnosis.verdict is Verdict.FAILED:
        return f"追踪时报错 {diagnosis.failed:,} 次"
    if diagnosis.verdict.is_silent:
        return "结果有错而没有任何提示" if diagnosis.surely_wrong else "结果可能有错而没有任何提示"
    return f"{calls}重新追踪了 {diagnosis.retraces:,} 次"


def limit_reached(breach: Breach, calls: int) -> str:
    limit = breach.limit
    counted_as = "重新追踪" if limit.of == "retraces" else "追踪"
    warm_up = f"，前 {limit.warmup:,} 次调用不计" if limit.warmup else ""
    then = f"{calls:,} 次调用被拒绝" if breach.refused else "程序继续运行"
    return f"达到上限（{counted_as} {limit.most:,} 次{warm_up}）；{then}"


def accepted(diagnosis: Diagnosis) -> str | None:
    return {None: None, True: "基线已接受", False: "比基线接受的更差"}[diagnosis.accepted]


def describe_reason(diagnosis: Diagnosis) -> str:
    return REASONS.get(diagnosis.reason, diagnosis.reason)


def describe_note(note: str) -> str:
    for pattern, words in NOTES:
        found = re.fullmatch(pattern, note, re.DOTALL)
        if found:
            return found.expand(words)
    return note


def describe_cause(cause: Cause, traces: int) -> str:
    if cause.step:
        return f"每次增加 {cause.step}"
    if cause.is_partial_batch:
        return "有一次较小，如同最后不满的一批"
    words = WORDS[cause.code].what.format(type=cause.type_name or "值")
    if cause.code in ONE_OBJECT and cause.note:
        words += f"，不同的是 {cause.note}"
    if cause.code in (CauseCode.VALUE, CauseCode.SHAPE) and cause.count >= 3 and cause.count >= traces - 1:
        words += "，每次都是新值" if cause.code is CauseCode.VALUE else "，每次追踪都不同"
    if cause.evidence == "inferred" and cause.code is CauseCode.STALE:
        words += "（推断：没有证实它进入了图）"
    return words


def describe_values(cause: Cause) -> str:
    if cause.code in ONE_OBJECT:
        return f"{cause.count:,} 次"
    values = wording.describe_values(cause)
    return f"{cause.count:,} 次" if values == f"{cause.count} times" else values


def describe_remedy(cause: Cause, diagnosis: Diagnosis) -> str:
    if cause.code is CauseCode.VARIABLE_CREATION and diagnosis.verdict is Verdict.FAILED:
        return "变量只创建一次：在调用之前，或者只在第一次调用中"
    if cause.code is CauseCode.SHAPE and diagnosis.function.library:
        return "给这个库同样的大小：填充，或者丢掉最后不满的一批（drop_remainder=True）"
    if cause.code is CauseCode.SHAPE and diagnosis.reduce_retracing:
        return "在 input_signature 中把这一维写成 None"
    if cause.code in ONE_OBJECT:
        return _remedy_of_new_object(cause, diagnosis.function)
    return WORDS[cause.code].remedy


def _remedy_of_new_object(cause: Cause, function: FunctionId) -> str:
    if cause.note:
        once = "只创建一次" if cause.code is CauseCode.NEW_FUNCTION else "重复使用同一个对象"
        return f"{once}，把不同的部分作为参数传入：{cause.note}"
    if function.name.endswith("[dataset]"):
        return "每个数据集都会重新追踪它的函数：相同的数据集只构建一次"
    if function.library and "keras" in (function.file or ""):
        return "每个模型都会重新追踪它的步骤：保留一个模型，并恢复它和优化器的变量"
    if function.library:
        return "保留并重复使用库所创建的对象，或者在你自己的一个 tf.function 中调用这个库"
    return WORDS[cause.code].remedy


def describe_fix(fix: Fix, diagnosis: Diagnosis, script: str | None) -> Iterator[str]:
    yield _describe_proof(fix.proof) if fix.proof is not None else _describe_prediction(fix, diagnosis, script)
    if fix.proof is not None and fix.proof.verdict != "proved":
        return
    words = SAFETY[fix.safety]
    if words or fix.note:
        yield "：".join(filter(None, [words, fix.note]))
    if fix.wider:
        yield f"更宽的写法，同样已验证（--wide 采用它）：{fix.wider}"


def _describe_prediction(fix: Fix, diagnosis: Diagnosis, script: str | None) -> str:
    way = "尚未运行"
    if script is not None and fix.safety != "advice":
        way += f"；traceonce fix {script} 会试行并验证"
    if fix.predicted_traces is None or fix.predicted_traces >= diagnosis.traces:
        return way
    return f"追踪 {diagnosis.traces:,} 次 → {fix.predicted_traces:,} 次（预测，{way}）"


def _describe_proof(proof: Proof) -> str:
    if proof.verdict != "proved":
        return f"{'已被否定' if proof.verdict == 'refuted' else '未能验证'}：{proof.reason}"
    parts = [f"追踪 {proof.before.traces:,} 次 → {proof.after.traces:,} 次"]
    if proof.outputs_equal and proof.compared == 0:
        parts.append("调用它的代码输出相同")
    elif proof.outputs_equal:
        compared = proof.compared if proof.compared is not None else proof.after.calls
        eagerly = "与 eager 运行" if proof.measure == "eager" else ""
        parts.append(f"{compared:,} 次调用的输出{eagerly}相同")
    if proof.speedup is not None and proof.speedup >= 1.05:
        parts.append(f"速度是原来的 {proof.speedup:.1f} 倍")
    return f"{'，'.join(parts)}（已验证）"
