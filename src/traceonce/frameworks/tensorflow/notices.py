"""What a reader must know of how TensorFlow was watched."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

COUNTS_ALONE = Phrase(
    "counts_alone",
    en="{why}: watching its list of callbacks instead: counts, but no times and no calls",
    zh="{why}：改为观察它的回调列表：有次数，没有时间和调用",
)
