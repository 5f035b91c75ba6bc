"""Recordings and outcomes in a database."""

from __future__ import annotations

import contextlib
import datetime
import re
import uuid

import msgspec
from sqlalchemy import delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from traceonce.knowledge.outcomes import Outcome
from traceonce.serve.digest import DigestedRecording
from traceonce.serve.engine import open_engine, writing
from traceonce.serve.models import RecordingList, Summary
from traceonce.serve.request_errors import NotFoundError
from traceonce.serve.schema_upgrade import prepare
from traceonce.serve.storage import Upload
from traceonce.serve.summaries import searchable
from traceonce.serve.tables import digests, outcomes, recordings

MOST_OUTCOMES = 1_000  # in one answer
_ID = re.compile("[0-9a-f]{32}")


class Store:
    """A database, brought up to date when it is opened. Many threads may use it, and many servers."""

    def __init__(self, database: str) -> None:
        self._engine = open_engine(database)
        self._writing = writing(self._engine)
        prepare(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def check(self) -> None:
        """Raise what SQLAlchemy raises where the database cannot be asked, or has not our tables."""
        with self._engine.connect() as connection:
            connection.execute(select(recordings.c.id).limit(1))

    def find(self, sha256: str) -> Summary | None:
        """The recording with these bytes, if it is here."""
        with self._engine.connect() as connection:
            found = connection.scalar(select(recordings.c.summary).where(recordings.c.sha256 == sha256))
        return Summary.model_validate_json(found) if found is not None else None

    def add(self, upload: Upload) -> tuple[Summary, bool]:
        """Keep a recording; where its bytes are here already: that one, and False."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")
        summary = Summary(
            id=uuid.uuid4().hex,
            uploaded=now,
            size=upload.size,
            sha256=upload.sha256,
            **upload.description.model_dump(),
        )
        row = {
            "id": summary.id,
            "sha256": summary.sha256,
            "uploaded": now,
            "searched": upload.searched,
            "summary": summary.model_dump_json(),
            "content": upload.content,
        }
        try:
            with self._writing.begin() as connection:
                connection.execute(insert(recordings).values(row))
                connection.execute(insert(digests).values(_digest_row(summary.id, upload.form, upload.kept)))
        except IntegrityError:
            known = self.find(upload.sha256)
            if known is None:
                raise
            return known, False
        return summary, True

    def page(self, search: str, limit: int, offset: int) -> RecordingList:
        """Some of the recordings in which all words of `search` stand, the newest first."""
        conditions = [recordings.c.searched.contains(word, autoescape=True) for word in searchable(search).split()]
        newest = select(recordings.c.summary).where(*conditions).order_by(recordings.c.uploaded.desc(), recordings.c.id)
        with self._engine.connect() as connection:
            total = connection.scalar(select(func.count()).select_from(recordings).where(*conditions)) or 0
            found = connection.scalars(newest.limit(limit).offset(offset)).all()
        return RecordingList(total=total, recordings=[Summary.model_validate_json(text) for text in found])

    def summary(self, id: str) -> Summary:
        return Summary.model_validate_json(str(self._column("summary", id)))

    def content(self, id: str) -> bytes:
        """The bytes of a recording, packed with gzip."""
        content = self._column("content", id)
        assert isinstance(content, bytes)
        return content

    def kept(self, id: str, form: str) -> DigestedRecording | None:
        """What was found in a recording, if this code has found it."""
        wanted = select(digests.c.digest, digests.c.causes).where(digests.c.recording == id, digests.c.form == form)
        with self._engine.connect() as connection:
            row = connection.execute(wanted).one_or_none()
        return DigestedRecording(*row) if row is not None else None

    def keep(self, id: str, form: str, kept: DigestedRecording) -> None:
        """Keep what was found, in the place of what was there. Another server may do so, too, or delete it all."""
        with contextlib.suppress(IntegrityError), self._writing.begin() as connection:
            connection.execute(delete(digests).where(digests.c.recording == id))
            connection.execute(insert(digests).values(_digest_row(id, form, kept)))

    def delete(self, id: str) -> None:
        with self._writing.begin() as connection:
            connection.execute(delete(digests).where(digests.c.recording == _checked(id)))
            if not connection.execute(delete(recordings).where(recordings.c.id == id)).rowcount:
                raise _unknown(id)

    def _column(self, column: str, id: str) -> object:
        with self._engine.connect() as connection:
            found: object = connection.scalar(select(recordings.c[column]).where(recordings.c.id == _checked(id)))
        if found is None:
            raise _unknown(id)
        return found

    def note(
        self, record: str, workaround: int, action: str, *, worked: bool, note: str = "", version: str = ""
    ) -> Outcome:
        """Write an outcome down."""
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        noted = Outcome(0, record, workaround, action, worked, note, version, today)
        row = {field: value for field, value in msgspec.structs.asdict(noted).items() if field != "number"}
        with self._writing.begin() as connection:
            number = connection.execute(insert(outcomes).values(row).returning(outcomes.c.number)).scalar_one()
        return msgspec.structs.replace(noted, number=number)

    def all(self, record: str | None = None) -> list[Outcome]:
        """The newest outcomes, of one record or of all, in the order in which they were noted."""
        asked = select(outcomes).order_by(outcomes.c.number.desc()).limit(MOST_OUTCOMES)
        if record is not None:
            asked = asked.where(outcomes.c.record == record)
        with self._engine.connect() as connection:
            return [Outcome(*row) for row in connection.execute(asked)][::-1]


def _checked(id: str) -> str:
    if not _ID.fullmatch(id):
        raise _unknown(id)
    return id


def _unknown(id: str) -> NotFoundError:
    return NotFoundError(f"there is no recording {id[:40]!r}; GET /api/v1/recordings lists them.")


def _digest_row(id: str, form: str, kept: DigestedRecording) -> dict[str, object]:
    return {"recording": id, "form": form, "digest": kept.digest, "causes": kept.causes}
