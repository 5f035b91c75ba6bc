"""A record as Markdown, HTML and text: complete, in both languages, and whatever its texts hold."""

from __future__ import annotations

import itertools
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import Failed, SeenCause, SeenFunction, TrialMeasurement
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Evidence, Record
from traceonce.knowledge.render import render, render_html, render_markdown, render_text
from traceonce.knowledge.render.labels import VALUES, WORDS, words_of
from traceonce.knowledge.render.line_breaks import columns, shorten, wrap
from traceonce.knowledge.render.markup import markdown_fence, markdown_inline, markdown_paragraphs, one_line
from traceonce.knowledge.symptom import Grows, Logs, Raises, Recompiles, Retraces, Wrong
from traceonce.knowledge.trial_judgement import judge
from traceonce.words.notes import say

SEEDS = Path(__file__).parents[3].parent / "shared" / "seeds"


def evidence(**changes: Any) -> dict[str, Any]:
    return {
        "experiment": "m.workaround_pad",
        "framework": "tensorflow",
        "version": "2.21.0",
        "python": "3.11.7",
        "date": "2026-11-15",
        "runs": 3,
        "held": 3,
        "outcome": "1 trace, right outputs",
        "seen": {"traces": {"count": 1}, "right_outputs": {}},
        "traces_before": 10,
        "traces_after": 1,
        **changes,
    }


def full_record(**changes: Any) -> Record:
    """A record in which every field says something."""
    return Record.read(
        {
            "id": "tensorflow/retracing-shape",
            "signature": "encode retraced 9 times: batch.shape[1] varies",
            "signature_zh": "encode 被重新追踪 9 次：batch.shape[1] 在变化",
            "domain": "tensorflow",
            "category": "retracing",
            "root_cause": "Each length is a new shape.",
            "root_cause_zh": "每个长度都是新的形状。",
            "versions": [
                {"version": "TensorFlow 2.16.2", "status": "active"},
                {"version": "TensorFlow 2.21.0", "status": "active", "introduced": "2.0"},
                {"version": "TensorFlow 1.15", "status": "active"},
            ],
            "dead_ends": [
                {
                    "action": "Annotate the argument.",
                    "why_fails": "Annotations are not read.",
                    "why_fails_zh": "注解不会被读取。",
                    "fail_rate": 1.0,
                    "fail_interval": [0.61, 1.0],
                    "how": "def f(x: tf.Tensor): ...",
                    "experiment": "dead_end_annotate",
                    "evidence": [evidence(outcome="10 traces", traces_after=10)],
                }
            ],
            "dead_ends_zh": ["给参数加注解。"],
            "workarounds": [
                {
                    "action": "Give the dimension as None.",
                    "success_rate": 1.0,
                    "success_interval": [0.61, 1.0],
                    "how": "@tf.function(\n    input_signature=[spec]\n)\n\ndef f(x): ...",
                    "condition": "One dtype only.",
                    "condition_zh": "只有一种数据类型时。",
                    "sources": ["https://www.tensorflow.org/guide/function"],
                    "experiment": "workaround_none",
                    "evidence": [evidence(version="2.16.2"), evidence()],
                },
                {
                    "action": "Pad to one length.",
                    "success_rate": 0.5,
                    "how": "",
                    "evidence": [
                        evidence(version="2.16.2", runs=2, held=1, cases={"a sum": True, "a mean": False}),
                        evidence(runs=2, held=1, outcome="other outputs", cases={"a sum": True, "a mean": False}),
                    ],
                },
            ],
            "workarounds_zh": ["把该维度写成 None。", ""],
            "transition_graph": {
                "leads_to": ["tensorflow/memory-growth-from-traces"],
                "frequently_confused_with": [{"error_id": "tensorflow/retracing-rank", "distinction": "the rank"}],
            },
            "official_doc_url": "https://www.tensorflow.org/guide/function#controlling_retracing",
            "verification_tier": "verified",
            "confidence": 0.61,
            "fix_success_rate": 0.8,
            "fix_success_interval": [0.49, 0.94],
            "last_confirmed": "2026-11-15",
            "aliases": ["shape churn"],
            "examples": ["encode  retraced 9 times\n  batch.shape[1]  varies"],
            "evidence": [evidence(version="2.16.2", outcome="10 traces"), evidence(outcome="10 traces")],
            **changes,
        }
    )


# --- Markdown


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not here")
def test_the_seed_is_rendered_to_the_byte() -> None:
    record, markdown = sorted(SEEDS.iterdir())[:2]
    assert render_markdown(Record.load(record)).encode() == markdown.read_bytes()


@pytest.mark.parametrize("field", ["id", "record", "error_id"])
def test_another_record_is_named_by_any_of_the_fields_that_validation_knows(field: str) -> None:
    record = full_record(transition_graph={"leads_to": [{field: "tensorflow/stale-capture", "condition": "later"}]})
    assert record.transition_graph.targets("leads_to") == ["tensorflow/stale-capture"]
    for rendered in (render_markdown(record), render_html(record), render_text(record)):
        assert "tensorflow/stale-capture" in rendered


def test_markdown_shows_what_was_run() -> None:
    text = render_markdown(full_record())
    assert "1. **Give the dimension as None.** (100% success, n = 6, 95% interval 61–100%)\n   ```python\n" in text
    assert "   - **Run:** TensorFlow 2.16.2, 2.21.0: 1 trace, right outputs (10 traces before)\n" in text
    assert "- **Fix Rate:** 80% (n = 10, 95% interval 49–94%)\n" in text
    assert "| TensorFlow 1.15 | active (never run) | — | — |\n" in text
    assert "| TensorFlow 2.21.0 | active | 2.0 | — |\n" in text
    assert "- **Documentation:** <https://www.tensorflow.org/guide/function#controlling_retracing>\n" in text
    assert "   - **When:** One dtype only.\n" in text
    assert "(100% fail, n = 3, 95% interval 61–100%)\n  ```python\n  def f(x: tf.Tensor): ...\n" in text
    assert "- **Often confused with:** `tensorflow/retracing-rank`: the rank\n" in text


def test_a_conditional_workaround_names_the_cases() -> None:
    text = render_markdown(full_record())
    assert "   - **Helped:** a sum\n   - **Did not help:** a mean\n" in text
    assert "TensorFlow 2.21.0: other outputs (10 traces before), in 1 of 2 runs" in text


def test_a_case_that_depends_on_the_version_is_said_to() -> None:
    pieces = [evidence(version="2.16.2", cases={"a sum": False}), evidence(cases={"a sum": True})]
    record = full_record(workarounds=[{"action": "Pad.", "evidence": pieces}])
    assert "**Differed between versions:** a sum" in render_markdown(record)


def test_nothing_is_shown_of_what_a_record_does_not_say() -> None:
    text = render_markdown(Record.read({"id": "a/b", "signature": "s"}))
    assert text == "# s\n\n- **ID:** `a/b`\n- **Verification:** ai_generated\n"


COMMONMARK = MarkdownIt("commonmark").enable("table")
CHARACTERS = "`*_~<>[]()#|\\!&;:=+-. \n\t\r\x1b1ab中（）\"'\u2028\u202e"
PIECES = [*CHARACTERS, "&lt;", "```", "**", "<b>", "](", "\n- ", "\n# "]
NASTY = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


def parse(markdown: str) -> list[Token]:
    return COMMONMARK.parse(markdown)


def kinds(tokens: list[Token]) -> list[str]:
    """The structure of a document, without what stands in it."""
    return [f"{token.type} {token.tag}" for token in tokens]


def read_text(tokens: list[Token]) -> str:
    """What a reader sees of inline Markdown; code or not."""
    inline = [child for token in tokens if token.type == "inline" for child in token.children or []]
    assert {child.type for child in inline} <= {"text", "code_inline", "text_special"}
    return "".join(child.content for child in inline)


@given(text=NASTY)
def test_running_text_stays_running_text(text: str) -> None:
    """Nothing in it is read as markup, but code between single backticks; and nothing of it is lost."""
    tokens = parse(markdown_paragraphs(text))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    seen = re.sub(r"[\s`]", "", read_text(tokens))
    assert seen == re.sub(r"[\s`]", "", one_line(text).replace(" ", ""))


@given(code=NASTY, indent=st.sampled_from([0, 2, 3]))
def test_code_stays_in_its_fence(code: str, indent: int) -> None:
    lead = {0: "", 2: "- **a** — b\n", 3: "1. **a**\n"}[indent]
    tokens = parse(lead + markdown_fence(code, indent) + "\n\n# after\n")
    fences = [token.content for token in tokens if token.type == "fence"]
    wanted = re.sub(r"\r\n?", "\n", code).replace("\x1b", "\\x1b").replace("\u2028", "\\u2028")
    wanted = wanted.replace("\u202e", "\\u202e").strip("\n")
    assert [fence.rstrip("\n") for fence in fences] == [wanted]
    assert sum(token.type == "heading_open" for token in tokens) == 1


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(NASTY, min_size=1, max_size=4), language=st.sampled_from(["en", "zh"]))
def test_no_text_breaks_out_of_its_place(texts: list[str], language: Any) -> None:
    """Whatever stands in the fields, the document has the same parts in the same order."""
    nasty = (f"x{number} {text}x" for number, text in enumerate(itertools.cycle(texts)))
    harmless = (f"x{number}" for number in itertools.count())
    documents = [render_markdown(_with_texts(partial(next, each)), language) for each in (harmless, nasty)]
    assert kinds(parse(documents[0])) == kinds(parse(documents[1]))


def _with_texts(text: Any) -> Record:
    graph = {"leads_to": [text(), {"error_id": text(), "condition": text()}]}
    return full_record(
        id=text(),
        signature=text(),
        signature_zh="",
        domain=text(),
        category=text(),
        error_code=text(),
        root_cause=one_line(text()),
        root_cause_zh=one_line(text()),
        verification_tier=text(),
        last_confirmed=text(),
        versions=[{"version": text(), "status": text(), "introduced": text(), "deprecated": text()}],
        aliases=[text(), text()],
        official_doc_url=text(),
        official_doc_section=text(),
        examples=[text()],
        transition_graph=graph,
        workarounds=[
            {
                "action": text(),
                "how": text(),
                "condition": text(),
                "sources": [text()],
                "evidence": [evidence(outcome=text(), framework=text(), version=text(), cases={text(): True})],
            }
        ],
        dead_ends=[{"action": text(), "why_fails": text(), "how": text(), "condition_zh": text()}],
        workarounds_zh=[text()],
        dead_ends_zh=[text()],
    )


def test_code_between_backticks_in_running_text_is_code() -> None:
    assert markdown_inline("call `f(x)` with __init__ and a_b") == "call `f(x)` with \\_\\_init\\_\\_ and a_b"


# --- HTML


class Page(HTMLParser):
    """Every tag must be closed in its order; tags, attributes and text are kept."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("language", ["en", "zh"])
def test_html_is_a_fragment_without_scripts_or_styles(language: Any) -> None:
    page = Page(render_html(full_record(), language))
    assert page.tags[0] == "article"
    assert ("lang", {"en": "en", "zh": "zh-Hans"}[language]) in page.attributes
    assert {name for name, _ in page.attributes} <= {"class", "id", "lang", "href", "rel", "scope"}
    anchors = [value for name, value in page.attributes if name == "id"]
    assert len(anchors) == len(set(anchors)) >= 8
    assert "record-tensorflow-retracing-shape-workarounds-2" in anchors
    assert ("href", "#record-tensorflow-retracing-rank") in page.attributes
    assert "n = 6" in page.text


def test_a_record_full_of_scripts_is_harmless() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`<b>`"
    page = Page(render_html(_with_texts(lambda: evil)))
    plain = Page(render_html(_with_texts(lambda: "harmless `code`")))
    assert page.tags == plain.tags
    assert {name for name, _ in page.attributes} == {name for name, _ in plain.attributes}
    assert "<script>alert(1)</script>" in page.text


def test_only_addresses_become_links() -> None:
    page = Page(render_html(full_record(official_doc_url="javascript:alert(1)")))
    assert "javascript:alert(1)" in page.text
    assert not any((value or "").startswith("javascript") for _, value in page.attributes)


def test_another_page_says_where_records_are() -> None:
    html = render_html(full_record(), address="/records/{}?a&b".format)
    assert 'href="/records/tensorflow/retracing-rank?a&amp;b"' in html


# --- Chinese


def test_every_word_has_both_languages() -> None:
    for english, chinese in (both for key, both in WORDS.items() if key not in ("untranslated", "comma", "close")):
        assert english.strip()
        assert re.search(r"[\u4e00-\u9fff（、：，]", chinese)
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", chinese))
    assert all(re.search(r"[\u4e00-\u9fff]", chinese) for _, chinese in VALUES.values())


@pytest.mark.parametrize("form", ["markdown", "html", "text"])
def test_chinese_shows_the_chinese_texts_and_marks_where_there_is_none(form: Any) -> None:
    text = render(full_record(), form, "zh")
    for words in ("每个长度都是新的形状。", "注解不会被读取。", "给参数加注解。", "把该维度写成 None。",
                  "只有一种数据类型时。", "追踪 1 次，输出正确", "从未运行过", "成功率 100%", "n = 6"):  # fmt: skip
        assert words in text
    assert text.count(words_of("zh")["untranslated"]) == 1  # of "Pad to one length."
    assert "Each length" not in text
    left = re.findall(r"\b(?:Root Cause|Workarounds|Dead Ends|Run|When|success|fail|active|interval)\b", text)
    assert not left


def test_whatever_a_trial_comes_to_is_said_in_chinese() -> None:
    """The outcomes are those that the judge really gives."""
    function = SeenFunction(name="f", traces=3, verdict="retracing", causes=(SeenCause(code="shape", path="x"),))
    traced = TrialMeasurement(
        functions=(function,), outputs_are="equal", compilations=3, grown_mib=9, log="warned warned"
    )
    raised = TrialMeasurement(error=Failed(types=("TypeError",), message="no", traceback=""), functions=(function,))
    symptoms = [Retraces(traces=3, cause="shape", path="x"), Raises(type="TypeError", text="no"), Logs(text="warned"),
                Wrong(), Recompiles(compilations=3), Grows(mib=5, cured=2)]  # fmt: skip
    seen = [traced, TrialMeasurement(), TrialMeasurement(outputs_are="different"), raised]
    judged = [
        judge(Trial(role, role, ""), symptom, one)  # type: ignore[arg-type]
        for role in ("failure", "workaround", "dead_end")
        for symptom in symptoms
        for one in seen
    ]
    told = {judgement.outcome: judgement.seen for judgement in judged}
    assert len(told) > 10
    assert told.pop("TypeError: no") == ()  # an error's own words stay
    for outcome, notes in told.items():
        left = re.sub(r"TypeError|MiB|shape|\bx\b", "", "".join(say(note, "zh") or "?" for note in notes))
        assert notes, outcome
        assert not re.search(r"[A-Za-z?]", left), outcome


def test_an_error_with_commas_in_it_is_shown_as_it_was_printed() -> None:
    error = "TypeError: number, type, and structure must be the same"
    evidence = Evidence(
        experiment="x.failure", framework="toyframe", version="1.0", python="3.11", date="2026-01-01", runs=1, held=1,
        outcome=error,
    )  # fmt: skip
    assert error in render(full_record().replace(evidence=(evidence,)), "text", "zh").replace("\n", " ")


# --- text for a terminal


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_fits_its_width_but_for_code(language: Any, width: int) -> None:
    record = full_record(root_cause="long words " * 30, root_cause_zh="很长的一句话，" * 30)
    lines = render_text(record, language, width).splitlines()
    code = [line for line in lines if line.startswith("    ") and ("retraced" in line or "tf." in line)]
    assert all(columns(line) <= width for line in lines if line not in code)
    assert "         @tf.function(" in lines
    assert not any(line != line.rstrip() for line in lines)


def test_text_cannot_drive_the_terminal() -> None:
    text = render_text(_with_texts(lambda: "a\x1b]0;title\x07\x1b[31m\u202eb"))
    assert "\\x1b]0;title\\x07" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def outcome(action: str, *, worked: bool, note: str = "") -> Outcome:
    return Outcome(1, "tensorflow/retracing-shape", 1, action, worked, note, "TensorFlow 2.21.0", "2026-11-15")


def test_own_outcomes_stand_beside_ours_and_change_no_rate() -> None:
    own = [outcome("Give the dimension as None.", worked=False, note="not here")] * 2
    text = render_text(full_record(), own=own)
    without = render_text(full_record())
    added = [line for line in text.splitlines() if line not in without.splitlines()]
    assert [line.strip() for line in added] == [
        "Your own outcomes  failed × 2",
        "2026-11-15 · TensorFlow 2.21.0 · failed · not here",
        "2026-11-15 · TensorFlow 2.21.0 · failed · not here",
    ]
    place = text.index("Your own outcomes")
    assert text.index("1. Give the dimension") < place < text.index("2. Pad to one length")


def test_an_outcome_for_words_that_are_gone_is_still_shown() -> None:
    text = render_text(full_record(), own=[outcome("Do it the old way.", worked=True)])
    assert "since reworded: Do it the old way." in " ".join(text.split())


@given(text=st.text(st.sampled_from("ab cd，。（）中文字 x")), width=st.integers(10, 40))
def test_wrapping_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(columns(line) <= width for line in lines)


def test_no_line_begins_with_a_closing_mark() -> None:
    assert wrap("一二三四五，六七八九十。", 10) == ["一二三四", "五，六七八", "九十。"]


def test_shortening_counts_columns() -> None:
    assert shorten("一二三四", 5) == "一二…"
    assert shorten("abcd", 4) == "abcd"


def test_json_is_the_record_as_it_came() -> None:
    record = Record.read({"unknown": {"a": 1}, "id": "a/b", "signature": "é"})
    assert render(record, "json") == '{\n  "unknown": {\n    "a": 1\n  },\n  "id": "a/b",\n  "signature": "é"\n}\n'
