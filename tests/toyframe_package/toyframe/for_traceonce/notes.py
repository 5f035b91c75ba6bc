"""What the recipes for toyframe say."""

from __future__ import annotations

from traceonce.words.sentence import Sentence

TOYS_TAKE_ALL = Sentence(
    "toys_take_all",
    en="A toy that takes any size knows none: {names:code}.",
    zh="接受任意大小的玩具不知道大小：{names:code}。",
)
