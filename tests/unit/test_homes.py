"""No module names a framework, but for its home, the registry, and the few that are listed here with their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import traceonce
from traceonce.frameworks.base.registry import BUILT_IN, Known, framework_of

SOURCE = Path(traceonce.__file__).parent
ROOT = Path(__file__).parents[2]
HOMES = tuple(f"frameworks/{known.name}/" for known in BUILT_IN)
EXCEPTIONS = {
    "frameworks/base/registry.py": "the registry",
    "__init__.py": "says what the product is for",
    "dropin/": "`traceonce.function` stands for one framework's own function, with its parameters",
    "commands/run.py": "`--xla` is a contract",
    "integrations/__init__.py": "lists what there is",
    "integrations/keras_callback.py": "takes the Keras that one framework brings, before that which is installed",
    "integrations/fit_in_progress.py": "part of the callback",
    "keras.py": "what users of Keras import",
    "serve/web/labels.py": "names of categories of records",
    "knowledge/experiments/": "programs that make failures happen, a folder for each domain",
    "knowledge/records/": "data, a folder for each domain",
    "knowledge/claims.json": "data: what people say",
    "knowledge/claims/__init__.py": "all of these claims are about one framework, which it names once",
    "knowledge/benign.txt": "data: lines of real logs",
}
PARTS = {"autograph", "dynamo", "inductor", "xla"}


def names_of_frameworks() -> re.Pattern[str]:
    """How they are called in any spelling: modules and titles, the usual names of their packages, what is on top of
    them, and the parts of them that people know by name."""
    words: set[str] = set()
    aliases: set[str] = set()
    for known in BUILT_IN:
        framework = framework_of(known.name)
        words |= {framework.name, framework.title, framework.module, *framework.companions}
        aliases |= set(framework.source.packages)
    anywhere = "|".join(sorted(words | PARTS))  # "TensorFlowWatcher" names one, too
    alone = "|".join(sorted(aliases - words))
    return re.compile(rf"(?i:{anywhere})|\b(?:{alone})\.\w")


NAMES = names_of_frameworks()


def where_frameworks_are_named(source: Path) -> Iterator[tuple[str, int, str]]:
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            text = path.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.split("\n"), 1):
                if NAMES.search(line):
                    yield path.relative_to(source).as_posix(), number, line.strip()


FOUND = list(where_frameworks_are_named(SOURCE))


@pytest.mark.parametrize("known", BUILT_IN, ids=lambda known: known.name)
def test_every_home_is_in_the_layers_and_has_an_extra(known: Known) -> None:
    """A home that .importlinter does not list could be imported by any room, and nothing else would say so."""
    home = rf"frameworks\.{known.name}"
    layers, by_name = (ROOT / ".importlinter").read_text().split("[importlinter:contract:by-name]")
    assert re.search(rf"[ |]{home}\b", layers), ".importlinter: the layers"
    assert re.search(rf"^ +traceonce\.{home}$", by_name, re.MULTILINE), (
        ".importlinter: nobody imports the home of a framework"
    )
    extras = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2]
    assert re.search(rf"^{known.name} = \[", extras.partition("\n[")[0], re.MULTILINE), "pyproject.toml: its extra"


def test_outside_of_its_home_no_module_names_a_framework() -> None:
    allowed = (*HOMES, *EXCEPTIONS)
    assert [hit for hit in FOUND if not hit[0].startswith(allowed)] == []


@pytest.mark.parametrize("place", [*HOMES, *EXCEPTIONS])
def test_every_exception_is_needed(place: str) -> None:
    assert any(file.startswith(place) for file, _, _ in FOUND)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("import torch", True),
        ("# as TensorFlow does", True),
        ('x = "jax.jit"', True),
        ("class JaxWatcher:", True),
        ("tf.function", True),
        ("jnp.where(x)", True),
        ("PYTORCH_VERSION", True),
        ("model.package == 'keras'", True),
        ("# AutoGraph writes it", True),
        ("counts_xla = True", True),
        ("wrapper(function)", False),
        ("the shelf.path, gtf.x", False),
    ],
)
def test_a_name_would_be_found(line: str, named: bool, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "module.py").write_text(f"first\n{line}\n")
    assert list(where_frameworks_are_named(tmp_path)) == ([("room/module.py", 2, line)] if named else [])
