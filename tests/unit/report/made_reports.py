"""Material for reports: recordings of real programs, and one that is made to do harm wherever its texts are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tests.unit.handmade import Events, cause, python, record, tensor
from traceonce.analysis.material import find_out
from traceonce.facts import (
    Breach,
    CallSite,
    CauseCode,
    Edit,
    Finding,
    Fix,
    FunctionId,
    Limit,
    Measurement,
    Notice,
    Proof,
    Recording,
    Repair,
)
from traceonce.frameworks.tensorflow.words import BECOMES_TENSOR
from traceonce.report.base import Material
from traceonce.words.notes.proofs import BEYOND_RAISES
from traceonce.words.translated import Language

FOLDER = Path(__file__).parents[2] / "recorded"
PROGRAMS = sorted(file.stem for file in FOLDER.glob("*.jsonl"))
HARM = (
    "<script>alert(1)</script>",
    "`code` ``` ~~~",
    "a | b \\| c",
    "[a link](https://evil.example) ![](https://evil.example/x.png)",
    "@octocat and #1 and GH-2, www.evil.example, mail@evil.example",
    "**bold** __init__ # heading\n## another\n\n- item\n---\n",
    '" onload="alert(1)',
    '=HYPERLINK("https://evil.example")',
    "</summary></details></iframe><img src=x onerror=alert(1)>",
    "{0} {{x}} %SRCROOT% 100%",
    "right-to-left \u202e and zero\u200bwidth and bell\x07",
    "汉字 😀 ünï",
)


def recorded(name: str) -> Recording:
    return Recording.load(FOLDER / f"{name}.jsonl")


def material_of(recording: Recording, form: str, language: Language = "en") -> Material:
    return find_out(recording, form, language)


def harmful() -> Recording:
    """A function for each of the texts, which is its name, a value, a path, a file, an error, a note and a fix."""
    events, findings, breaches, repairs = [], [], [], []
    for number, text in enumerate(HARM):
        function = FunctionId(text, f"src/{text}.py", 10 + number)
        event = Events(
            function, start=1000.0 + 20 * number, seconds=0.1, thread=text, call_site=CallSite(text, 3, text)
        )
        events += [event(tensor("x", 1), python(text, f"{text}{n}"), call=n + 1) for n in range(8)]
        events.append(event(tensor("x", 1), phase="failed", error=f"ValueError: {text}"))
        findings.append(Finding("tensorflow", function, cause(CauseCode.STALE, text, was=text, now=text, note=text)))
        breaches.append(Breach("tensorflow", function, Limit(3), 3, 4, (cause(path=text, now=text),), process="1"))
        coded = msgspec.structs.replace(
            fix_of(text, text), coded_notes=(BECOMES_TENSOR(names=[text]), BEYOND_RAISES(errors=[text]))
        )
        repairs.append(Repair("tensorflow", function, (fix_of(text, text), coded), (text,)))
    events = [msgspec.structs.replace(event, id=number) for number, event in enumerate(events, 1)]
    return record(
        *events,
        calls=9,
        findings=tuple(findings),
        breaches=tuple(breaches),
        repairs=tuple(repairs),
        notices=tuple(Notice(text) for text in HARM),
        command=tuple(HARM),
        environment={text: text for text in HARM},
        error=f"ValueError: {HARM[0]}",
        cwd="/home/user/a project",
        started=1000.0,
    )


def fix_of(snippet: str, file: str = "train.py", *, edits: tuple[Edit, ...] | None = None, **proof: Any) -> Fix:
    """A fix that was proved."""
    measured: dict[str, Any] = {"outputs_equal": True, "verdict": "proved", "compared": 8, **proof}
    return Fix(
        "input_signature",
        "review",
        predicted_traces=1,
        snippet=snippet,
        proof=Proof(Measurement(8, 8, 2.0), Measurement(1, 8, 0.5), **measured),
        causes=(CauseCode.VALUE,),
        edits=edits if edits is not None else (Edit(file, 10, 10, f"{snippet}\n"),),
        note=snippet,
        diff=f"--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-@tf.function\n+{snippet}\n",
    )
