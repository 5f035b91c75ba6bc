"""All rules, in the order in which they are applied. A rule's docstring is what the documentation says of it.

Before them comes *form*: the document fits the published schema (``record.schema.json``), gives no key twice, and has
no text that people could not read. Where it does not, the rules are not applied.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TypeAlias

from traceonce.knowledge.validation import claims, dates, expressions, identity, links, measured, sources, translations
from traceonce.knowledge.validation.case import Case
from traceonce.knowledge.validation.problem import Problem

Rule: TypeAlias = Callable[[Case], Iterator[Problem]]

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
    claims.actions_are_said,
    claims.actions_differ,
    claims.how_adds_something,
    claims.experiment_is_there,
    claims.how_was_run,
    measured.evidence_is_sound,
    measured.evidence_is_its_own,
    measured.everything_was_run,
    measured.nothing_typed_in,
    measured.tier_is_known,
    measured.versions_were_run,
    dates.dates_are_days,
    dates.dates_in_order,
    translations.lists_of_one_length,
    translations.everything_is_translated,
    links.transitions_lead_somewhere,
    links.transitions_lead_back,
    links.documented,
)


def apply_rules(case: Case) -> list[Problem]:
    return [problem for rule in RULES for problem in rule(case)]


def describe_rules() -> list[tuple[str, str]]:
    """Every rule's name and what it demands."""
    return [(rule.__name__, inspect.cleandoc(rule.__doc__ or "")) for rule in RULES]
