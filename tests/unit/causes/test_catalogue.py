"""The catalogue of causes: all of them, in both languages, and true for each framework."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import traceonce
from tests.unit.handmade import STEP, cause
from traceonce.causes import CATALOGUE, families
from traceonce.causes.cause_text import say_reason, say_remedy, say_what
from traceonce.causes.definition import Happened, WrongValue, WrongValueWords
from traceonce.diagnosis.arguments import CODES
from traceonce.facts import Cause, CauseCode, FunctionId, Reason
from traceonce.facts.cause import SILENT
from traceonce.frameworks.base.registry import BUILT_IN, dialect_of, framework_of
from traceonce.knowledge.collection import Collection
from traceonce.report.page import FOLDER
from traceonce.words.translated import Language, Text
from traceonce.words.verdicts import REASONS

LANGUAGES: tuple[Language, ...] = ("en", "zh")
FRAMEWORKS = (*(known.name for known in BUILT_IN), "another")
# What only one framework has, or calls so.
FOREIGN = {
    "tensorflow": r"\bjax\b|\bjnp\b|torch",
    "jax": r"\btf\.|TensorSpec|input_signature|reduce_retracing|drop_remainder|torch|Variable",
    "torch": r"\btf\.|TensorSpec|input_signature|reduce_retracing|drop_remainder|\bjax\b|\bjnp\b|XLA|Variable",
    "another": r"\btf\.|input_signature|reduce_retracing|drop_remainder|\bjax\b|\bjnp\b|XLA|torch|Variable",
}


def wrong_words(wrong: WrongValue | None) -> list[WrongValueWords]:
    return [words for words in (wrong.words, wrong.unsure) if words is not None] if wrong is not None else []


def all_texts() -> Iterator[tuple[str, Text]]:
    """Every text of the catalogue, of verdicts and of the frameworks, by where it stands."""
    for code, definition in CATALOGUE.items():
        yield f"{code.value}.name", definition.name
        yield f"{code.value}.what", definition.what
        yield f"{code.value}.remedy", definition.remedy
        yield f"{code.value}.summary", definition.summary
        yield from ((f"{code.value}.what.{case}", text) for case, text in definition.special_what.items())
        yield from ((f"{code.value}.remedy.{case}", text) for case, text in definition.special_remedy.items())
        for text in (definition.with_note, definition.when_inferred):
            if text is not None:
                yield f"{code.value}.added", text
        for words in wrong_words(definition.wrong_value):
            yield from ((f"{code.value}.{name}", text) for name, text in vars(words).items())
    yield from ((reason.value, text) for reason, text in REASONS.items())
    for known in BUILT_IN:
        dialect = dialect_of(known.name)
        for kind in (dialect.what, dialect.remedy, dialect.reasons, dialect.page):
            yield from ((f"{known.name}.{key}", text) for key, text in kind.items())
        yield from ((f"{known.name}.noun", text) for text in (dialect.trace, dialect.retraced))


def test_every_cause_and_every_reason_is_defined() -> None:
    assert set(CATALOGUE) == set(CauseCode)
    assert set(REASONS) == set(Reason)


def test_every_cause_of_a_wrong_value_says_so() -> None:
    """What a page says first of it, with places that the page fills in; its verdict is about values; and its colour."""
    assert {code for code, each in CATALOGUE.items() if each.wrong_value is not None} == SILENT
    assert {code for code, each in CATALOGUE.items() if each.family is families.SILENT} == SILENT
    for code in SILENT:
        wrong = CATALOGUE[code].wrong_value
        assert wrong is not None
        assert wrong.verdict.is_silent
        for words in wrong_words(wrong):
            assert re.findall(r"\{\w+\}", words.headline.en) == ["{name}"]
            assert "{" not in words.lede.en
            assert {"{name}", "{path}"} <= set(re.findall(r"\{\w+\}", words.alarm.en))
            assert words.alarm.en.count("**") == words.alarm.zh.count("**") == 2


def test_every_cause_is_found_by_something() -> None:
    """Of one that nothing finds nobody would ever hear. A backward graph is told as an event, never as a cause."""
    source = Path(traceonce.__file__).parent
    finders = [*source.glob("diagnosis/*.py"), *source.glob("frameworks/**/*.py")]
    telling = {"dialect.py", "examples.py", "records.py"}
    text = "".join(path.read_text() for path in finders if path.name not in telling and "recipes" not in path.parts)
    found = {code for code in CauseCode if re.search(rf"\bCauseCode\.{code.name}\b", text)}
    assert found | set(CODES.values()) == set(CauseCode) - {CauseCode.BACKWARD}


def test_every_cause_has_an_example() -> None:
    """Tests of each framework run them. What an example has as a record is there."""
    frameworks = [framework_of(known.name) for known in BUILT_IN]
    assert {code for framework in frameworks for code in framework.examples} == set(CauseCode) - {CauseCode.UNKNOWN}
    of_records = {f"{each.name}/{one.record}" for each in frameworks for one in each.examples.values() if one.record}
    assert of_records <= set(Collection().paths)


def test_both_languages_say_the_same() -> None:
    """The same places to fill in, and no text left in English."""
    for key, text in all_texts():
        assert set(re.findall(r"\{\w+\}", text.en)) == set(re.findall(r"\{\w+\}", text.zh)), key
        assert text.zh == "dtype" or re.search("[\u4e00-\u9fff]", text.zh), key
        assert "跟踪" not in text.zh, key


def test_a_framework_speaks_of_causes_that_there_are() -> None:
    """Of a misspelt one nobody would ever hear."""
    codes = {code.value for code in CauseCode}
    for known in BUILT_IN:
        dialect = dialect_of(known.name)
        assert {key.partition(".")[0] for key in (*dialect.what, *dialect.remedy)} <= codes


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_framework_is_told_of_another(language: Language, framework: str) -> None:
    functions = (STEP, FunctionId("run", "lib/keras/x.py", 3, library=True), FunctionId("run", "lib/x.py", 3, True))
    for code in CauseCode:
        for type_name in ("int", "str"):
            for path in ("x.shape[0]", "self.step", "x.stride()", "x.requires_grad"):
                one = cause(code, path, was="3", now="1", type_name=type_name)
                for function in functions:
                    happened = Happened(one, framework, function, 5)
                    said = [say_what(happened, language), say_remedy(happened, language)]
                    assert all(said)
                    assert not re.search(FOREIGN[framework], " ".join(said)), (code, said)


@pytest.mark.parametrize(
    ("framework", "one", "words"),
    [
        ("tensorflow", cause(), "input_signature"),
        ("jax", cause(), "JAX compiles for each shape"),
        ("torch", cause(was="3", now="5"), "mark_dynamic"),
        ("torch", cause(was="3", now="1"), "sizes of 2 or more"),
        ("jax", cause(CauseCode.WEAK_TYPE, "x.weak_type"), "jnp.asarray(x, jnp.float32)"),
        ("jax", cause(CauseCode.STATIC_ARGUMENT, "k"), "static_argnames"),
        ("jax", cause(CauseCode.STATIC_ARGUMENT, "k", note="another object"), "__eq__ and __hash__"),
        ("jax", cause(CauseCode.SHARDING, "x.sharding"), "jax.device_put"),
        ("jax", cause(CauseCode.NEW_FUNCTION, "f"), "jax.jit once"),
        ("jax", cause(CauseCode.STALE, "RATE"), "pass it as an argument"),
        ("torch", cause(CauseCode.GUARD, "self.step", type_name="int"), "allow_unspec_int_on_nn_module"),
        ("torch", cause(CauseCode.GUARD, "self.mode", type_name="str"), "each value recompiles"),
        ("torch", cause(CauseCode.VALUE, "mode", type_name="str"), "each value recompiles"),
        ("torch", cause(CauseCode.GUARD, "x.stride()[0]"), "x.contiguous()"),
        ("torch", cause(CauseCode.GUARD, "x.requires_grad"), "x.detach()"),
        ("torch", cause(CauseCode.FELL_BACK, "f"), "recompile_limit only delays"),
    ],
)
def test_what_to_change(framework: str, one: Cause, words: str) -> None:
    assert words in say_remedy(Happened(one, framework, STEP), "en")


@pytest.mark.parametrize("code", [CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE])
def test_what_something_else_makes_is_kept_there(code: CauseCode) -> None:
    """A loop of JAX has no jit to make once; a library makes its function for something."""
    fresh = cause(code, "body")
    loop = Happened(fresh, "jax", FunctionId("body [scan]", "a.py", 3))
    assert "the loop's function once" in say_remedy(loop, "en")
    library = Happened(fresh, "tensorflow", FunctionId("run", "lib/x.py", 3, library=True))
    assert "inside one tf.function of your own" in say_remedy(library, "en")


def test_what_differs_is_named() -> None:
    fresh = cause(CauseCode.NEW_FUNCTION, "f", note="self.rate", differs=("self.rate",))
    assert say_what(Happened(fresh, "jax"), "en") == "the same code, in a new function object, with another self.rate"
    assert say_what(Happened(fresh, "jax"), "zh").endswith("，不同的是 self.rate")
    assert say_remedy(Happened(fresh, "jax"), "en").endswith("what differs as an argument: self.rate")


@pytest.mark.parametrize(
    ("framework", "retraced", "trace"), [("jax", "retraced", "trace"), ("torch", "recompiled", "compilation")]
)
def test_what_a_trace_is_called(framework: str, retraced: str, trace: str) -> None:
    assert (dialect_of(framework).retraced.en, dialect_of(framework).trace.en) == (retraced, trace)


def test_reasons_as_a_framework_has_them() -> None:
    assert say_reason(Reason.FEW_SO_FAR, "torch", "en") == "few compilations so far"
    assert say_reason(Reason.FEW_SO_FAR, "jax", "en") == "few traces so far"
    assert say_reason(Reason.FEW_SO_FAR, "another", "zh") == "目前只有少数几次追踪"


def test_every_family_has_a_colour_in_both_themes() -> None:
    assert {definition.family for definition in CATALOGUE.values()} <= set(families.LEGEND)
    light, dark = (FOLDER / "styles" / "tokens.css").read_text(encoding="utf-8").split('[data-theme="dark"]')
    for family in (*families.LEGEND, families.INTERNAL):
        assert f"--{family.code}: #" in light
        assert f"--{family.code}: #" in dark
