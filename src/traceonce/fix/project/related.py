"""Which files of a project have to do with a function: a folder may hold programs that know nothing of each other."""

from __future__ import annotations

import re

from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t].*", re.MULTILINE)
_WORD = re.compile(rb"\w+")


def related_files(edits: Edits, case: Case, text: str) -> list[str]:
    """The files in which `text` stands, of those that the function's own files import, or are imported by, in turn."""
    sources = edits.sources
    imported = {file: _words_imported(source) for file, source in sources.items()}
    stems = {file: _stem(file) for file in sources}
    seen_in = (place.file for places in (case.makings, case.sites, case.diagnosis.call_sites) for place in places)
    own = {case.diagnosis.function.file, *seen_in}
    found = {file for file in sources if file in own}
    waiting = list(found)
    while waiting:
        file = waiting.pop()
        for other in sources:
            if other not in found and (stems[other] in imported[file] or stems[file] in imported[other]):
                found.add(other)
                waiting.append(other)
    return [file for file in sources if file in found and text.encode() in sources[file]]


def _words_imported(source: bytes) -> set[str]:
    return {word.decode(errors="replace") for line in _IMPORT.findall(source) for word in _WORD.findall(line)}


def _stem(file: str) -> str:
    """The last part of the name by which a file is imported."""
    name = re.sub(r"(/__init__)?\.pyw?$", "", file.replace("\\", "/"))
    return name.rpartition("/")[2]
