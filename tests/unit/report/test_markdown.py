"""Markdown for a pull request: what it says, in two languages, what it never lets through, and that it fits."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from tests.unit.report.made_reports import HARM, PROGRAMS, fix_of, harmful, material_of, recorded
from traceonce.facts import CauseCode, Finding, Fix, FunctionId, Recording, Repair, Verdict
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR, EAGER_INSTEAD
from traceonce.report.markdown import LIMIT, OPEN, render_markdown
from traceonce.report.markdown.escape import code, visible
from traceonce.report.phrases import chinese, english, phrases_in
from traceonce.words.notes.reasons import RESULT_DIFFERS
from traceonce.words.translated import Language

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TAGS = {"h2", "h3", "p", "strong", "em", "code", "pre", "ul", "li", "details", "summary"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
LANGUAGES: list[Language] = ["en", "zh"]


def render(recording: Recording, language: Language = "en") -> str:
    return render_markdown(material_of(recording, "markdown", language))


class Seen(HTMLParser):
    """The elements of a page, and its text outside of code."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.prose = ""
        self.code: list[str] = []
        self._open: list[str] = []
        self.feed(MARKDOWN.render(markdown))
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.code[-1] += data
        else:
            self.prose += data


def retracing(function: FunctionId = STEP, **fields: Any) -> Recording:
    event = Events(function, seconds=0.25, exclusive_seconds=0.25)
    events = [event(tensor("x", 2), python("step", n), call=n + 1) for n in range(8)]
    return record(*events, calls=8, seconds=7.0, **fields)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_real_runs_render_to_what_github_shows(name: str, language: Language) -> None:
    material = material_of(recorded(name), "markdown", language)
    seen = Seen(render_markdown(material))
    assert set(seen.tags) <= TAGS
    assert seen.attributes <= {"class", "style"}  # of the language of a block, and of the alignment of a column
    assert seen.tags.count("h2") == 1
    for diagnosis in material.diagnoses:
        if diagnosis.verdict is not Verdict.OK:
            assert diagnosis.function.name in seen.code
            assert all(any(cause.path in text for text in seen.code) for cause in diagnosis.causes[:3])


def test_a_proved_fix_is_a_diff_with_its_proof() -> None:
    text = render(recorded("translate_fixed"))
    assert text.startswith("## traceonce: `Translator.train_step` retraced 40 times in 41 calls\n\n**")
    proof = r"41 traces → 1, same outputs on 41 calls, [\d.]+× faster \(proved\)"
    assert re.search(rf"\*\*Fix\*\*: {proof}\n\n```diff\n--- a/translate.py\n", text)
    assert "\n-    @tf.function\n+    @tf.function(input_signature=[" in text


def test_what_is_only_proposed_is_a_snippet_and_says_so() -> None:
    text = render(retracing(command=("train.py",)))
    assert (
        "**Fix**: 8 traces → 1 (predicted, not run: traceonce fix train.py tries and proves it)\n\n```python\n"
        "@tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)])\n```\n"
    ) in text


def test_what_was_refuted_is_not_there_to_be_copied() -> None:
    fix = fix_of("@tf.function(wrong)", verdict="refuted", reason="other outputs")
    text = render(retracing(repairs=(Repair("tensorflow", STEP, (fix,)),)))
    assert "**Fix** (`input_signature`): refuted: other outputs\n" in text
    assert "wrong" not in text


def test_the_first_lines_say_what_it_cost_and_who() -> None:
    lines = render(retracing()).splitlines()
    assert lines[:7] == [
        "## traceonce: `train_step` retraced 7 times in 8 calls",
        "",
        "**1.8 s lost (25 % of the run)** · 1 function, 8 traces · 1 function to look at",
        "",
        "| function | verdict | traces | calls | lost | why |",
        "| :-- | :-- | --: | --: | --: | :-- |",
        "| `train_step` | retracing, costly | 8 | 8 | 1.8 s (25 %) | `step` |",
    ]


def test_the_same_in_chinese() -> None:
    lines = render(retracing(), "zh").splitlines()
    assert lines[:7] == [
        "## traceonce：`train_step` 在 8 次调用中重新追踪了 7 次",
        "",
        "**损失 1.8 秒（占运行的 25%）** · 1 个函数，8 次追踪 · 1 个函数需要处理",
        "",
        "| 函数 | 结论 | 追踪 | 调用 | 损失 | 原因 |",
        "| :-- | :-- | --: | --: | --: | :-- |",
        "| `train_step` | 反复追踪，耗时多 | 8 | 8 | 1.8 秒 (25%) | `step` |",
    ]
    assert "- `step`：Python 的 int，每次都是新值：`0 → 1 → 2 → 3 → 4 → 5 → 6 → 7`" in lines


def test_nothing_to_fix_is_short() -> None:
    assert render(Recording()).startswith("## traceonce: no function was traced\n")
    assert render(recorded("healthy")).startswith("## traceonce: nothing to fix\n")


def test_limits_baselines_and_errors_are_told() -> None:
    assert "- `train_step` has reached its limit of 3 traces; " in render(recorded("limited"))
    material = material_of(retracing(), "markdown")
    judged = [msgspec.structs.replace(diagnosis, accepted=False) for diagnosis in material.diagnoses]
    assert "worse than the baseline accepts" in render_markdown(material._replace(diagnoses=judged))
    assert "- It ended with: ``OperatorNotAllowedInGraphError: " in render(recorded("fails"))


def test_what_has_changed_since_a_trace_is_worth_a_look() -> None:
    late = cause(CauseCode.STALE, "RATE", was="1", now="2", evidence="inferred", note="seen late")
    found = Finding("tensorflow", STEP, late)
    text = render(record(Events()(tensor("x"), call=1), calls=5, findings=(found,)))
    assert "**Worth a look**\n\n- `train_step`: `RATE` `1 → 2` seen late\n" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_users_is_taken_for_anything(language: Language) -> None:
    """No element that is not ours, no mention, no link, no reference; and every name can be read."""
    seen = Seen(render(harmful(), language))
    assert set(seen.tags) <= TAGS
    assert seen.attributes <= {"class", "style"}
    assert seen.tags.count("h2") == 1
    assert seen.tags.count("h3") == OPEN
    assert not re.search(r"@\w|#\d|GH-\d|\w://|www\.", seen.prose, re.IGNORECASE)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", seen.prose + "".join(seen.code))
    assert {visible(text).strip() for text in HARM} <= {text.strip() for text in seen.code}


@pytest.mark.parametrize("functions", [40, 3000])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_into_a_comment_and_says_what_does_not(functions: int, language: Language) -> None:
    """Many functions, long diffs, and characters that count twice."""
    runs = [retracing(FunctionId(f"step_{n}😀", "train.py", n + 1)) for n in range(functions)]
    fix = fix_of("\n".join(f"line {n} of a long change 😀" for n in range(200)))
    material = material_of(retracing(), "markdown", language)
    diagnoses = [
        msgspec.structs.replace(material.diagnoses[0], function=run.events[0].function, fixes=(fix,)) for run in runs
    ]
    text = render_markdown(material._replace(diagnoses=diagnoses))
    assert len(text.encode("utf-16-le")) // 2 <= LIMIT
    assert len(text) > LIMIT / 3
    left_out = int(re.findall(r"[\d,]+", text.rstrip().splitlines()[-1])[0].replace(",", ""))
    assert left_out == functions - text.count("\n### ") - text.count("<summary><code>step_")
    assert phrases_in(language).not_shown(left_out) in text
    Seen(text)


def test_all_of_a_report_that_fits_is_there() -> None:
    assert english.not_shown(0) not in render(recorded("translate_fixed"))


def test_one_change_can_be_larger_than_a_comment() -> None:
    fix = Fix("cast", "advice", snippet="x" * 100_000)
    text = render(retracing(repairs=(Repair("tensorflow", STEP, (fix,)),)))
    assert len(text) < LIMIT
    assert english.not_shown(1) in text


def test_chinese_has_a_word_for_everything() -> None:
    """Every verdict and label; causes and reasons are in the vocabulary."""
    assert set(chinese.VERDICTS) == set(Verdict)
    for words in (*chinese.VERDICTS.values(), *chinese.LABELS):
        assert re.search("[\u4e00-\u9fff：，]", "".join(words))


@pytest.mark.parametrize("code_", CauseCode)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cause_has_words(code_: CauseCode, language: Language) -> None:
    found = Finding("tensorflow", STEP, cause(code_, "argument", type_name="int"))
    text = render(msgspec.structs.replace(retracing(), findings=(found,)), language)
    assert code("argument") in text
    assert "{" not in text


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            "please review: `a` and `b*` become tensors: during tracing, Python cannot index with, format or branch "
            "on them. Without `tf.function`, its Python code runs on every call",
        ),
        (
            "zh",
            "请先审阅：`a` 和 `b*` 变成张量，追踪时 Python 代码不能用它做下标、格式化或分支判断。"
            "去掉 `tf.function` 后，每次调用都运行 Python 代码",
        ),
    ],
)
def test_what_a_fix_notes_is_in_the_language_of_the_document(language: Language, told: str) -> None:
    """Code is code there."""
    notes = (BECOMES_TENSOR(names=["a", "b*"]), EAGER_INSTEAD())
    fix = msgspec.structs.replace(fix_of("@tf.function(right)"), coded_notes=notes)
    assert told in render(retracing(repairs=(Repair("tensorflow", STEP, (fix,)),)), language)


def test_why_a_fix_was_refuted_is_in_the_language_of_the_document() -> None:
    reason = RESULT_DIFFERS(function="step", call=2, difference="3 → 4")
    fix = fix_of("@tf.function(wrong)", verdict="refuted", reason="in English", coded_reason=reason)
    text = render(retracing(repairs=(Repair("tensorflow", STEP, (fix,)),)), "zh")
    assert "**修改** (`input_signature`)：已被否定：step 的第 2 次调用：3 → 4\n" in text


def test_notes_are_translated() -> None:
    diagnoses = [d for name in PROGRAMS for d in material_of(recorded(name), "markdown").diagnoses]
    told = [note for diagnosis in diagnoses for note in chinese.describe_notes(diagnosis)]
    assert len(told) == sum(len(diagnosis.notes) for diagnosis in diagnoses) >= 3
    assert all(re.search("[\u4e00-\u9fff]", note) for note in told)
