"""A small base in which nothing is wrong: two records that lead to each other, their experiments, their evidence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from traceonce.knowledge.evidence import derive
from traceonce.knowledge.record import Record
from traceonce.knowledge.validation import Problem, check_files

CHANGED = "tensorflow/dictionary-changed"
TAKEN = "tensorflow/item-taken-twice"

EXPERIMENT = '''\
"""Changing a dictionary while it is read."""

from traceonce.knowledge.experiment import Raises

symptom = Raises(type="RuntimeError", text="dictionary changed size")


def failure():
    for key in {"a": 1}:
        pass


def right():
    return {}


def workaround_copy():
    for name in list(layers):
        del layers[name]
    return layers


def workaround_comprehension():
    layers = {name: layer for name, layer in layers.items() if layer}
    return layers


def dead_end_keys():
    for name in layers.keys():
        del layers[name]
    return layers


def message_in_a_method():
    pass
'''


def evidence(trial: str, version: str, held: int) -> dict[str, Any]:
    return {
        "experiment": trial,
        "framework": "tensorflow",
        "version": version,
        "python": "3.11.7",
        "date": "2026-03-02",
        "runs": 4,
        "held": held,
        "outcome": "RuntimeError raised",
        "cases": {},
    }


def both(trial: str) -> list[dict[str, Any]]:
    return [evidence(trial, "2.16.2", held=4), evidence(trial, "2.21.0", held=3)]


def good_record(id: str = CHANGED, other: str = TAKEN) -> dict[str, Any]:
    """A record as JSON gives it, with all that follows from its evidence."""
    slug = id.partition("/")[2].replace("-", "_")
    record = {
        "id": id,
        "signature": "RuntimeError: dictionary changed size during iteration",
        "signature_zh": "运行时错误：迭代期间字典大小发生了变化",
        "regex": "dictionary changed size during iteration",
        "regex_zh": "迭代期间字典大小",
        "context": r"tensorflow",
        "raised_by": "python",
        "domain": "tensorflow",
        "category": "graph_error",
        "root_cause": "The loop reads the dictionary that its body changes.",
        "root_cause_zh": "循环体修改了循环正在读取的字典。",
        "dead_ends": [
            {
                "action": "Go through the keys alone.",
                "why_fails": "The keys are a view of the same dictionary.",
                "why_fails_zh": "键只是同一个字典的视图。",
                "how": "for name in layers.keys():\n    del layers[name]\nlayers",
                "experiment": "dead_end_keys",
                "evidence": both(f"{slug}.dead_end_keys"),
            }
        ],
        "dead_ends_zh": ["只遍历键。"],
        "workarounds": [
            {
                "action": "Go through a copy of the keys.",
                "how": "for name in list(layers):\n    del layers[name]\nlayers",
                "condition": "The dictionary is small.",
                "condition_zh": "字典不大时。",
                "experiment": "workaround_copy",
                "evidence": both(f"{slug}.workaround_copy"),
            },
            {
                "action": "Make a new dictionary.",
                "how": "layers = {name: layer for name, layer in layers.items() if layer}\nlayers",
                "experiment": "workaround_comprehension",
                "evidence": both(f"{slug}.workaround_comprehension"),
            },
        ],
        "workarounds_zh": ["遍历键的副本。", "新建一个字典。"],
        "transition_graph": {"leads_to": [other], "preceded_by": [{"id": other}], "frequently_confused_with": [other]},
        "official_doc_url": "https://www.tensorflow.org/guide/function",
        "first_seen": "2026-01-05",
        "last_updated": "2026-03-02",
        "tags": ["dict"],
        "examples": [
            "RuntimeError: dictionary changed size during iteration",
            "  File 'site-packages/tensorflow/x.py'\nRuntimeError: dictionary changed size\nduring iteration",
        ],
        "experiment": f"tensorflow/{slug}.py",
        "evidence": both(f"{slug}.failure"),
        "somebody_elses_field": {"kept": [1, 2]},
    }
    return derive(Record.read(record)).plain()


def make_base(folder: Path) -> Path:
    """Write the base; returns the file of the first record."""
    for name, other in ((CHANGED, TAKEN), (TAKEN, CHANGED)):
        path = folder / "records" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(good_record(name, other), ensure_ascii=False), encoding="utf-8")
        module = folder / "experiments" / f"{name.replace('-', '_')}.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(EXPERIMENT, encoding="utf-8")
    return folder / "records" / f"{CHANGED}.json"


def problems_after(
    folder: Path, change: Callable[[dict[str, Any]], object], *, provenance: bool = False
) -> list[Problem]:
    """What is found in the base's first record once it was changed."""
    file = make_base(folder)
    record = good_record()
    change(record)
    file.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    return check_files([file], provenance=provenance)[0].problems


def fields(problems: list[Problem], *levels: str) -> list[str]:
    return [problem.field for problem in problems if problem.level in (levels or ("error", "warning"))]
