"""Links out of docs/, to source, tests and results: the site has no such pages, so that their paths are shown instead.

With `repo_url` in mkdocs.yml they become links again.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(#[\w-]+)?\)")
log = logging.getLogger("mkdocs.hooks")  # a warning there fails a strict build


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """The page, without links that lead out of docs/."""
    docs = Path(config.docs_dir)

    def outside(link: re.Match[str]) -> str:
        text, target, _ = link.groups()
        there = (docs / page.file.src_uri).parent.joinpath(target).resolve()
        if there.is_relative_to(docs):
            return link[0]  # another page
        if not there.exists():
            log.warning("%s links to %s, which does not exist", page.file.src_uri, target)
        path = there.relative_to(ROOT)
        if config.repo_url:
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{path.as_posix()})"
        shown = PurePosixPath(text.strip("`"))
        return f"`{path}`" if str(path).endswith(str(shown)) else f"{text} (`{path}`)"

    return LINK.sub(outside, markdown)
