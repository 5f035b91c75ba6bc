"""Pages from templates: every page gets the reader's language and theme, and whatever is shown is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from urllib.parse import urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from traceonce.serve.web.formats import FILTERS, TESTS, harmless
from traceonce.serve.web.speech import Speech
from traceonce.serve.web.visitor import Visitor
from traceonce.version import __version__


def render(
    request: Request, template: str, values: Mapping[str, object], status: int = 200, *, signed_out: bool = False
) -> HTMLResponse:
    """A page in the reader's language. `signed_out` leaves out what somebody may only see after the door."""
    visitor = Visitor.of(request)
    speech = Speech(visitor.language)

    def with_query(**changes: object) -> str:
        """A link to this page with another query; it names no path, so that none can lead elsewhere."""
        query = {**dict(request.query_params), **changes}
        return "?" + urlencode({name: value for name, value in query.items() if value is not None})

    page = (
        _templates()
        .get_template(f"{template}.html.j2")
        .render(
            {
                "language": visitor.language,
                "theme": visitor.theme,
                "say": speech.say,
                "live_words": speech.live,
                "name_of_category": speech.category,
                "name_of_cause": speech.cause,
                "name_of_tier": speech.tier,
                "name_of_verdict": speech.verdict,
                "with_query": with_query,
                "with_choice": lambda name, value: with_query(**{name: value}),
                "version": __version__,
                "guarded": request.app.state.gate.needs_token,
                "signed_out": signed_out,
                **values,
            }
        )
    )
    response = HTMLResponse(page, status)
    visitor.remember(response)
    return response


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("traceonce.serve.web", "pages"),
        autoescape=True,
        finalize=harmless,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    environment.tests |= TESTS
    return environment
