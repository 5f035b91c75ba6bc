"""What there is to know about a cause, beside its place and values; stands after it, so that these are no sentences.

What one framework alone does is in that framework's home.
"""

from __future__ import annotations

from traceonce.words.sentence import Phrase

CHANGED_SINCE = Phrase(
    "changed_since",
    en="it has changed since; whether a later call used the old value is unknown",
    zh="它后来变了；不清楚此后是否还有调用",
)
PRINTS_THE_SAME = Phrase(
    "prints_the_same",
    en="it prints the same but is a different object, and its class has no __eq__ that makes them equal",
    zh="打印出来一样，却是另一个对象，而且它的类没有认定两者相等的 __eq__",
)
