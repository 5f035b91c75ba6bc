"""Put text where Markdown or HTML would read it as something else. The text is kept; only its power is taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from traceonce.facts.printable import visible
from traceonce.knowledge.render.view import link_of

_PUNCTUATION = re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CODE = re.compile(r"(?<!`)`([^`]*[^`\s][^`]*)`(?!`)")
# In running text: what opens emphasis, code, a tag, an entity, a link or a definition.
_SPECIAL = re.compile(
    rf"""
    \\(?=[{_PUNCTUATION}]|$) | [`*~] | (?<![^\W_])_ | _(?![^\W_])
    | <(?=[A-Za-z/!?]) | &(?=\#?\w+;) | (?<=\])[(:\[]
    """,
    re.VERBOSE,
)
# At the start of a line: what opens a heading, a list, a quotation, a table or a rule.
_BLOCK = re.compile(r"(\d{1,9})?(?=[-+#>|=.)])(.)")


def clean(text: str) -> str:
    """Without characters that would move the cursor, change colours, or show the text in another order."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"), keep="\n\t")


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def split_code(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces: those between single backticks are code."""
    end = 0
    for found in _CODE.finditer(text):
        yield text[end : found.start()], False
        yield found.group(1), True
        end = found.end()
    yield text[end:], False


def markdown_inline(text: str) -> str:
    """Running text: one line, in which only `code` between single backticks is marked up."""
    pieces = (f"`{piece}`" if is_code else _escape(piece) for piece, is_code in split_code(one_line(text)))
    return "".join(pieces)


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: "&amp;" if found.group() == "&" else "\\" + found.group(), text)


def markdown_heading(text: str) -> str:
    return re.sub(r"#$", r"\\#", markdown_inline(text))


def markdown_paragraphs(text: str) -> str:
    """Running text with its paragraphs."""
    parts = [markdown_inline(part) for part in re.split(r"\n\s*\n", clean(text)) if part.strip()]
    return "\n\n".join(_BLOCK.sub(r"\1\\\2", part, count=1) if _BLOCK.match(part) else part for part in parts)


def markdown_cell(text: str) -> str:
    """A cell of a table."""
    return markdown_inline(text).replace("|", "\\|")


def markdown_code(text: str) -> str:
    """A name or a value as code, in one line."""
    text = one_line(text)
    marks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{marks}{space}{text}{space}{marks}" if text else "—"


def markdown_fence(code: str, indent: int = 0, language: str = "") -> str:
    """A block of code: the fence is longer than any inside."""
    code = clean(code).strip("\n")
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", code)), 3)
    lines = [fence + language, *code.split("\n"), fence]
    return "\n".join(" " * indent + line if line else line for line in lines)


def markdown_link(text: str) -> str:
    return f"<{text}>" if link_of(text) else markdown_code(text)


def html_inline(text: str) -> Markup:
    """Running text for a page; `code` between single backticks is marked up."""
    code = Markup("<code>{}</code>")
    return Markup().join(code.format(piece) if is_code else escape(piece) for piece, is_code in split_code(text))
