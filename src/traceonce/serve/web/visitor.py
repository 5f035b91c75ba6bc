"""Who looks at a page: the language and the theme that they want, from the address, a cookie, or their browser."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

from starlette.requests import Request
from starlette.responses import Response

from traceonce.words.translated import LANGUAGES, Language

Theme: TypeAlias = Literal["system", "light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)

_LANGUAGE_COOKIE = "traceonce_language"
_THEME_COOKIE = "traceonce_theme"  # static/site.js writes it, too
_YEAR = 365 * 24 * 3600


class Visitor(NamedTuple):
    """What a reader wants; `chosen` are the choices that came with the address, to be kept."""

    language: Language
    theme: Theme
    chosen: dict[str, str]

    @classmethod
    def of(cls, request: Request) -> Visitor:
        """Read a request. The theme is told by the server, so that no page flashes in the wrong one."""
        language, theme = request.query_params.get("lang"), request.query_params.get("theme")
        chosen: dict[str, str] = {}
        if language in LANGUAGES:
            chosen[_LANGUAGE_COOKIE] = language
        if theme in THEMES:
            chosen[_THEME_COOKIE] = theme
        wanted = {**request.cookies, **chosen}
        return cls(
            _language(wanted.get(_LANGUAGE_COOKIE, ""), request.headers.get("accept-language", "")),
            next((known for known in THEMES if known == wanted.get(_THEME_COOKIE)), "system"),
            chosen,
        )

    def remember(self, response: Response) -> None:
        """Keep what was chosen. Scripts may read it: it is no secret."""
        for name, value in self.chosen.items():
            response.set_cookie(name, value, max_age=_YEAR, samesite="lax", path="/")


def _language(chosen: str, accepted: str) -> Language:
    """What was chosen; else what the browser asks for first."""
    if chosen in LANGUAGES:
        return "zh" if chosen == "zh" else "en"
    return "zh" if accepted.strip().lower().startswith("zh") else "en"
