"""For the API page: examples in docstrings (`>>> …`) become blocks of code. Markdown would take them for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^(?:(?:>>>|\.\.\.).*(?:\n|\Z))+(?:(?!>>>)\S.*(?:\n|\Z))*", re.MULTILINE)


class DoctestFences(griffe.Extension):
    """Fences what stands after a prompt, and what it prints."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
