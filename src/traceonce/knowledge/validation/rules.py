"""All rules, in the order in which they are applied. A rule's docstring is what the documentation says of it.

Before them comes *form*: the document fits the published schema (``record.schema.json``), gives no key twice, and has
no text that people could not read. Where it does not, the rules are not applied.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TypeAlias

from traceonce.knowledge.validation import (
    actions,
    dates,
    expressions,
    identity,
    links,
    measurements,
    sources,
    translations,
)
from traceonce.knowledge.validation.problem import Problem
from traceonce.knowledge.validation.record_case import RecordCase

Rule: TypeAlias = Callable[[RecordCase], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    identity.id_form,
    identity.id_equals_path,
    identity.domain_of_id,
    identity.said_at_all,
    expressions.expressions_compile,
    expressions.regex_finds_signature,
    expressions.regex_finds_examples,
    expressions.examples_are_anonymous,
    expressions.no_benign_line,
    sources.message_exists,
    actions.actions_are_said,
    actions.actions_differ,
    actions.how_adds_something,
    actions.experiment_is_there,
    actions.how_was_run,
    measurements.evidence_is_sound,
    measurements.evidence_is_its_own,
    measurements.everything_was_run,
    measurements.nothing_typed_in,
    measurements.tier_is_known,
    measurements.versions_were_run,
    dates.dates_are_days,
    dates.dates_in_order,
    translations.lists_of_one_length,
    translations.everything_is_translated,
    links.transitions_lead_somewhere,
    links.transitions_lead_back,
    links.documented,
)


def apply_rules(case: RecordCase) -> list[Problem]:
    return [problem for rule in RULES for problem in rule(case)]


def describe_rules() -> list[tuple[str, str]]:
    """Every rule's name and what it demands."""
    return [(rule.__name__, inspect.cleandoc(rule.__doc__ or "")) for rule in RULES]
