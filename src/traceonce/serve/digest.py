"""What was found in a recording, kept: so that it is read once, and everything after that is quick.

A digest is the recording without its events, and its diagnoses. Reports that show events need the recording itself, and
the causes of each event, which take longest to find. Both are packed: they repeat themselves a lot.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from traceonce.facts import Cause, Diagnosis, Recording
from traceonce.report.base import Material

ROOT = Path(__file__).parents[1]  # of our own code
_QUICK = 3  # gzip's level: a higher one takes much longer to save little
DECIDING = (
    "analysis",
    "causes",
    "diagnosis",
    "facts",
    "fix",
    "frameworks",
    "knowledge",
    "limits",
    "words",
    "serve/digest.py",
)
_CODE = (".py", ".json")


class DigestedRecording(NamedTuple):
    """What was found in a recording: its digest, and the causes of its events."""

    digest: bytes
    causes: bytes


class Digest(msgspec.Struct, frozen=True):
    recording: Recording
    diagnoses: tuple[Diagnosis, ...]

    @property
    def material(self) -> Material:
        """For all that shows no events."""
        return Material(self.recording, self.diagnoses)


def keep(material: Material) -> DigestedRecording:
    """Pack what was found."""
    without_events = msgspec.structs.replace(material.recording, events=())
    digest = Digest(without_events, tuple(material.diagnoses))
    return DigestedRecording(pack(msgspec.msgpack.encode(digest)), pack(msgspec.msgpack.encode(material.causes)))


def open_digest(data: bytes) -> Digest:
    return msgspec.msgpack.decode(gzip.decompress(data), type=Digest)


def open_causes(data: bytes) -> Sequence[tuple[Cause, ...]]:
    return msgspec.msgpack.decode(gzip.decompress(data), type=tuple[tuple[Cause, ...], ...])


def pack(data: bytes) -> bytes:
    return gzip.compress(data, _QUICK, mtime=0)


@cache
def form_of_digests() -> str:
    """Which code made them: what another version has found is found again. It is the same wherever the code lies."""
    paths = [path for name in DECIDING for path in sorted([ROOT / name, *(ROOT / name).rglob("*")])]
    code = hashlib.sha256()
    for path in paths:
        if path.suffix in _CODE and path.is_file() and "experiments" not in path.parts:
            code.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return code.hexdigest()
