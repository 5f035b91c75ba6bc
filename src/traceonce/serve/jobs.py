"""What workers do: everything that is computed from a recording. Bytes come in, and finished bytes go out.

No list in an answer is without end: functions come worst first, and what does not fit is counted in `left_out`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from pydantic import BaseModel

from traceonce.analysis.material import find_out, make_material
from traceonce.errors import RecordingError
from traceonce.facts import Diagnosis, Recording
from traceonce.facts.attention import sort_by_attention
from traceonce.report.base import FORMATS, Material, find_form, find_renderer
from traceonce.serve.comparison import ComparedRun
from traceonce.serve.comparison import compare as compare_runs
from traceonce.serve.digest import DigestedRecording, keep, open_causes, open_digest, pack
from traceonce.serve.function_lookup import choose, choose_one
from traceonce.serve.mcp.fix_findings import describe_fixes
from traceonce.serve.mcp.prose import tell_fixes, tell_run
from traceonce.serve.mcp.run_findings import describe_run
from traceonce.serve.models import Findings, Fixes, FunctionFixes, RecordingDetails, Summary
from traceonce.serve.request_errors import OverBudgetError
from traceonce.serve.size_limits import check_size
from traceonce.serve.summaries import describe_function, describe_recording, searched_words
from traceonce.words.translated import Language

MOST_FUNCTIONS = 1_000  # in one answer
MOST_BYTES = 4 << 20  # of functions in one answer, as JSON
MOST_REPORT = 64 << 20  # bytes of a report
_LEFT_OUT = ("events", "excerpts")  # of the JSON report, in findings
_SHOWS_EVENTS = "json"  # beside those that say so: it has them as they were recorded
GZIP = b"\x1f\x8b"
Item = TypeVar("Item")

for _form in FORMATS:
    find_renderer(_form)  # imported once, by the process that starts the workers


class Understood(NamedTuple):
    """All that is kept of a recording beside its bytes, which are `content`, packed."""

    description: bytes
    searched: str
    content: bytes
    kept: DigestedRecording


class Told(NamedTuple):
    """An answer for an agent: as JSON, and in words."""

    data: bytes
    text: str


def understand(path: str, name: str) -> Understood:
    """Read the file of a recording that is to be kept, and find out all that any report shows of it."""
    data = Path(path).read_bytes()
    content = pack(data)
    recording = _read(data, name)
    del data
    material = find_out(recording, "html")
    description = describe_recording(recording, material.diagnoses, name)
    searched = searched_words(description, material.diagnoses)
    return Understood(description.model_dump_json().encode(), searched, content, keep(material))


def understand_again(content: bytes, name: str) -> DigestedRecording:
    """What another version found is found again, from the bytes that were kept."""
    return keep(find_out(_read(gzip.decompress(content), name), "html"))


def understand_file(path: str) -> DigestedRecording:
    """A recording of the user's own, with what its child processes have written beside it, while it goes on."""
    recording = Recording.load(path)
    _check(recording, path)
    return keep(find_out(recording, "html"))


def needs_events(form: str) -> bool:
    """Does a report show the events, so that the digest is not enough for it?"""
    return form == _SHOWS_EVENTS or find_form(form).shows_events


def report(digest: bytes, causes: bytes, content: bytes, form: str, language: Language) -> bytes:
    """A report, packed. `causes` and `content` may be empty where it shows no events."""
    found = open_digest(digest)
    recording = _read(gzip.decompress(content), "recording") if needs_events(form) else found.recording
    material = make_material(recording, found.diagnoses, form, language, explained=())
    if find_form(form).shows_events:
        material = material._replace(causes=open_causes(causes))
    text = find_renderer(form)(material)
    size = len(text)
    if size > MOST_REPORT:
        raise OverBudgetError(
            f"the {form} report has {size:,} characters, and the limit is {MOST_REPORT:,}; download the recording "
            f"and run `traceonce report --format {form} FILE` locally."
        )
    return pack(text.encode(errors="replace"))


def details(digest: bytes, summary: bytes) -> bytes:
    diagnoses = open_digest(digest).diagnoses
    functions, left_out = _fitting(diagnoses, describe_function, _size_of_model)
    known = Summary.model_validate_json(summary).model_dump()
    return RecordingDetails(**known, by_function=functions, left_out=left_out).model_dump_json().encode()


def findings(digest: bytes) -> bytes:
    """The JSON report, without its events."""
    found = open_digest(digest)
    functions, left_out = _fitting(found.diagnoses, lambda diagnosis: diagnosis, lambda d: len(msgspec.json.encode(d)))
    without_source = msgspec.structs.replace(found.recording, excerpts=())
    document = msgspec.json.decode(find_renderer("json")(Material(without_source, functions)))
    kept = {key: value for key, value in document.items() if key not in _LEFT_OUT}
    return Findings.model_validate({**kept, "left_out": left_out}).model_dump_json(by_alias=True).encode()


def fixes(digest: bytes, function: str | None) -> bytes:
    """What was proved, or is proposed, for one function or for all that have something."""
    diagnoses = open_digest(digest).diagnoses
    if function is not None:
        named = choose(diagnoses, function)
    else:
        named = [diagnosis for diagnosis in diagnoses if diagnosis.fixes]
    shown, left_out = _fitting(named, _fixes_of, _size_of_model)
    return Fixes(functions=shown, left_out=left_out).model_dump_json().encode()


def compare(before: bytes, before_summary: bytes, after: bytes, after_summary: bytes) -> bytes:
    runs = [
        ComparedRun(Summary.model_validate_json(summary), open_digest(digest).material)
        for digest, summary in ((before, before_summary), (after, after_summary))
    ]
    comparison = compare_runs(*runs)
    functions, left_out = _fitting(comparison.functions, lambda function: function, _size_of_model)
    return comparison.model_copy(update={"functions": functions, "left_out": left_out}).model_dump_json().encode()


def tell_findings(digest: bytes, name: str, function: str | None) -> Told:
    """What `recording_findings` answers."""
    found = open_digest(digest)
    run = describe_run(name, found.recording, found.diagnoses, function)
    return Told(msgspec.json.encode(run), tell_run(run))


def tell_proposals(digest: bytes, name: str, function: str) -> Told:
    """What `propose_fix` answers."""
    found = open_digest(digest)
    chosen = choose_one(found.diagnoses, function)
    ignorable = not sort_by_attention(found.recording, [chosen]).named
    proposals = describe_fixes(name, found.recording, chosen, ignorable=ignorable)
    return Told(msgspec.json.encode(proposals), tell_fixes(proposals))


def _read(data: bytes, name: str) -> Recording:
    called = name or "recording"
    recording = Recording.from_bytes(data, called)
    _check(recording, called)
    return recording


def _check(recording: Recording, called: str) -> None:
    check_size(recording, called)
    try:  # the quickest way to see that all whole numbers have 64 bits at most; one by one, since it needs memory
        for part in (*recording.events, msgspec.structs.replace(recording, events=())):
            msgspec.msgpack.encode(part)
    except OverflowError:
        raise RecordingError(f"{called}: contains a number that is out of range; record the run again.") from None


def _fitting(
    items: Sequence[Any], describe: Callable[[Any], Item], size: Callable[[Item], int]
) -> tuple[list[Item], int]:
    """As many as an answer may hold, and how many are left out."""
    fitting: list[Item] = []
    used = 0
    for item in items[:MOST_FUNCTIONS]:
        described = describe(item)
        used += size(described)
        if used > MOST_BYTES:
            break
        fitting.append(described)
    return fitting, len(items) - len(fitting)


def _size_of_model(model: BaseModel) -> int:
    return len(model.model_dump_json())


def _fixes_of(diagnosis: Diagnosis) -> FunctionFixes:
    return FunctionFixes(
        function=diagnosis.function.name,
        file=diagnosis.function.file,
        line=diagnosis.function.line,
        verdict=diagnosis.verdict.value,
        fixes=[msgspec.to_builtins(fix) for fix in diagnosis.fixes],
    )
