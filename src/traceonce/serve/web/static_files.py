"""Files that the pages load: scripts, styles, and what they share with the report: its palette and its fonts."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import traceonce.report.page

OURS = Path(__file__).parent / "static"
REPORT = Path(traceonce.report.page.__file__).parent
_DARK = re.compile(r":root\[data-theme=\"?dark\"?\]\s*\{(.*?)\}", re.DOTALL)
_FRESH = {"Cache-Control": "no-cache"}  # browsers ask whether a file has changed, which costs little


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_FRESH)
        return response


def add_files(app: FastAPI) -> None:
    """Serve all of them under /static/."""

    @app.get("/static/palette.css", include_in_schema=False)
    def colours() -> Response:
        return Response(palette(), media_type="text/css", headers=_FRESH)

    app.mount("/static/fonts", _Files(directory=REPORT / "fonts"), name="fonts")
    app.mount("/static", _Files(directory=OURS), name="static")


@cache
def palette() -> str:
    """The palette of the report. A report is told its theme by a script; a page follows the system without one."""
    tokens = (REPORT / "styles" / "tokens.css").read_text()
    dark = "".join(_DARK.findall(tokens))
    return f"{tokens}\n@media (prefers-color-scheme: dark) {{\n:root:not([data-theme]) {{{dark}}}\n}}\n"
