"""Changes that a reader of SARIF can apply: only those that were written, run and proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from traceonce.facts import Cause, Diagnosis, Edit, Fix
from traceonce.report.phrases import english
from traceonce.report.sarif.uris import Uris


def fixes_of(cause: Cause, diagnosis: Diagnosis) -> list[Fix]:
    """What would treat this cause. A fix that names none treats any; what was refuted treats nothing."""
    return [
        fix
        for fix in diagnosis.fixes
        if (not fix.causes or cause.code in fix.causes) and (fix.proof is None or fix.proof.verdict == "proved")
    ]


class Changes:
    """The edits of all functions. They were made one after the other, each in the files as the last one left them."""

    def __init__(self, diagnoses: Sequence[Diagnosis], uris: Uris) -> None:
        self._uris = uris
        self._moving: list[tuple[Fix, Edit]] = [
            (fix, edit)
            for diagnosis in diagnoses
            for fix in diagnosis.fixes
            for edit in fix.edits
            if _lines_of(edit.replacement) != edit.end - edit.start + 1
        ]

    def describe(self, cause: Cause, diagnosis: Diagnosis) -> Iterator[dict[str, Any]]:
        for fix in fixes_of(cause, diagnosis):
            whole = all(1 <= edit.start <= edit.end + 1 for edit in fix.edits)
            if fix.proof is None or not fix.edits or not whole or self._is_moved(fix):
                continue
            files = dict.fromkeys(edit.file for edit in fix.edits)
            located = {file: self._uris.locate(file) for file in files}
            if all(located.values()):
                said = "; ".join(english.describe_fix(fix, diagnosis, command=None))
                changes = [
                    {"artifactLocation": located[file], "replacements": list(_replacements(fix, file))}
                    for file in files
                ]
                yield {"description": {"text": f"{fix.recipe}: {said}"}, "artifactChanges": changes}

    def _is_moved(self, fix: Fix) -> bool:
        """Does another change add or remove lines above this one, so that its line numbers may not be the file's?"""
        return any(
            other.file == edit.file and other.start <= edit.start
            for owner, other in self._moving
            if owner is not fix
            for edit in fix.edits
        )


def _lines_of(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _replacements(fix: Fix, file: str) -> Iterator[dict[str, Any]]:
    return (_describe_edit(edit) for edit in fix.edits if edit.file == file)


def _describe_edit(edit: Edit) -> dict[str, Any]:
    """Whole lines. Where lines are replaced, the end of the last one stays: at the end of a file there may be none."""
    if edit.end >= edit.start and edit.replacement:
        region = {"startLine": edit.start, "startColumn": 1, "endLine": edit.end}
        return {"deletedRegion": region, "insertedContent": {"text": edit.replacement.removesuffix("\n")}}
    region = {"startLine": edit.start, "startColumn": 1, "endLine": edit.end + 1, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": edit.replacement}}
