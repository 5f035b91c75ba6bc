"""What a reader must know of how TensorFlow was watched."""

from __future__ import annotations

from traceonce.words.sentence import Phrase

COUNTS_ALONE = Phrase(
    "counts_alone",
    en="{why}: watching through its list of callbacks, so there are counts, but no times and no calls",
    zh="{why}：通过它的回调列表观察，因此有次数，没有时间和调用",
)
