"""A stale value becomes an argument or a variable, everywhere in the project that sets it."""

from __future__ import annotations

import pytest

from tests.places_by_ast import sites_of
from tests.unit.fix.written_case import case_for, text
from traceonce.facts import Cause, CauseCode, Evidence, Leaf
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes.state import RECIPE


def stale(path: str, was: str = "0.5", now: str = "0.25", evidence: Evidence = "measured", **more: str) -> Cause:
    return Cause(CauseCode.STALE, path, was, now, evidence=evidence, **more)  # type: ignore[arg-type]


def case_of(source: str, *causes: Cause, name: str = "step", called: str | None = None, dtype: str = "float32") -> Case:
    leaves = [Leaf("x", "tensor", dtype=dtype, shape=()), Leaf("config", "object", identity=1)]
    return case_for(source, name, *causes, leaves=[leaves], called=called)


def candidates(case: Case, kind: str) -> list[Candidate]:
    """Those that pass an argument, or those that make a variable."""
    return [each for each in RECIPE.propose(case) if ("tf.Variable(" in str(each.snippet)) is (kind == "variable")]


def changed(kind: str, source: str, case: Case, index: int = 0, **others: str) -> dict[str, str]:
    """The files that one candidate changes; `others` are further files of the project."""
    files = {"program": source, **others}
    edits = Edits({f"{name}.py": content.encode() for name, content in files.items()})
    change = candidates(case, kind)[index].change
    assert change is not None
    change(edits)
    return {name: content.decode() for name, content in edits.results().items()}


def as_argument(source: str, *causes: Cause, **more: str) -> str:
    return changed("argument", text(source), case_of(text(source), *causes, **more))["program.py"]


def as_variable(source: str, *causes: Cause, index: int = 0) -> str:
    return changed("variable", text(source), case_of(text(source), *causes), index)["program.py"]


HEAD = "import tensorflow as tf\n\n"


def test_an_argument_beside_defaults_and_stars() -> None:
    for before, after in [
        ("x", "x, rate"),
        ("x, k=2", "x, k=2, *, rate"),
        ("x, *more", "x, *more, rate"),
        ("x, *, k", "x, *, k, rate"),
        ("x, **more", "x, *, rate, **more"),
    ]:
        source = f"{HEAD}RATE = 0.5\n\n@tf.function\ndef step({before}):\n    return x * RATE\n\nstep(1.0)\n"
        assert as_argument(source, stale("RATE")) == (
            f"{HEAD}RATE = 0.5\n\n@tf.function\ndef step({after}):\n    return x * rate\n\n"
            "step(1.0, rate=tf.constant(RATE, tf.float32))\n"
        )


def test_a_name_that_the_function_has_already() -> None:
    after = as_argument(
        f"{HEAD}RATE = 1\n@tf.function\ndef step(x, rate):\n    return x * RATE * rate\nstep(1.0, 2)\n", stale("RATE")
    )
    assert "def step(x, rate, rate_now):\n    return x * rate_now * rate\n" in after
    assert "step(1.0, 2, rate_now=tf.constant(RATE, tf.float32))" in after


def test_a_name_that_can_stay() -> None:
    after = as_argument(
        f"{HEAD}def run(scale):\n    step = tf.function(lambda x: x * scale)\n    scale = 2.0\n    return step(1.0)\n",
        stale("scale"),
        name="<lambda>",
        called="step",
    )
    assert "tf.function(lambda x, scale: x * scale)" in after
    assert "step(1.0, scale=tf.constant(scale, tf.float32))" in after


def test_an_entry_and_an_attribute_of_an_argument() -> None:
    source = (
        f"{HEAD}FACTORS = {{'k': 3.0}}\n@tf.function\ndef step(x, config):\n"
        '    return x * FACTORS["k"] + config.bias\nstep(1.0, settings)\n'
    )
    after = as_argument(source, stale("FACTORS['k']"), stale("config.bias"))
    assert "def step(x, config, k, bias):\n    return x * k + bias\n" in after
    assert (
        "step(1.0, settings, k=tf.constant(FACTORS['k'], tf.float32), bias=tf.constant(settings.bias, tf.float32))"
        in after
    )


@pytest.mark.parametrize(
    ("was", "now", "given"),
    [
        ("1", "2", ["tf.constant(VALUE, tf.int32)", "tf.constant(VALUE, tf.float32)"]),
        ("1", "2.5", ["tf.constant(VALUE, tf.float32)"]),
        ("True", "False", ["tf.constant(VALUE, tf.bool)", "VALUE"]),
        ("'sum'", "'mean'", ["VALUE"]),
        ("None", "1.0", ["VALUE"]),
        ("EagerTensor 1", "EagerTensor 2", ["VALUE"]),
        ("float32[2] array 1f", "float32[2] array 2f", ["VALUE"]),
        ("[1, 2]", "[1, 3]", ["VALUE"]),
    ],
)
def test_how_a_value_is_passed(was: str, now: str, given: list[str]) -> None:
    source = f"{HEAD}VALUE = None\n@tf.function\ndef step(x):\n    return x * VALUE\nstep(1.0)\n"
    case = case_of(source, stale("VALUE", was, now))
    written = [changed("argument", source, case, n) for n, _ in enumerate(candidates(case, "argument"))]
    assert [after["program.py"].splitlines()[-1] for after in written] == [f"step(1.0, value={each})" for each in given]


def test_the_float_that_the_arguments_have() -> None:
    source = f"{HEAD}RATE = 0.5\n@tf.function\ndef step(x):\n    return x * RATE\nstep(x)\n"
    assert "tf.constant(RATE, tf.float64)" in as_argument(source, stale("RATE"), dtype="float64")


def test_a_global_variable_in_two_files() -> None:
    source = """
        import tensorflow as tf

        RATE: float = 0.5  # at first
        LIMIT = 3


        def decay():
            global RATE
            RATE *= 1 - 0.1
            RATE -= 0.1
            RATE = min(RATE, 1.0)


        @tf.function
        def step(x):
            return x * RATE
        """
    main = "import program\nprogram.RATE = 0.75\nother.RATE = 1\n"
    after = changed("variable", text(source), case_of(text(source), stale("RATE")), main=main)
    assert after["main.py"] == "import program\nprogram.RATE.assign(0.75)\nother.RATE = 1\n"
    assert after["program.py"] == text(
        """
        import tensorflow as tf

        RATE = tf.Variable(0.5, dtype=tf.float32, trainable=False)  # at first
        LIMIT = 3


        def decay():
            global RATE
            RATE.assign(RATE * (1 - 0.1))
            RATE.assign_sub(0.1)
            RATE.assign(min(RATE, 1.0))


        @tf.function
        def step(x):
            return x * RATE
        """
    )


def test_an_attribute_variable() -> None:
    after = as_variable(
        """
        import tensorflow as tf

        class Model:
            def __init__(self, rate):
                self.rate = rate

            def warm(self):
                self.rate += 1

            @tf.function
            def step(self, x):
                return x * self.rate

        model = Model(3)
        model.rate = 5
        """,
        stale("self.rate", "3", "5"),
        index=1,
    )
    assert after == text(
        """
        import tensorflow as tf

        class Model:
            def __init__(self, rate):
                self.rate = tf.Variable(rate, dtype=tf.float32, trainable=False)

            def warm(self):
                self.rate.assign_add(1)

            @tf.function
            def step(self, x):
                return x * self.rate

        model = Model(3)
        model.rate.assign(5)
        """
    )


STEP = "@tf.function\ndef step(x): return x * RATE\n"
TWO_CLASSES = """
class A:
    def __init__(self):
        self.rate = 1

    @tf.function
    def step(self, x):
        return x * self.rate

class B:
    def __init__(self):
        self.rate = 1
"""


@pytest.mark.parametrize(
    ("body", "path", "why"),
    [
        ("F = {'k': 1.0}\n@tf.function\ndef step(x): return x * F['k']", "F['k']", "an entry of a container"),
        (f"if tf:\n    RATE = 1\nelse:\n    RATE = 2\n{STEP}", "RATE", "unclear where RATE is first set"),
        (f"RATE = OTHER = 1\n{STEP}", "RATE", "together with other names"),
        (f"for RATE in (1, 2):\n    pass\n{STEP}", "RATE", "in another way"),
        (f"from settings import RATE\n{STEP}", "RATE", "in another way"),
        (STEP, "RATE", "no assignment of RATE was found"),
        ("class A:\n    rate = 1\n    @tf.function\n    def step(self, x): return self.rate", "self.rate", "no class"),
        (TWO_CLASSES, "self.rate", r"several classes have an attribute rate \(A, B\)"),
    ],
)
def test_what_cannot_become_a_variable(body: str, path: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        as_variable(f"{HEAD}{body}\n", stale(path))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"def f(x): return x * RATE\n{STEP.replace('x * RATE', 'f(x)')}step(1.0)", "a function that step calls"),
        (f"{STEP.replace('function', 'function(input_signature=[None])')}step(1.0)", "input_signature"),
        (f"{STEP}def run(RATE): step(1.0)", "means something else, at program"),
        (STEP, "no call of step was seen"),
    ],
)
def test_what_cannot_become_an_argument(body: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        as_argument(f"{HEAD}RATE = 0.5\n{body}\n", stale("RATE"))


def test_a_call_that_did_not_run_would_lack_the_argument() -> None:
    source = f"{HEAD}RATE = 0.5\n{STEP}step(1.0)\n"
    with pytest.raises(Declined, match="later.py:2 may call it"):  # noqa: RUF043  # any character will do
        changed("argument", source, case_of(source, stale("RATE")), later="import program\nprogram.step(2.0)\n")


def test_a_call_of_another_program_is_none_of_ours() -> None:
    source = f"{HEAD}RATE = 0.5\n{STEP}step(1.0)\n"
    after = changed("argument", source, case_of(source, stale("RATE")), alone="def step(x): ...\nstep(2.0)\n")
    assert list(after) == ["program.py"]


def test_all_stale_values_are_repaired_together_and_then_the_proved_ones() -> None:
    case = case_of(
        f"{HEAD}@tf.function\ndef step(x): return x\n",
        stale("RATE"),
        stale("self.flag", "True", "False", "inferred"),
        stale("LATE", note="whether a call came after that is not known"),
    )
    snippets = [str(each.snippet) for each in RECIPE.propose(case)]
    assert snippets[0] == "step(…, rate=tf.constant(RATE, tf.float32), flag=tf.constant(self.flag, tf.bool))"
    assert snippets[-2] == "step(…, rate=tf.constant(RATE, tf.float32))"
    assert not any("LATE" in each for each in snippets)


def test_the_prediction() -> None:
    case = case_of(f"{HEAD}@tf.function\ndef step(x): return x\n", stale("MODE", "'a'", "'b'"))
    assert [each.predicted_traces for each in RECIPE.propose(case)] == [None]  # one for each text
    case = case_of(f"{HEAD}@tf.function\ndef step(x): return x\n", stale("RATE"))
    assert [each.predicted_traces for each in RECIPE.propose(case)] == [1, 1]


# What comes in as a parameter of the function around it


FACTORY = """
    import tensorflow as tf


    def make_optimiser(start, rate=0.4):
        {docstring}@tf.function
        def step(x):
            return x * rate

        def lower():
            nonlocal rate
            rate *= 0.5

        return step, lower


    step, lower = make_optimiser(1.0)
    """


@pytest.mark.parametrize("docstring", ["", '"""Made once."""\n\n        '], ids=["no docstring", "a docstring"])
def test_a_parameter_of_the_function_around_it_becomes_a_variable(docstring: str) -> None:
    after = as_variable(FACTORY.format(docstring=docstring), stale("rate"))
    made = "    rate = tf.Variable(rate, dtype=tf.float32, trainable=False)\n\n    @tf.function\n"
    before_it = '    """Made once."""\n\n' if docstring else ""
    assert f"def make_optimiser(start, rate=0.4):\n{before_it}{made}" in after
    assert "        nonlocal rate\n        rate.assign(rate * 0.5)\n" in after


def test_a_parameter_on_one_line() -> None:
    made = "def make(rate): rate = rate / 2; return tf.function(lambda x: x * rate)"
    source = f"{HEAD}{made}\n\nstep = make(0.5)\nstep(1.0)\n"
    after = changed("variable", source, case_of(source, stale("rate"), name="<lambda>", called="step"))["program.py"]
    assert after.startswith(
        f"{HEAD}def make(rate):\n    rate = tf.Variable(rate, dtype=tf.float32, trainable=False)\n"
        "    rate.assign(rate / 2); return tf.function(lambda x: x * rate)\n"
    )


@pytest.mark.parametrize("parameters", ["*rate", "**rate"])
def test_parameters_that_are_many_stay(parameters: str) -> None:
    source = f"def make({parameters}):\n    @tf.function\n    def step(x): return x * rate\n    return step\n"
    with pytest.raises(Declined, match="in another way"):
        as_variable(HEAD + source, stale("rate"))


# An attribute of a module of the project


READS_SETTINGS = f"{HEAD}import settings\n\n\n@tf.function\ndef step(x):\n    return x * settings.RATE\n"
SETTINGS = "# all of them\nRATE = 1.0\n"


def with_calls(case: Case, source: str, file: str) -> Case:
    """The case, called in another file."""
    return case._replace(sites=sites_of(source, case.diagnosis.function, file))


@pytest.mark.parametrize(
    ("imports", "after"),
    [
        ("import settings\nfrom program import step\n", "settings.RATE"),
        ("import settings as s\nfrom program import step\n", "s.RATE"),
        ("from program import step\n", "settings.RATE"),
    ],
)
def test_a_setting_of_another_module_is_passed_by_a_third(imports: str, after: str) -> None:
    main = f"import tensorflow as tf\n{imports}\nstep(1.0)\n"
    case = with_calls(case_of(READS_SETTINGS, stale("settings.RATE")), main, "main.py")
    files = changed("argument", READS_SETTINGS, case, settings=SETTINGS, main=main)
    assert files.keys() == {"program.py", "main.py"}
    assert files["program.py"] == READS_SETTINGS.replace("step(x)", "step(x, rate)").replace(
        "x * settings.RATE", "x * rate"
    )
    assert files["main.py"].endswith(f"\nstep(1.0, rate=tf.constant({after}, tf.float32))\n")
    assert files["main.py"].count("import settings") == 1


def test_a_setting_in_a_package_is_imported_as_the_function_does() -> None:
    reader = READS_SETTINGS.replace("import settings", "from app import settings")
    main = "import tensorflow as tf\nfrom program import step\n\nstep(1.0)\n"
    case = with_calls(case_of(reader, stale("settings.RATE")), main, "main.py")
    files = {"program.py": reader, "main.py": main, "app/__init__.py": "", "app/settings.py": SETTINGS}
    edits = Edits({name: text.encode() for name, text in files.items()})
    change = candidates(case, "argument")[0].change
    assert change is not None
    change(edits)
    after = edits.results()["main.py"].decode()
    assert "import app.settings\n" in after
    assert "step(1.0, rate=tf.constant(app.settings.RATE, tf.float32))" in after


@pytest.mark.parametrize(
    ("main", "why"),
    [
        ("from program import step\nsettings = 3\nstep(1.0)\n", "settings means something else in main.py"),
        ("from program import step\ndef run(settings): step(1.0)\n", "settings means something else in main.py"),
    ],
)
def test_where_the_caller_cannot_name_the_module(main: str, why: str) -> None:
    case = with_calls(case_of(READS_SETTINGS, stale("settings.RATE")), main, "main.py")
    with pytest.raises(Declined, match=why):
        changed("argument", READS_SETTINGS, case, settings=SETTINGS, main=main)


def test_a_setting_becomes_a_variable_in_its_module() -> None:
    main = text(
        """
        import settings as s
        from program import step

        s.RATE = 0.5
        s.RATE /= 2
        other.RATE = 7


        def reset(settings):
            settings.RATE = 1.0
        """
    )
    settings = SETTINGS + "\n\ndef lower():\n    global RATE\n    RATE = RATE * 0.5\n"
    case = case_of(READS_SETTINGS, stale("settings.RATE"))
    files = changed("variable", READS_SETTINGS, case, settings=settings, main=main)
    assert files.keys() == {"settings.py", "main.py"}
    assert files["main.py"] == main.replace("s.RATE = 0.5", "s.RATE.assign(0.5)").replace(
        "s.RATE /= 2", "s.RATE.assign(s.RATE / 2)"
    )
    assert "RATE = tf.Variable(1.0, dtype=tf.float32, trainable=False)\n" in files["settings.py"]
    assert "import tensorflow as tf\n" in files["settings.py"]
    assert "    RATE.assign(RATE * 0.5)\n" in files["settings.py"]


def test_a_setting_of_a_library_is_not_the_projects() -> None:
    with pytest.raises(Declined, match="no class of the project"):
        changed("variable", READS_SETTINGS, case_of(READS_SETTINGS, stale("settings.RATE")))
