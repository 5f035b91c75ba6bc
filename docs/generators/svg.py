"""Small pictures as SVG: text, boxes, arrows, bars. They have a ground of their own, so that any theme shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

INK, FAINT, GROUND, LINE = "#1d2430", "#5b6678", "#ffffff", "#c9d1de"
BLUE, GREEN, RED, GREY = "#3f51b5", "#2e7d52", "#b3403a", "#8a94a6"
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif"


@dataclass
class Drawing:
    """What is drawn, piece by piece; `title` is what a screen reader says."""

    width: int
    height: int
    title: str
    pieces: list[str] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: int = 13,
        ink: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        weight = ' font-weight="600"' if bold else ""
        self.pieces.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="{anchor}"{weight}>'
            f"{escape(words, quote=False)}</text>"
        )

    def box(self, x: float, y: float, width: float, height: float, lines: Sequence[str], ink: str) -> None:
        """A frame with lines in it; the first one is the heading."""
        self.pieces.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" fill="{ink}" fill-opacity="0.08" '
            f'stroke="{ink}" stroke-width="1.5"/>'
        )
        top = y + height / 2 - (len(lines) - 1) * 8.5 + 4.5
        for number, line in enumerate(lines):
            self.text(
                x + width / 2,
                top + number * 17,
                line,
                size=13 if number == 0 else 12,
                ink=ink if number == 0 else FAINT,
                anchor="middle",
                bold=number == 0,
            )

    def arrow(self, points: Sequence[tuple[float, float]], words: str = "", ink: str = GREY) -> None:
        """A line through these points, with a head at the last one; the words stand above its first part."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.pieces.append(
            f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="1.5" marker-end="url(#head)"/>'
        )
        if words:
            (x, y), (to_x, to_y) = points[0], points[1]
            self.text((x + to_x) / 2, (y + to_y) / 2 - 7, words, size=12, ink=FAINT, anchor="middle")

    def line(self, x: float, y: float, to_x: float, to_y: float, ink: str = LINE, width: float = 1) -> None:
        self.pieces.append(
            f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{ink}" stroke-width="{width:g}"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, ink: str) -> None:
        self.pieces.append(
            f'<rect x="{x:g}" y="{y:g}" width="{max(width, 1):g}" height="{height:g}" rx="2" fill="{ink}"/>'
        )

    def dot(self, x: float, y: float, ink: str) -> None:
        self.pieces.append(f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{ink}"/>')

    def render(self) -> str:
        title = escape(self.title)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
                f'aria-label="{title}" font-family="{FONT}">',
                f"<title>{title}</title>",
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
                f'orient="auto"><path d="M0 0 8 4 0 8z" fill="{GREY}"/></marker></defs>',
                f'<rect width="{self.width}" height="{self.height}" rx="10" fill="{GROUND}"/>',
                *self.pieces,
                "</svg>",
                "",
            ]
        )
