"""The body of an upload: taken as it comes, not from too many at once, and unpacked without ever growing too large."""

from __future__ import annotations

import contextlib
import gzip
import io
import zlib
from collections.abc import AsyncIterator

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from traceonce.errors import RecordingError
from traceonce.serve.refusals import TooLargeError

AT_ONCE = 8  # uploads whose bytes are in memory
PATIENCE = 30.0  # seconds for the next piece of one
WHOLE = 600.0  # seconds for all of it: whoever sends it in drops does not keep the others out
GZIP = b"\x1f\x8b"


class Receiving:
    """Takes bodies. The layer above counts their bytes, whatever the headers say."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._room = anyio.CapacityLimiter(AT_ONCE)
        self._patience = patience

    @contextlib.asynccontextmanager
    async def body_of(self, request: Request) -> AsyncIterator[bytes]:
        """The bytes that were sent, whatever curl calls them, as long as they are needed.

        What they would have to be taken out of first is refused.
        """
        if request.headers.get("content-type", "").strip().lower().startswith("multipart/"):
            raise HTTPException(415, "send the file itself as the body, not a form: curl --data-binary @run.jsonl …")
        if request.headers.get("content-encoding", "identity").strip().lower() not in ("gzip", "identity"):
            raise HTTPException(415, "of content encodings only gzip is understood; or send the file as it is.")
        async with self._room:
            yield await self._take(request)

    async def _take(self, request: Request) -> bytes:
        pieces = []
        stream = request.stream()
        try:
            with anyio.fail_after(WHOLE):
                while True:
                    with anyio.fail_after(self._patience):
                        pieces.append(await anext(stream))
        except StopAsyncIteration:
            return b"".join(pieces)
        except TimeoutError:
            raise HTTPException(408, "the rest of the body did not come; send it again.") from None
        except ClientDisconnect:
            raise HTTPException(400, "the body was cut short; send it again.") from None


def unpack(data: bytes, most: int) -> bytes:
    """What gzip holds, all parts of it, if it is gzip; never more than `most` bytes are made."""
    if not data.startswith(GZIP):
        return data
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(f"recording: is damaged gzip ({error}); compress it again.") from None
    if len(unpacked) > most:
        raise TooLargeError(
            f"recording: is larger than {most:,} bytes when it is unpacked; see traceonce serve --max-upload."
        )
    return unpacked
