"""The state that was last accepted, as a file; what has become worse since then is new.

What counts is retraces and repeated compilations per function, and whether it was shown to be silently wrong. A
function is known by its name and file, not by its line: an edit above it changes nothing. What is not named had none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from traceonce.atomic_files import atomic_write
from traceonce.errors import UsageError
from traceonce.facts import Diagnosis, FunctionId, Signature
from traceonce.facts.event import package_path

SCHEMA = "traceonce.baseline/1"


class Accepted(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was accepted of one function."""

    retraces: int = 0
    recompiles: int = 0
    wrong: bool = False


Functions: TypeAlias = dict[str, Accepted]


class _Head(msgspec.Struct):
    schema: str = SCHEMA


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The accepted state of a run (`functions`), and of each test of a test suite (`tests`).

    `shared` are functions that tests may share, with all that they were traced for (as digests of signatures): which of
    the tests has to trace depends on their order, and on how xdist distributes them.
    """

    schema: str = SCHEMA
    functions: Functions = {}
    tests: dict[str, Functions] = {}
    shared: dict[str, tuple[str, ...]] = {}

    @classmethod
    def load(cls, path: Path, option: str = "--baseline", update: str = "--update-baseline") -> Baseline:
        """Read a file; `option` and `update` are what the user typed, or could type, for the messages."""
        name = f"{option} {path}"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise UsageError(f"{name}: no such file. Create it with {update}.") from None
        except OSError as error:
            raise UsageError(f"{name}: cannot be read: {error.strerror or error}.") from None
        remedy = f"Correct it, or delete it and accept the present state with {update}."
        try:
            schema = msgspec.json.decode(data, type=_Head).schema
            if schema != SCHEMA:  # the fields of another one may be others
                raise UsageError(f"{name}: field 'schema' is {schema!r}, not {SCHEMA!r}. {remedy}")
            return msgspec.json.decode(data, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{name}: is not a baseline ({error}). {remedy}") from None

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; sorted, one fact a line, so that a review shows what changed."""
        document = msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=1) + b"\n"
        try:
            atomic_write(path, document)
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}.") from None


class Change(msgspec.Struct, frozen=True):
    """A function whose state is not the accepted one."""

    function: str
    accepted: Accepted
    now: Accepted

    @property
    def is_worse(self) -> bool:
        was, now = self.accepted, self.now
        return now.retraces > was.retraces or now.recompiles > was.recompiles or (now.wrong and not was.wrong)

    def describe(self) -> str:
        was, now = self.accepted, self.now
        parts = [
            f"{noun} {before} → {after}"
            for noun, before, after in (
                ("retraces", was.retraces, now.retraces),
                ("repeated compilations", was.recompiles, now.recompiles),
            )
            if before != after
        ]
        if now.wrong != was.wrong:
            parts.append("silently wrong" if now.wrong else "no longer silently wrong")
        return f"{self.function}: {', '.join(parts)}"


def name_in_baseline(function: FunctionId) -> str:
    return f"{function.name} ({package_path(function.file)})" if function.file else function.name


def digest(signature: Signature) -> str:
    """The same for the same arguments in every run: without what tells objects of one process apart."""
    leaves = [
        (leaf.path, leaf.kind, leaf.dtype, leaf.shape, leaf.type_name, None if leaf.kind == "object" else leaf.value)
        for leaf in signature.leaves
    ]
    return hashlib.sha256(msgspec.json.encode((leaves, signature.structure))).hexdigest()[:12]


def take_state(diagnoses: Iterable[Diagnosis]) -> Functions:
    """What there is to accept. Functions that share a name and a file (lambdas) are added up."""
    state: Functions = {}
    for diagnosis in diagnoses:
        name = name_in_baseline(diagnosis.function)
        before = state.get(name, Accepted())
        state[name] = Accepted(
            before.retraces + diagnosis.retraces,
            before.recompiles + max(diagnosis.compiles - diagnosis.traces, 0),
            before.wrong or diagnosis.surely_wrong,
        )
    return {name: accepted for name, accepted in sorted(state.items()) if accepted != Accepted()}


def compare(accepted: Functions, now: Functions) -> Sequence[Change]:
    """Every function whose state differs from the accepted one, what is worse first."""
    names = sorted({*accepted, *now})
    changes = [Change(name, accepted.get(name, Accepted()), now.get(name, Accepted())) for name in names]
    return sorted((change for change in changes if change.accepted != change.now), key=lambda c: not c.is_worse)
