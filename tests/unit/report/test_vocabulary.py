"""What causes and verdicts are called: all of them, in both languages, and true for each framework."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

import pytest
from handmade import STEP, cause

from traceonce.diagnosis import verdicts
from traceonce.facts import CauseCode, FunctionId
from traceonce.report.vocabulary import Speech, Vocabulary
from traceonce.report.vocabulary.chinese import CHINESE
from traceonce.report.vocabulary.english import ENGLISH

LANGUAGES = {"en": ENGLISH, "zh": CHINESE}
FRAMEWORKS = ("tensorflow", "jax", "torch", "another")
# What only one framework has, or calls so.
FOREIGN = {
    "tensorflow": r"\bjax\b|\bjnp\b|torch|recompil|重新编译",
    "jax": r"\btf\.|TensorSpec|input_signature|reduce_retracing|drop_remainder|torch|Variable",
    "torch": r"\btf\.|TensorSpec|input_signature|reduce_retracing|drop_remainder|\bjax\b|\bjnp\b|XLA|Variable",
    "another": r"\btf\.|input_signature|reduce_retracing|drop_remainder|\bjax\b|\bjnp\b|XLA|torch|Variable",
}


def vocabularies(speech: Speech) -> Iterator[tuple[str, Vocabulary]]:
    yield "all", speech.common
    yield from speech.frameworks.items()


def texts(words: Vocabulary) -> dict[tuple[str, str], str]:
    kinds = {"what": words.what, "remedy": words.remedy, "reasons": words.reasons}
    return {(kind, key): text for kind, table in kinds.items() for key, text in table.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cause_has_words_and_a_remedy_for_any_framework(language: str) -> None:
    common = LANGUAGES[language].common
    for code in CauseCode:
        assert common.what[code.value]
        assert common.remedy[code.value]
    assert common.retraced
    assert common.trace


def test_both_languages_say_the_same() -> None:
    """The same keys for the same frameworks, and places to fill in; English needs no words for reasons."""
    english, chinese = dict(vocabularies(ENGLISH)), dict(vocabularies(CHINESE))
    assert english.keys() == chinese.keys()
    for name, words in english.items():
        ours, theirs = texts(words), texts(chinese[name])
        if name == "all":
            theirs = {key: text for key, text in theirs.items() if key[0] != "reasons"}
        assert ours.keys() == theirs.keys(), name
        for key, text in ours.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", theirs[key])), (name, key)
            assert re.search("[\u4e00-\u9fff]", theirs[key]), (name, key)
            assert "跟踪" not in theirs[key]


def test_every_reason_of_a_verdict_is_known() -> None:
    """Reasons are sentences in English, by which their words are found."""
    returned = [node.value for node in ast.walk(ast.parse(inspect.getsource(verdicts))) if isinstance(node, ast.Return)]
    found = [node.value for value in returned if value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    reasons = {text for text in found if isinstance(text, str) and " " in text}
    assert len(reasons) > 12
    assert reasons == CHINESE.common.reasons.keys()
    assert ENGLISH.frameworks["torch"].reasons.keys() <= reasons


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_framework_is_told_of_another(language: str, framework: str) -> None:
    speech = LANGUAGES[language]
    functions = (STEP, FunctionId("run", "lib/keras/x.py", 3, library=True), FunctionId("run", "lib/x.py", 3, True))
    for code in CauseCode:
        for type_name in ("int", "str"):
            for path in ("x.shape[0]", "self.step", "x.stride()", "x.requires_grad"):
                one = cause(code, path, was="3", now="1", type_name=type_name)
                for function in functions:
                    said = [speech.what(one, 5, framework), speech.remedy(one, framework, function)]
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
        ("torch", cause(CauseCode.GUARD, "self.mode", type_name="str"), "each value is a compilation"),
        ("torch", cause(CauseCode.GUARD, "x.stride()[0]"), "x.contiguous()"),
        ("torch", cause(CauseCode.GUARD, "x.requires_grad"), "x.detach()"),
        ("torch", cause(CauseCode.FELL_BACK, "f"), "recompile_limit only delays"),
    ],
)
def test_what_to_change(framework: str, one: object, words: str) -> None:
    assert words in ENGLISH.remedy(one, framework, STEP)  # type: ignore[arg-type]  # a cause


def test_a_loop_of_jax_has_no_jit_to_make_once() -> None:
    fresh = cause(CauseCode.NEW_FUNCTION, "body")
    assert "the function of the loop once" in ENGLISH.remedy(fresh, "jax", FunctionId("body [scan]", "a.py", 3))
    assert "jax.jit once" in ENGLISH.remedy(fresh, "jax", FunctionId("loss [value_and_grad]", "a.py", 3))


@pytest.mark.parametrize(
    ("framework", "retraced", "trace"), [("jax", "retraced", "trace"), ("torch", "recompiled", "compilation")]
)
def test_what_a_trace_is_called(framework: str, retraced: str, trace: str) -> None:
    assert (ENGLISH.retraced(framework), ENGLISH.trace(framework)) == (retraced, trace)


def test_a_reason_that_nobody_knows_is_shown_as_it_is() -> None:
    assert CHINESE.reason("something new", "torch") == "something new"
    assert ENGLISH.reason("few traces so far", "torch") == "few compilations so far"
    assert ENGLISH.reason("few traces so far", "jax") == "few traces so far"
