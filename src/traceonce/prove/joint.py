"""Functions that only together become right: where one of them alone was refuted, their changes are tried as one.

Two functions that read the same stale value are an example: with one of them repaired, the program is still not what it
is when it is run eagerly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from traceonce.facts import Fix, Proof
from traceonce.facts.replay import stable_name
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.kit import kit_of
from traceonce.fix.source.edits import Edits
from traceonce.prove.judgement import Observed, judge, label
from traceonce.prove.program import Program, is_wrong
from traceonce.prove.search_result import Files, tell_fix
from traceonce.prove.stage_client import Run
from traceonce.words.notes.proofs import ONLY_TOGETHER

MOST_TRIES = 6  # runs


class Part(NamedTuple):
    """A function, and a change of it that was refuted where it was the only one."""

    case: Case
    candidate: Candidate


class TakenTogether(NamedTuple):
    """Proved: a fix for each function, the files with all of them, and the program as it ran with them."""

    parts: dict[str, Part]
    fixes: dict[str, Fix]
    files: Files
    observed: Observed


class Joint:
    """`groups` has the functions that were given up, each with the changes that were run for it."""

    def __init__(
        self,
        program: Program,
        groups: Sequence[Sequence[Part]],
        current: Observed,
        files: Files,
        needs_repair: Callable[[Case, Run], bool],
    ) -> None:
        self._program = program
        self._groups = groups
        self._current = current
        self._files = files
        self._needs_repair = needs_repair

    def run(self) -> TakenTogether | None:
        """All functions first, then two of them; of each the changes in their order. Stopped where the search is."""
        for parts in itertools.islice(self._choices(), MOST_TRIES):
            taken = self._try(parts)
            if taken is not None:
                return taken
        return None

    def _choices(self) -> Iterator[tuple[Part, ...]]:
        if len(self._groups) > 2:
            yield from itertools.product(*(group[:1] for group in self._groups))
        for pair in itertools.combinations(self._groups, 2):
            yield from sorted(itertools.product(*pair), key=lambda parts: _rank(pair, parts))

    def _try(self, parts: Sequence[Part]) -> TakenTogether | None:
        program, before = self._program, {**self._program.sources, **self._files}
        edits = Edits(before)
        try:
            for part in parts:
                assert part.candidate.change is not None
                part.candidate.change(edits)
            changed = edits.results()
        except Exception as error:  # they cannot be written together; a mistake of ours must not end the search
            if not isinstance(error, Declined):
                program.tell(f"changes could not be written together: {type(error).__name__}: {error}")
            return None
        functions = ", ".join(part.case.diagnosis.function.name for part in parts)
        program.tell(f"{functions}: trying {' and '.join(part.candidate.recipe for part in parts)} together")
        files = {**self._files, **changed}
        observed = program.run(files)
        return prove_together(program, parts, self._current, self._files, files, observed, self._needs_repair)


def prove_together(
    program: Program,
    parts: Sequence[Part],
    current: Observed,
    taken: Files,
    files: Files,
    observed: Observed,
    needs_repair: Callable[[Case, Run], bool],
) -> TakenTogether | None:
    """Is the program right with all of these changes, as it was `observed` with the `files`?

    `current` is the program before, with the files that were `taken` by then.
    """
    by_name = {stable_name(part.case.diagnosis.function): part for part in parts}
    oracles = [program.oracle_for(part.case) for part in parts]
    oracle = next((oracle for oracle in oracles if oracle is not None), None)
    proofs = {
        name: judge(
            name,
            program.original,
            current,
            observed,
            program.variation,
            oracle,
            wrong=is_wrong(part.case),
            untraced=part.candidate.untraced,
        )
        for name, part in by_name.items()
    }
    cases = program.understand(observed.run)
    left = {stable_name(case.diagnosis.function) for case in cases if needs_repair(case, observed.run)}
    if left & by_name.keys() or any(proof.verdict != "proved" for proof in proofs.values()):
        return None
    program.tell(f"{', '.join(part.case.diagnosis.function.name for part in parts)}: proved together")
    before = {**program.sources, **taken}
    changes = {name: (before[name], text) for name, text in files.items() if text != before[name]}
    fixes = {name: _fix(part, proofs[name], changes) for name, part in by_name.items()}
    return TakenTogether(by_name, fixes, files, observed)


def _rank(groups: Sequence[Sequence[Part]], parts: Sequence[Part]) -> int:
    return sum(list(group).index(part) for group, part in zip(groups, parts, strict=True))


def _fix(part: Part, proof: Proof, changes: dict[str, tuple[bytes, bytes]]) -> Fix:
    recipes = kit_of(part.case.diagnosis.backend).named(part.candidate.recipe)
    return tell_fix(part.candidate, label(part.candidate, recipes, None, [ONLY_TOGETHER()]), proof, changes)
