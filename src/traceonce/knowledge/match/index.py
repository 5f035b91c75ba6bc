"""All expressions of a base of records, arranged so that a message is tried against the few that can match it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import re2

from traceonce.errors import RecordError
from traceonce.knowledge.expressions import branches_of, compile_re2, tokens_of
from traceonce.knowledge.match.frameworks import OURS, frameworks_named, frameworks_of_ours, known_names
from traceonce.knowledge.match.messages import Message, function_name
from traceonce.knowledge.match.nearest import Words
from traceonce.knowledge.record import Record

SHOWN = 240  # characters of the matched text
MOST = 12  # expressions, the most specific, that may match one message
CAPTURED = 3  # of the expressions that match a message, the best, that say which function is named

_ID = re2.compile(r"[\w.-]+(?:/[\w.-]+)+")


# What a Chinese text about a program has in it: a name or an English word, or a word of programming.
_OF_PROGRAMS = compile_re2("[A-Za-z_]{3,}|tf|张量|计算图|函数|变量|参数|编译|代码")


class Expression(NamedTuple):
    """One branch of a record's expression."""

    record: Record
    pattern: str
    finder: Any  # finds without captures, which is quick on any text
    fixed: int
    required: frozenset[str]
    chinese: bool


class Hit(NamedTuple):
    """A record whose expression was found in a message: what it found, where, and the function named there.

    `ignorable` says that the message itself, a line of our report, lets one ignore it.
    """

    record: Record
    named: bool
    fixed: int
    matched: str
    function: str | None
    line: int
    start: int
    ignorable: bool = False

    @property
    def rank(self) -> tuple[object, ...]:
        """The text that names a record comes first, then the expression with more fixed characters.

        What can be ignored comes last.
        """
        return (self.ignorable, not self.named, 0 if self.named else -self.fixed, self.line, self.start, self.record.id)


class Index:
    """Made once, asked often. What RE2 refuses is left out, and named in `refused`."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)
        self.refused: list[str] = []
        self._contexts: dict[str, Any] = {}
        self._by_token: dict[str, list[Expression]] = defaultdict(list)
        self._without_token: list[Expression] = []
        self._words: Words | None = None
        self.by_id = {record.id: record for record in self.records}
        self._domains = {record.id.partition("/")[0] + "/" for record in self.records}
        expressions = [expression for record in self.records for expression in self._read(record)]
        uses = Counter(token for expression in expressions for token in expression.required)
        for expression in expressions:
            if expression.required:
                rarest = min(expression.required, key=lambda token: (uses[token], -len(token), token))
                self._by_token[rarest].append(expression)
            else:
                self._without_token.append(expression)
        self._set = _make_set(self._without_token)

    @property
    def words(self) -> Words:
        """The index for guesses, made when it is needed first."""
        if self._words is None:
            self._words = Words(self.records)
        return self._words

    def find(self, message: Message) -> list[Hit]:
        """The records whose expressions the message matches, best first; contexts are not looked at here."""
        fits = _Fitting(message)
        hits = self._search(message.text, message, fits)
        functions = _functions(hits)
        if message.unwrapped is not None and message.unwrapped != message.text:
            unwrapped = self._search(message.unwrapped, message, fits)
            functions = {**_functions(unwrapped), **functions}  # what was put together may be two words
            hits += unwrapped
        if not hits:
            return hits
        hits.sort(key=lambda hit: hit.rank)
        best: dict[str, Hit] = {}
        for hit in hits:
            if hit.record.outside_errors and not hit.named and message.tells_of_an_error:
                continue
            function = functions.get(hit.record.id) or message.function
            best.setdefault(hit.record.id, hit._replace(function=function, ignorable=message.ignorable))
        return list(best.values())

    def context_of(self, record: Record) -> Any:
        """The expression that must be found near the message, too, or None."""
        return self._contexts.get(record.id)

    def _search(self, text: str, message: Message, fits: _Fitting) -> list[Hit]:
        encoded = text.encode(errors="replace")
        found: list[tuple[Expression, Any]] = []
        for expression in sorted(self._candidates(tokens_of(text), encoded), key=lambda candidate: -candidate.fixed):
            if expression.chinese and not _OF_PROGRAMS.search(encoded):
                continue  # in plain Chinese, parcels are traced again as well
            if not fits(expression):
                continue
            if (where := expression.finder.search(encoded)) is not None:
                found.append((expression, where))
                if len(found) == MOST:
                    break
        hits = [self._hit(*pair, message, number < CAPTURED) for number, pair in enumerate(found)]
        return [*self._named(text, message), *hits]

    def _hit(self, expression: Expression, where: Any, message: Message, capture: bool) -> Hit:
        function = None
        if capture and "(?P<function>" in expression.pattern:
            captured = compile_re2(expression.pattern).search(where.string)
            function = captured["function"] if captured else None
        return Hit(
            record=expression.record,
            named=False,
            fixed=expression.fixed,
            matched=_shorten(where[0].decode(errors="replace").strip()),
            function=function_name(function.decode(errors="replace")) if function else None,
            line=message.line_at(where.string[: where.start()].decode(errors="replace")),
            start=where.start(),
        )

    def _named(self, text: str, message: Message) -> Iterator[Hit]:
        """Records whose id is in the text, as a word of its own."""
        if not any(domain in text for domain in self._domains):
            return
        starts: dict[str, int] = {}
        for found in _ID.finditer(text):
            starts.setdefault(found[0].strip(".-"), found.start())
        for name in starts.keys() & self.by_id.keys():
            start = starts[name]
            yield Hit(self.by_id[name], True, len(name), name, None, message.line_at(text[:start]), start)

    def _candidates(self, tokens: set[str], encoded: bytes) -> Iterator[Expression]:
        for token in tokens & self._by_token.keys():
            for expression in self._by_token[token]:
                if expression.required <= tokens:
                    yield expression
        if self._set is not None:
            for number in self._set.Match(encoded) or ():
                yield self._without_token[number]

    def _read(self, record: Record) -> Iterator[Expression]:
        if record.context:
            try:
                self._contexts[record.id] = compile_re2(record.context)
            except RecordError as error:
                self._refuse(record, "context", error)
                return  # without its context the expression would find too much
        for field in ("regex", "regex_zh"):
            if pattern := getattr(record, field):
                try:
                    compile_re2(pattern)
                    for branch in branches_of(pattern):
                        finder = compile_re2(branch.pattern, capture=False)
                        chinese = field == "regex_zh"
                        yield Expression(record, branch.pattern, finder, branch.fixed, branch.required, chinese)
                except RecordError as error:
                    self._refuse(record, field, error)

    def _refuse(self, record: Record, field: str, why: RecordError) -> None:
        self.refused.append(f"{record.id}: {field}: RE2 refuses the expression ({why}); correct it.")


class _Fitting:
    """May an expression speak of the framework that a message is about? Found out where somebody wants to know."""

    def __init__(self, message: Message) -> None:
        self._text = f"{message.text}\n{message.unwrapped or ''}"
        self._ours: set[str] | None = None
        self._named: set[str] | None = None

    def __call__(self, expression: Expression) -> bool:
        domain = expression.record.domain or expression.record.id.partition("/")[0]
        if expression.chinese:
            self._named = frameworks_named(self._text) if self._named is None else self._named
            return not self._named or domain not in known_names() or domain in self._named
        if expression.record.raised_by != OURS or domain not in known_names():
            return True
        self._ours = frameworks_of_ours(self._text) if self._ours is None else self._ours
        return domain in self._ours


def _functions(hits: list[Hit]) -> dict[str, str]:
    """The function that each record finds named, by the best of its expressions."""
    return {hit.record.id: hit.function for hit in sorted(hits, key=lambda hit: hit.rank, reverse=True) if hit.function}


def _make_set(expressions: list[Expression]) -> Any:
    if not expressions:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    found = re2.Set.SearchSet(options)
    for expression in expressions:
        found.Add(expression.pattern)
    found.Compile()
    return found


def _shorten(text: str) -> str:
    """The beginning and the end of what was matched: expressions say what they start and end with."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN * 2 // 3]} … {text[-SHOWN // 3 :]}"
