"""What was entered into a form."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

FIELDS = 10  # more than any form of ours has


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    try:
        return dict(parse_qsl((await request.body()).decode(errors="replace"), max_num_fields=FIELDS))
    except ValueError:
        raise HTTPException(400, f"the form has more than {FIELDS} fields; encode & in its texts as %26.") from None
