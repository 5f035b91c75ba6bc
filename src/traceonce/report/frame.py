"""The HTML report inside another page, such as a notebook: in a frame of its own."""

from __future__ import annotations

import html

HEIGHT = 720  # pixels: the finding, its fix and the timeline without scrolling
# The page gets an origin of its own: its scripts run, and reach nothing of the page around it.
_FRAME = (
    '<iframe title="traceonce report" sandbox="allow-scripts allow-popups allow-modals" allow="clipboard-write" '
    'style="width: 100%; height: {height}px; border: 1px solid #8884; border-radius: 8px" '
    'srcdoc="{page}"></iframe>'
)


def in_frame(page: str) -> str:
    return _FRAME.format(height=HEIGHT, page=html.escape(page))
