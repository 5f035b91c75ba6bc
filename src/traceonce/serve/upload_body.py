"""The body of an upload: written to a file as it comes, and unpacked there without ever growing too large.

It does not lie in memory, so that those who send slowly keep nobody out: `bodies` says how slow is too slow.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import tempfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from traceonce.errors import RecordingError
from traceonce.serve.request_errors import BusyError, TooLargeError

AT_ONCE = 32  # uploads whose bytes are on the disk
PATIENCE = 30.0  # seconds that others wait for one of these places
GZIP = b"\x1f\x8b"
_PIECE = 1 << 20


class Sent(NamedTuple):
    """A recording that was sent: where its bytes are, how many there are, and what they hash to."""

    path: Path
    size: int
    sha256: str


class Receiving:
    """Takes bodies of at most so many bytes. The layer above counts those that come; here, those that are unpacked."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.patience = PATIENCE
        self._room = anyio.CapacityLimiter(AT_ONCE)

    @contextlib.asynccontextmanager
    async def body_of(self, request: Request) -> AsyncIterator[Sent]:
        """The bytes that were sent, whatever curl calls them, as long as they are needed.

        What they would have to be taken out of first is refused.
        """
        if request.headers.get("content-type", "").strip().lower().startswith("multipart/"):
            raise HTTPException(415, "send the file itself as the body, not a form: curl --data-binary @run.jsonl …")
        if request.headers.get("content-encoding", "identity").strip().lower() not in ("gzip", "identity"):
            raise HTTPException(415, "only the content encoding gzip is supported; or send the file uncompressed.")
        async with self._place():
            with tempfile.TemporaryDirectory(prefix="traceonce-upload-") as folder:
                packed = Path(folder) / "sent"
                await _take(request, packed)
                yield await anyio.to_thread.run_sync(_unpack, packed, self._most)

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        borrower = object()
        try:
            with anyio.fail_after(self.patience):
                await self._room.acquire_on_behalf_of(borrower)
        except TimeoutError:
            raise BusyError("too many uploads are in progress; try again later.") from None
        try:
            yield
        finally:
            self._room.release_on_behalf_of(borrower)


async def _take(request: Request, path: Path) -> None:
    with path.open("wb") as file:
        try:
            async for piece in request.stream():
                file.write(piece)
        except ClientDisconnect:
            raise HTTPException(400, "the body was cut short; send it again.") from None


def _unpack(path: Path, most: int) -> Sent:
    """What gzip holds, all parts of it, if it is gzip; never more than `most` bytes are made."""
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if not is_packed:
            return _copy(file, None, path, most)
        unpacked = path.with_name("unpacked")
        with unpacked.open("wb") as target:
            return _copy(gzip.GzipFile(fileobj=file), target, unpacked, most)


def _copy(source: BinaryIO | gzip.GzipFile, target: BinaryIO | None, path: Path, most: int) -> Sent:
    hashed, size = hashlib.sha256(), 0
    try:
        while piece := source.read(_PIECE):
            hashed.update(piece)
            size += len(piece)
            if size > most:
                raise TooLargeError(
                    f"recording: is larger than {most:,} bytes when unpacked; see traceonce serve --max-upload."
                )
            if target is not None:
                target.write(piece)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RecordingError(f"recording: is damaged gzip ({error}); compress it again.") from None
    return Sent(path, size, hashed.hexdigest())
