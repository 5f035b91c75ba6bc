"""What can be seen and touched of a page, found out by walking over all of it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Frame, Page

# What is scrolled sideways by itself, can be reached by keys, and says so by its look: tables, the grid, code to copy.
_SCROLLED = ".event-table, .grid-box, .how .source, .scroller, pre, .nav"
# What is not there to be seen, or not now.
_UNSEEN = ".vh, .cut-text, .visually-hidden, .skip, noscript, script, style, option, textarea, .toast, .tip, dialog"

_CLIPPED = """
([scrolled, unseen]) => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const host = text.parentElement;
    if (!text.data.trim() || host.closest(unseen) || host.closest('.cut') || !host.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const {left, right, top, bottom, width} = range.getBoundingClientRect();
    if (!width) continue;
    let scrolledDown = false;
    for (let around = host; around !== document.documentElement; around = around.parentElement) {
      const style = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      if (style.position === 'absolute' && box.width <= 1) break; // for those who hear the page
      const from = box.left + around.clientLeft;
      scrolledDown ||= style.overflowY === 'auto' || style.overflowY === 'scroll' || around.matches('.lane-scroller');
      const across = style.overflowX !== 'visible' && style.display !== 'inline' && !around.matches(scrolled);
      const outside = across && (left < from - 1 || right > from + around.clientWidth + 1);
      const below = style.overflowY === 'hidden' && (top < box.top - 1 || bottom > box.bottom + 1);
      if (outside || (below && !scrolledDown)) {
        found.push(`${text.data.trim().slice(0, 60)} in ${around.tagName}.${around.className}`);
        break;
      }
      if (around.matches(scrolled)) break;
    }
  }
  // An ellipsis that is meant: both ends are seen, and the whole of it is at hand.
  for (const cut of document.querySelectorAll('.cut')) {
    if (!cut.checkVisibility() || cut.closest(unseen) || cut.getBoundingClientRect().width <= 1) continue;
    const [head, tail] = ['.cut-head', '.cut-tail'].map((name) => cut.querySelector(name));
    if (!cut.title) found.push(`no title: ${cut.textContent}`);
    if (!head && cut.scrollWidth > cut.clientWidth + 1) found.push(`cut without its end: ${cut.textContent}`);
    const ends = head && tail.getBoundingClientRect().right;
    if (head && ends > cut.getBoundingClientRect().right + 1) found.push(`the end is cut off: ${cut.textContent}`);
    const begins = head && head.clientWidth >= Math.min(20, head.scrollWidth);
    if (head && !begins) found.push(`the beginning is cut off: ${cut.textContent}`);
    const isCut = (piece) => piece.scrollWidth > piece.clientWidth + 1;
    if (head && isCut(tail) && !isCut(head)) found.push(`cut without dots: ${cut.textContent}`);
  }
  for (const field of document.querySelectorAll('input[placeholder]')) {
    const pen = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(field);
    pen.font = style.font;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (field.checkVisibility() && pen.measureText(field.placeholder).width > room)
      found.push(`the placeholder ${field.placeholder}`);
  }
  return found;
}
"""

# Links inside a text are as high as its lines (WCAG 2.5.5 excepts them); what another control does as well, too.
_SMALL = """
(least) => {
  const found = [];
  const wanted = 'button, a[href], select, summary, input:not([type=hidden]), [role=slider], [role=button]';
  for (const target of document.querySelectorAll(wanted)) {
    const inText = target.tagName === 'A' && getComputedStyle(target).display === 'inline';
    const seen = !target.closest('.vh, .visually-hidden, .skip') && target.checkVisibility({visibilityProperty: true});
    if (inText || !seen) continue;
    const area = target.closest('label, .search') ?? target;
    const {width, height} = area.getBoundingClientRect();
    if (width < least - 0.5 || height < least - 0.5)
      found.push(`${target.tagName} ${Math.round(width)}x${Math.round(height)}: ${target.outerHTML.slice(0, 120)}`);
  }
  return found;
}
"""


def clipped_texts(page: Page | Frame) -> list[str]:
    """Texts of which not all can be seen, but for names that are cut in their middle on purpose."""
    found: list[Any] = page.evaluate(_CLIPPED, [_SCROLLED, _UNSEEN])
    return [str(text) for text in found]


def small_targets(page: Page | Frame, least: int = 44) -> list[str]:
    """What a finger would miss."""
    found: list[Any] = page.evaluate(_SMALL, least)
    return [str(text) for text in found]
