"""`traceonce.explain`: what an error or a log means, as the command of that name says it, for programs."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import overload

from traceonce.facts.printable import in_lines
from traceonce.knowledge.advice import Explanation
from traceonce.knowledge.local_base import open_to_read
from traceonce.knowledge.match import Index, Match
from traceonce.knowledge.text_explanations import Ignorable, TextExplainer, TextExplanation
from traceonce.words.translated import Language


class Explanations(Sequence[Explanation]):
    """An `Explanation` for each failure in a text that a record explains; empty, and so false, if there is none.

    `unknown` are errors without a record, `ignorable` names matching records that need no action. If nothing was found,
    `guesses` are the nearest records by words.
    """

    def __init__(self, answered: TextExplanation) -> None:
        self._explanations = tuple(answered.explanations)
        self.ignorable: tuple[Ignorable, ...] = tuple(answered.ignorable)
        self.unknown: tuple[str, ...] = tuple(answered.unknown)
        self.guesses: tuple[Match, ...] = tuple(answered.guesses)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Explanation, ...]: ...
    def __getitem__(self, index: int | slice) -> Explanation | tuple[Explanation, ...]:
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __repr__(self) -> str:
        found = ", ".join(explanation.record for explanation in self)
        nearest = ", ".join(guess.record for guess in self.guesses)
        return f"<traceonce.Explanations: {found or 'nothing is known'}{f'; nearest: {nearest}' if nearest else ''}>"

    def __str__(self) -> str:
        """What there is to know and to do, in lines."""
        told = "\n\n".join(map(str, self)) or "Nothing is known about this."
        return "\n".join([*in_lines(told), *(f"  perhaps    {guess.record} ({guess.why})" for guess in self.guesses)])


def explain(problem: str | BaseException, language: Language | None = None) -> Explanations:
    """Explain an error: its cause, what to try first, what not to try.

    >>> try:
    ...     train()
    ... except Exception as error:
    ...     print(traceonce.explain(error))

    `problem` is an exception, or a text: a message, a traceback or a log with several errors, in English or Chinese, or
    the name of a record. The answer is in the text's language, unless `language` is given.
    """
    if isinstance(problem, BaseException):
        problem = "".join(traceback.format_exception(problem))
    elif not isinstance(problem, str):
        raise TypeError(f"explain is for a text or an exception, not for {type(problem).__name__}")
    index = _index(tuple(open_to_read(None).paths.values()))
    return Explanations(TextExplainer(index, language, everything=True).text(problem))


@functools.lru_cache(maxsize=1)
def _index(files: tuple[Path, ...]) -> Index:  # another list of files is another base
    """Our records, and those that the user has imported; read once, for that takes longer than any answer."""
    return Index(open_to_read(None))
