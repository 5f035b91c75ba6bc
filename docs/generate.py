"""Write the pages that are made from the knowledge base: records, rules, what people say. ``--check``: only compare.

python docs/generate.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from traceonce.knowledge.claims import load_claims, load_programs
from traceonce.knowledge.claims.page import render_claims
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.record import Record
from traceonce.knowledge.rendering import Language, render_markdown
from traceonce.knowledge.validation.rules import describe_rules

DOCS = Path(__file__).parent
GUIDE = DOCS / "knowledge.md"
RULES = re.compile(r"(?<=<!-- rules: made by docs/generate.py -->\n).*?(?=<!-- end of rules -->)", re.S)
FOLDERS: dict[Language, str] = {"en": "records", "zh": "records/zh"}
TITLES = {"en": "Records of tracing failures", "zh": "追踪失败记录"}
NOTES = {
    "en": "Every claim on these pages was run. Made by `python docs/generate.py`; the records themselves are in "
    "`src/traceonce/knowledge/records`. [中文](zh/README.md)",
    "zh": "这些页面上的每一条说法都实际运行过。由 `python docs/generate.py` 生成；记录本身位于 "
    "`src/traceonce/knowledge/records`。[English](../README.md)",
}


def pages() -> dict[Path, str]:
    """Every page and what it should say."""
    records = list(Collection())
    claims, programs = load_claims(), load_programs()
    made = {
        GUIDE: _with_rules(GUIDE.read_text(encoding="utf-8")),
        DOCS / "what-people-say.md": render_claims(claims, programs, "en"),
        DOCS / "what-people-say.zh.md": render_claims(claims, programs, "zh"),
    }
    for language, folder in FOLDERS.items():
        made[DOCS / folder / "README.md"] = _index(records, language)
        for record in records:
            made[DOCS / folder / f"{_slug(record)}.md"] = render_markdown(record, language).rstrip("\n") + "\n"
    return made


def _index(records: list[Record], language: Language) -> str:
    lines = [f"# {TITLES[language]}", "", NOTES[language]]
    for category in dict.fromkeys(record.category for record in records):
        lines += ["", f"## {category.replace('_', ' ')}", ""]
        for record in records:
            if record.category == category:
                signature = record.signature if language == "en" else record.signature_zh
                lines.append(f"- [{_slug(record)}]({_slug(record)}.md): {_first(signature)}")
    return "\n".join(lines) + "\n"


def _with_rules(guide: str) -> str:
    """The guide, with the rules of validation as they are."""
    rules = "".join(f"- `{name}`: {text}\n" for name, text in describe_rules())
    return RULES.sub(lambda _: f"\n{rules}\n", guide)


def _slug(record: Record) -> str:
    return record.id.rpartition("/")[2]


def _first(text: str, length: int = 120) -> str:
    shown = text if len(text) <= length else text[:length] + " …"
    return "`" + shown.replace("`", "'") + "`"


def main() -> None:
    made = pages()
    there = {path for folder in FOLDERS.values() for path in (DOCS / folder).glob("*.md")}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    left = sorted(there - made.keys())
    if "--check" in sys.argv:
        for path in (*stale, *left):
            print(f"{path.relative_to(DOCS)}: is not what the knowledge base gives; run: python docs/generate.py")
        raise SystemExit(1 if stale or left else 0)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    for path in left:
        path.unlink()
    print(f"{len(stale)} of {len(made)} pages written, {len(left)} removed")


if __name__ == "__main__":
    main()
