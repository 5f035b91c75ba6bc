"""What a page folds away (`<details>`) is Markdown, too: other readers know that, Python-Markdown is told."""

from __future__ import annotations

import re
from typing import Any

FOLDED = re.compile(r"^<details>", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    return FOLDED.sub('<details markdown="1">', markdown)
