"""Screenshots for README and docs: made by TRACEONCE_SCREENSHOTS=1, since a plain run of the tests changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LARGEST = 250_000  # bytes: they are fetched by everybody who reads the README

only_for_pictures = pytest.mark.skipif(
    os.environ.get("TRACEONCE_SCREENSHOTS") != "1", reason="pictures are made with TRACEONCE_SCREENSHOTS=1"
)


def take_picture(page: Page, name: str, height: int | None = None) -> None:
    """Write `docs/images/NAME.png` of the window, or of its upper `height` pixels."""
    size = page.viewport_size
    assert size is not None
    page.evaluate("document.fonts.ready")
    picture = page.screenshot(
        clip={"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]},
        animations="disabled",
        caret="hide",
    )
    assert len(picture) <= LARGEST, f"{name}.png has {len(picture)} bytes; show less of the page"
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.png").write_bytes(picture)
