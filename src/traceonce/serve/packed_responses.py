"""Sending what is packed already: as it is to whoever can unpack it, and piece by piece to all others.

Neither ever lies in memory unpacked as a whole, and whoever reads slowly gets the next piece when it can take it.

Why not Starlette's GZipMiddleware, which packs our other responses: it leaves what is packed as it is (1.10), also for
whoever cannot unpack it.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Mapping

from starlette.requests import Request
from starlette.responses import StreamingResponse

_PIECE = 64 << 10  # bytes
_GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's word for: it is gzip


def packed_response(
    request: Request, packed: bytes, media_type: str, headers: Mapping[str, str] | None = None
) -> StreamingResponse:
    """A response from what gzip has packed in one part."""
    about = {**(headers or {}), "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        about["Content-Length"] = str(int.from_bytes(packed[-4:], "little"))  # by which gzip ends
        return StreamingResponse(_unpacked(packed), media_type=media_type, headers=about)
    about |= {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
    return StreamingResponse(_as_it_is(packed), media_type=media_type, headers=about)


async def _as_it_is(packed: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(packed), _PIECE):
        yield packed[start : start + _PIECE]


async def _unpacked(packed: bytes) -> AsyncIterator[bytes]:
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    for start in range(0, len(packed), _PIECE):
        left = packed[start : start + _PIECE]
        while left:
            yield unpacking.decompress(left, _PIECE)
            left = unpacking.unconsumed_tail
    while piece := unpacking.decompress(unpacking.unconsumed_tail, _PIECE):
        yield piece
    yield unpacking.flush()
