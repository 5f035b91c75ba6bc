"""Browsing the records: how many there are of each kind among those that are found, and a page of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from traceonce.serve.models import RecordLine

FACETS = ("domain", "category", "tier")


class FacetValue(NamedTuple):
    """One kind of record, and how many of it there are."""

    name: str
    title: str
    amount: int


class Facet(NamedTuple):
    """A way to tell records apart; `chosen` is the kind that is shown alone."""

    name: str
    chosen: str
    values: list[FacetValue]


def narrow(
    records: Sequence[RecordLine], chosen: dict[str, str], titles: dict[str, Callable[[str], str]]
) -> tuple[list[RecordLine], list[Facet]]:
    """The records of the chosen kinds; and what each other choice would show, the rest being as chosen."""
    facets = []
    for name in FACETS:
        others = {facet: value for facet, value in chosen.items() if facet != name}
        counts = Counter(getattr(record, name) for record in records if _is(record, others))
        title = titles.get(name, str)
        values = [FacetValue(value, title(value), amount) for value, amount in counts.most_common()]
        facets.append(Facet(name, chosen.get(name, ""), values))
    return [record for record in records if _is(record, chosen)], facets


def _is(record: RecordLine, wanted: dict[str, str]) -> bool:
    return all(getattr(record, facet) == value for facet, value in wanted.items() if value)
