"""Explanations for people at a terminal, in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from traceonce.causes.description import Description
from traceonce.facts.command_line import quoted
from traceonce.facts.printable import in_lines, printable
from traceonce.knowledge.advice import Advice, Explanation, Shown
from traceonce.knowledge.evidence import join_versions
from traceonce.knowledge.text_explanations import TextExplanation
from traceonce.words.translated import Language

LABEL = 15  # columns
RELATED = 90  # characters of the message of another record
FUNCTIONS = 5  # named of one record

WORDS: dict[str, tuple[str, str]] = {
    "message": ("known as", "消息"),
    "matched": ("matched", "匹配"),
    "cause": ("cause", "原因"),
    "first": ("try first", "先试"),
    "then": ("or", "或者"),
    "not": ("do not", "不要"),
    "next": ("comes next", "之后常见"),
    "change": ("change", "修改"),
    "example": ("example, at {path}:", "示例，位置 {path}："),
    "confused": ("confused with", "易混淆"),
    "also": ("also", "也匹配"),
    "more": ("more", "更多"),
    "when": ("when: ", "适用："),
    "cost": ("cost: ", "代价："),
    "why": ("why: ", "为何："),
    "unknown": ("Nothing is known about:", "没有关于以下内容的记录："),
    "nothing": ("Nothing is known about this.", "没有与此匹配的记录。"),
    "guess": (
        "Closest records by wording (guesses, possibly unrelated):",
        "用词最接近的记录（仅为猜测，可能与此无关）：",
    ),
    "fine": ("Nothing to explain: no function of this run needs it.", "无需解释：这次运行中没有需要处理的函数。"),
    "helped": ("it helped in {held} of {runs} runs", "{runs} 次运行中有 {held} 次有效"),
    "failed": ("it did not help in {held} of {runs} runs", "{runs} 次运行中有 {held} 次无效"),
    "rate": (" ({rate:.0%}, 95% interval from {least:.0%})", "（{rate:.0%}，95% 置信区间下限 {least:.0%}）"),
    "versions": (" with {versions}", "，版本 {versions}"),
    "run_with": ("run with", "运行版本"),
    "ignorable": ("You can ignore {functions}: {records}", "可以忽略 {functions}：{records}"),
    "this": ("this", "此项"),
    "others": (" and {count} more", " 等 {count} 个"),
    "not_run": ("not run", "未运行验证"),
    "times": ("{count} times, first in line {line}: ", "{count} 次，首次在第 {line} 行："),
    "line": ("line {line}: ", "第 {line} 行："),
}


class _Page:
    """Makes labelled paragraphs in one language."""

    def __init__(self, language: Language, console: Console) -> None:
        self.language = language
        self._console = console

    def say(self, key: str, **values: object) -> str:
        return WORDS[key][self.language == "zh"].format(**values)

    def entry(self, key: str, text: str, style: str = "default", label_style: str = "dim") -> Iterator[Text]:
        """A label and a paragraph that is wrapped beside it."""
        return self.labelled(self.say(key), text, style, label_style)

    def labelled(self, name: str, text: str, style: str = "default", label_style: str = "dim") -> Iterator[Text]:
        label = Text(name, label_style)
        label.pad_right(max(1, LABEL - label.cell_len))
        for number, part in enumerate(self._wrapped(text, style)):
            part.rstrip()
            yield Text.assemble("  ", label if number == 0 else " " * LABEL, part)

    def detail(self, text: str) -> Iterator[Text]:
        for part in self._wrapped(text, "dim"):
            part.rstrip()
            yield Text.assemble("  ", " " * LABEL, part)

    def code(self, source: str) -> Iterator[Text]:
        for line in in_lines(source):
            yield Text.assemble("  ", " " * LABEL, ("│ ", "dim"), (line, "cyan"))

    def _wrapped(self, text: str, style: str) -> Iterator[Text]:
        width = max(30, min(self._console.width, 120) - LABEL - 2)
        return iter(Text("\n".join(in_lines(text)), style).wrap(self._console, width, overflow="fold"))


def explanation_lines(explained: TextExplanation, language: Language, console: Console) -> Iterator[Text]:
    """All of them, then what is not known; each in the language that its message has, and as wide as the console."""
    page = _Page(language, console)
    explained = printable(explained)
    for number, explanation in enumerate(explained.explanations):
        if number:
            yield Text()
        page.language = explanation.language
        yield from _lines(explanation, page)
    page.language = language
    if explained.fine:
        yield Text(page.say("fine"))
    if explained.explanations and explained.ignorable:
        yield Text()
    by_functions: dict[tuple[str, ...], list[str]] = {}
    for item in explained.ignorable:
        by_functions.setdefault(tuple(item.functions), []).append(item.record)
    for functions, records in by_functions.items():
        named = _join_functions(functions, page) or page.say("this")
        yield Text(page.say("ignorable", functions=named, records=", ".join(records)))
    if explained.explanations and explained.unknown:
        yield Text()
        yield Text(page.say("unknown"))
        for error in explained.unknown:
            yield Text(f"  {error}")
    if not (explained.explanations or explained.ignorable or explained.fine):
        yield Text(page.say("nothing"))
        for error in explained.unknown:
            yield Text(f"  {error}", "dim")
        if explained.guesses:
            yield Text(page.say("guess"))
        for guess in explained.guesses:
            yield Text(f"  {guess.record}  ({guess.score:.2f}, {guess.why})")


def cause_lines(cause: Description, language: Language, console: Console) -> Iterator[Text]:
    """One cause: what it is, and for each framework what to change, and a program that makes it happen."""
    page = _Page(language, console)
    cause = printable(cause)
    yield Text(f"{cause.code} · {cause.name}", "bold red")
    yield from page.entry("cause", cause.summary)
    if not cause.frameworks:
        yield from page.entry("change", cause.remedy, label_style="green")
    for framework in cause.frameworks:
        yield from page.labelled(framework.framework, framework.remedy, label_style="green")
        yield from page.detail(page.say("example", path=framework.path))
        yield from page.code(framework.example.rstrip())
        if framework.record is not None:
            yield from page.entry("more", quoted(["traceonce", "explain", framework.record]))


def _lines(explanation: Explanation, page: _Page) -> Iterator[Text]:
    title = Text(explanation.record, "bold red")
    if explanation.functions:
        title.append(f"  {_join_functions(explanation.functions, page)}", "bold")
    yield title
    yield from page.entry("message", explanation.signature, "italic")
    place = ""
    if explanation.line is not None:
        key = "times" if explanation.count > 1 else "line"
        place = page.say(key, count=explanation.count, line=explanation.line)
    yield from page.entry("matched", place + explanation.why)
    if explanation.root_cause:
        yield from page.entry("cause", explanation.root_cause)
    first = [explanation.try_first] if explanation.try_first else []
    versions = _versions([*first, *explanation.other_workarounds, *explanation.do_not])
    for advice in first:
        yield from _advice("first", "helped", advice, page, "green", versions)
    for advice in explanation.other_workarounds:
        yield from _advice("then", "helped", advice, page, "green", versions)
    for advice in explanation.do_not:
        yield from _advice("not", "failed", advice, page, "red", versions)
    if versions:
        yield from page.entry("run_with", join_versions(versions))
    for key, related in (("next", explanation.comes_next), ("confused", explanation.confused_with)):
        for item in related:
            yield from page.entry(key, f"{item.record}  {_shorten(item.signature)}".rstrip())
    if explanation.also:
        yield from page.entry("also", ", ".join(explanation.also))
    yield from page.entry("more", quoted(["traceonce", "knowledge", "show", explanation.record]))
    if explanation.url:
        yield Text.assemble("  ", " " * LABEL, explanation.url)  # in one piece, to be copied


def _shorten(text: str) -> str:
    return text if len(text) <= RELATED else f"{text[:RELATED].rstrip()} …"


def _join_functions(functions: Sequence[str], page: _Page) -> str:
    more = len(functions) - FUNCTIONS
    named = ", ".join(functions[:FUNCTIONS])
    return named + page.say("others", count=more if page.language == "en" else len(functions)) if more > 0 else named


def _versions(advice: Sequence[Advice]) -> list[str]:
    """The versions with which what is advised was run, mostly; what was run with others says so itself."""
    counted = Counter(tuple(item.shown.versions) for item in advice if item.shown)
    return list(counted.most_common(1)[0][0]) if counted else []


def _advice(key: str, shown_key: str, advice: Advice, page: _Page, style: str, versions: list[str]) -> Iterator[Text]:
    yield from page.entry(key, advice.action, label_style=style)
    if advice.why:
        yield from page.detail(page.say("why") + advice.why)
    if advice.condition:
        yield from page.detail(page.say("when") + advice.condition)
    if advice.cost:
        yield from page.detail(page.say("cost") + advice.cost)
    yield from page.detail(_describe_evidence(advice.shown, shown_key, page, versions))
    if advice.how:
        yield from page.code(advice.how)


def _describe_evidence(shown: Shown | None, key: str, page: _Page, versions: list[str]) -> str:
    if shown is None:
        return page.say("not_run")
    held = page.say(key, held=shown.held, runs=shown.runs) + page.say("rate", rate=shown.rate, least=shown.least)
    same = shown.versions == versions
    return held if same else held + page.say("versions", versions=join_versions(shown.versions))
