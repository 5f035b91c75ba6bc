"""The words of a rendered record: English and Chinese stand side by side, so that none is forgotten."""

from __future__ import annotations

from traceonce.knowledge.language import in_language, words_in
from traceonce.words.translated import Language

WORDS: dict[str, tuple[str, str]] = {
    # what a record is
    "id": ("ID", "编号"),
    "domain": ("Domain", "领域"),
    "category": ("Category", "类别"),
    "error_code": ("Error Code", "错误代码"),
    "verification": ("Verification", "验证程度"),
    "fix_rate": ("Fix Rate", "修复成功率"),
    "confidence": ("Confidence", "可信度"),
    "last_confirmed": ("Last Confirmed", "最近确认"),
    "aliases": ("Also Known As", "其他说法"),
    "documentation": ("Documentation", "官方文档"),
    "original": ("Original Message", "消息原文"),
    # its parts
    "root_cause": ("Root Cause", "根本原因"),
    "versions": ("Version Compatibility", "版本情况"),
    "version": ("Version", "版本"),
    "status": ("Status", "状态"),
    "introduced": ("Introduced", "引入"),
    "deprecated": ("Deprecated", "弃用"),
    "workarounds": ("Workarounds", "解决办法"),
    "dead_ends": ("Dead Ends", "行不通的做法"),
    "evidence": ("Evidence", "运行证据"),
    "examples": ("Examples", "实际消息"),
    "related": ("Related Failures", "相关问题"),
    "leads_to": ("Leads to", "随后可能出现"),
    "preceded_by": ("Preceded by", "此前往往出现"),
    "frequently_confused_with": ("Often confused with", "容易与之混淆"),
    # what is said of a claim
    "condition": ("When", "适用条件"),
    "cost": ("Cost", "代价"),
    "run": ("Run", "实测"),
    "sources": ("Sources", "来源"),
    "success": ("{rate} success", "成功率 {rate}"),
    "fail": ("{rate} fail", "失败率 {rate}"),
    "sample": ("n = {runs}, 95% interval {low}–{high}%", "n = {runs}，95% 区间 {low}–{high}%"),
    "held_in_runs": ("in {held} of {runs} runs", "{runs} 次运行中有 {held} 次"),
    "traces_before": ("{count} traces before", "此前追踪 {count} 次"),
    "helped": ("Helped", "有效的情形"),
    "did_not_help": ("Did not help", "无效的情形"),
    "differed": ("Differed between versions", "因版本而异的情形"),
    "never_run": ("never run", "从未运行过"),
    "untranslated": ("", "暂无译文"),
    # what the user told us
    "own": ("Your own outcomes", "您自己的结果"),
    "worked": ("worked", "有效"),
    "failed": ("failed", "无效"),
    "own_elsewhere": ("noted for a workaround since reworded: {action}", "所记的办法现已改写：{action}"),
    # punctuation
    "comma": (", ", "，"),
    "and_list": (", ", "、"),
    "colon": (": ", "："),
    "open": (" (", "（"),
    "close": (")", "）"),
}

VALUES: dict[str, tuple[str, str]] = {
    "ai_generated": ("ai_generated", "AI 生成，未经验证"),
    "documented": ("documented", "有文档依据"),
    "reproduced": ("reproduced", "已复现"),
    "verified": ("verified", "已验证"),
    "active": ("active", "仍然存在"),
    "not reproduced": ("not reproduced", "未能复现"),
    "flaky": ("flaky", "时有时无"),
}


def words_of(language: Language) -> dict[str, str]:
    """All words, in one language."""
    return words_in(language, WORDS)


def value_in(language: Language, value: str) -> str:
    """A value of a closed list, as people read it; others stay as they are."""
    return in_language(language, *VALUES.get(value, (value, "")))
