"""Look for known failures in a text of any size, in bounded memory.

A message is looked at when it is read, and answered for when what follows it is known: a record with a `context` counts
only if that is found near the message, before it or after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import AnyStr, NamedTuple

from traceonce.knowledge.match.index import Hit, Index
from traceonce.knowledge.match.messages import Message, cut_messages
from traceonce.knowledge.match.plain_lines import clean_lines, decode, split_lines

NEAR = 16_384  # characters before and after a message in which its context is looked for
CHUNK = 1 << 16


class MatchedMessage(NamedTuple):
    """A message, and the records that it matches, best first (none: nothing is known about it)."""

    message: Message
    hits: list[Hit]


def scan(text: str | bytes | Iterable[bytes], index: Index, *, in_context: bool = False) -> Iterator[MatchedMessage]:
    """Answer for each message of a text, in order. The text may come in pieces, as bytes of any kind.

    With `in_context` it is known that the text is the framework's, so that no context is asked for.
    """
    chunks = _slices([text]) if isinstance(text, str) else decode(_slices([text] if isinstance(text, bytes) else text))
    messages = cut_messages(clean_lines(split_lines(chunks)))
    if in_context:
        return (MatchedMessage(message, index.find(message)) for message in messages)
    return _with_context(messages, index)


def _slices(pieces: Iterable[AnyStr]) -> Iterator[AnyStr]:
    return (piece[start : start + CHUNK] for piece in pieces for start in range(0, len(piece), CHUNK))


def _with_context(messages: Iterable[Message], index: Index) -> Iterator[MatchedMessage]:
    before: deque[Message] = deque()
    waiting: deque[MatchedMessage] = deque()
    size_before = size_after = 0
    for message in messages:
        waiting.append(MatchedMessage(message, index.find(message)))
        size_after += len(message.raw)
        while len(waiting) > 1 and size_after - len(waiting[0].message.raw) > NEAR:
            answer = waiting.popleft()
            size_after -= len(answer.message.raw)
            yield _checked(answer, before, waiting, index)
            before.append(answer.message)
            size_before += len(answer.message.raw)
            while size_before - len(before[0].raw) > NEAR:
                size_before -= len(before.popleft().raw)
    while waiting:
        answer = waiting.popleft()
        yield _checked(answer, before, waiting, index)
        before.append(answer.message)


def _checked(
    answer: MatchedMessage, before: deque[Message], after: deque[MatchedMessage], index: Index
) -> MatchedMessage:
    """Without the hits whose context is nowhere near."""
    if all(index.context_of(hit.record) is None for hit in answer.hits):
        return answer
    near = " ".join(
        [
            " ".join(message.raw for message in before)[-NEAR:],
            answer.message.raw,
            answer.message.text,
            " ".join(later.message.raw for later in after)[:NEAR],
        ]
    )
    near = " ".join(near.split())
    return MatchedMessage(answer.message, [hit for hit in answer.hits if _has_context(hit, near, index)])


def _has_context(hit: Hit, near: str, index: Index) -> bool:
    context = index.context_of(hit.record)
    return hit.named or context is None or context.search(near) is not None
