"""What is said of toyframe: notes of its recipes, why they decline, and what there is to know of a cause."""

from __future__ import annotations

from traceonce.words.sentence import Phrase, Sentence

TOYS_TAKE_ALL = Sentence(
    "toys_take_all",
    en="A toy that takes any size knows none: {names:code}.",
    zh="接受任意大小的玩具不知道大小：{names:code}。",
)
TOO_LARGE_A_TOY = Phrase(
    "too_large_a_toy",
    en="a toy of {size} fits into no box",
    zh="大小为 {size} 的玩具装不进任何盒子",
)
UNWOUND = Phrase(
    "unwound",
    en="toys are wound up once, by {path:code}",
    zh="玩具只按 {path:code} 上一次发条",
)
