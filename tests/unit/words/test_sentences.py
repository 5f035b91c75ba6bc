"""How a sentence is filled in, and what the forms make of the code in it."""

from __future__ import annotations

import pytest

from traceonce.words.backticks import in_pairs, parts_of, plain
from traceonce.words.sentence import Sentence, enumerate_in

SEVERAL = Sentence("several", en="Seen: {texts:texts}.", zh="看到：{texts:texts}。")
CODE = Sentence("code", en="{name:code} is `{name}[0]`, or {name}.", zh="{name:code} 是 `{name}[0]`，或者 {name}。")
COST = Sentence("cost", en="{count} {count:call|calls}, {lost:duration}.", zh="{count} 次调用，{lost:duration}。")


def test_some_of_many_texts() -> None:
    few, many = SEVERAL(texts=["a", "b", "c"]), SEVERAL(texts=["a", "b", "c", "d", "e"])
    assert (SEVERAL.fill(few, "en"), SEVERAL.fill(few, "zh")) == ("Seen: a; b; c.", "看到：a；b；c。")
    assert SEVERAL.fill(many, "en") == "Seen: a; b; c (and 2 more)."
    assert SEVERAL.fill(many, "zh") == "看到：a；b；c（另有 2 处）。"


def test_numbers_and_times() -> None:
    assert COST.fill(COST(count=1, lost=0.02), "en") == "1 call, 20 ms."
    assert COST.fill(COST(count=1200, lost=2.25), "en") == "1,200 calls, 2.2 s."
    assert COST.fill(COST(count=1200, lost=2.25), "zh") == "1,200 次调用，2.2 秒。"
    assert COST.fill(COST(count=1, lost=0.0001), "zh") == "1 次调用，不到 1 毫秒。"


def test_lists() -> None:
    lists = (["a"], ["a", "b"], ["a", "b", "c"])
    assert [enumerate_in("en", words) for words in lists] == ["a", "a and b", "a, b and c"]
    assert [enumerate_in("zh", words) for words in lists] == ["a", "a 和 b", "a、b 和 c"]


@pytest.mark.parametrize(
    "text", ["x", "`x`", "``", "a ` b", "{x} {0} {{y}}", "%s", "<b>*x*</b>", "`{name}`", "汉字 😀"]
)
def test_what_is_put_in_cannot_change_what_is_code(text: str) -> None:
    """And is shown as it is; on the page, where marks come in pairs, an apostrophe stands for a backtick."""
    said = CODE.fill(CODE(name=text), "en")
    assert [(part.text, part.code) for part in parts_of(said)] == [
        (text, True),
        (" is ", False),
        (f"{text}[0]", True),
        (f", or {text}.", False),
    ]
    assert plain(said) == f"{text} is {text}[0], or {text}."
    shown = text.replace("`", "'")
    assert in_pairs(said) == f"`{shown}` is `{shown}[0]`, or {shown}."


def test_other_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match=r"cost takes \['count', 'lost'\], and was given \['count'\]"):
        COST(count=1)
