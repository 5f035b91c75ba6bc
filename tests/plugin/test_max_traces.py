"""``@pytest.mark.max_traces``: what counts, for which function, and what is said."""

from __future__ import annotations

import pytest

from tests.plugin.inner_runs import Run, line_of

STEP = """
@tf.function
def train_step(x):
    return x + 1.0

def train(*sizes):
    for size in sizes:
        train_step(tf.zeros([size]))  # here
"""


def test_a_test_that_traces_too_often_fails_and_says_why(run: Run) -> None:
    source = STEP + "@pytest.mark.max_traces(1)\ndef test_it():\n    train(3, 4, 5)\n"
    result = run(source, "-rf")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "FAILED test_inner.py::test_it - Failed: train_step was traced 3 times, max_" in text
    assert "\ntrain_step was traced 3 times, max_traces allows 1\n" in text
    section = text.partition(" traceonce ---")[2].partition("short test summary")[0].splitlines()
    assert section[1] == "train_step was traced 3 times, max_traces allows 1"
    facts = [line.strip().split(None, 1) for line in section if line.startswith("  ")]
    labels = [label for label, _ in facts]
    assert labels == ["function", "limit", "count", "cost", "called", "cause", "fix", "3", "known"]
    told = dict(facts)
    assert told["function"] == f"train_step, test_inner.py:{line_of('@tf.function', source)}"
    assert told["limit"] == "1 trace (@pytest.mark.max_traces)"
    assert told["count"] == "3 traces, 2 retraces in 3 calls"
    assert told["cost"].endswith("lost to retraces, with the first runs of the new graphs")
    assert told["called"] == f"at  test_inner.py:{line_of('# here', source)} (3 traces)"
    assert told["cause"] == "x.shape[0]: now 4, before 3 (varies; 3, 4, 5)"
    assert told["fix"] == "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"
    assert told["known"] == "traceonce explain tensorflow/retracing-shape"


def test_the_first_trace_needs_no_record(run: Run) -> None:
    result = run(STEP + "@pytest.mark.max_traces(0)\ndef test_it():\n    train(3)\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  cause      the first trace: *"])
    result.stdout.no_fnmatch_line("*traceonce explain*")


def test_a_test_that_keeps_to_its_limit_passes_and_says_nothing(run: Run) -> None:
    result = run(STEP + "@pytest.mark.max_traces(2)\ndef test_it():\n    train(3, 3, 4, 4, 3)\n", "-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*traceonce ---*")


def test_every_function_that_is_over_its_limit_is_named_in_one_line(run: Run) -> None:
    result = run(
        """
        def make(k):
            @tf.function
            def step(x): return x * k
            return step

        @pytest.mark.max_traces(1)
        def test_it():
            class Model:
                @tf.function
                def call(self, x): return x
            model, step = Model(), make(2.0)
            for size in (3, 4):
                model.call(tf.zeros([size]))
                step(tf.zeros([size]))
        """
    )
    result.assert_outcomes(failed=1)
    (line,) = [line for line in result.outlines if ";" in line and not line.startswith("FAILED")]
    assert sorted(line.split("; ")) == [
        "Model.call was traced 2 times, max_traces allows 1",
        "step was traced 2 times, max_traces allows 1",
    ]


def test_functions_of_the_same_name_are_told_apart(run: Run) -> None:
    result = run(
        """
        def test_it(request):
            steps = []
            for _ in range(1):
                @tf.function
                def step(x): return x
                steps.append(step)
            @tf.function
            def step(x): return x
            steps.append(step)
            for step in steps:
                step(tf.zeros([3])), step(tf.zeros([4]))
        test_it.pytestmark = [pytest.mark.max_traces(1)]
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["step (test_inner.py:*) was traced 2 times*; step (test_inner.py:*) was traced 2*"])


def test_each_set_of_parameters_is_a_test_of_its_own(run: Run) -> None:
    result = run(
        STEP
        + """
@pytest.mark.parametrize("sizes", [
    (3, 4), (5, 6, 7), (8,),
    pytest.param((9, 10, 11), marks=pytest.mark.max_traces(3)),
])
@pytest.mark.max_traces(2)
def test_it(sizes):
    train(*sizes)
"""
    )
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_it?sizes1? - Failed: train_step was traced 3 *"])


def test_the_closest_mark_wins(run: Run) -> None:
    result = run(
        STEP
        + """
pytestmark = pytest.mark.max_traces(1)

def test_of_the_module():
    train(3, 4)

class TestLoose:
    pytestmark = pytest.mark.max_traces(2)

    def test_of_the_class(self):
        train(5, 6)

    def test_of_the_class_too(self):
        train(5, 6, 7, 8, 9)

    @pytest.mark.max_traces(0)
    def test_its_own(self):
        train(10)

    @pytest.mark.max_traces(3)
    def test_its_own_too(self):
        train(11, 12, 13)
""",
        "-v",
    )
    outcomes = {line.split("::")[-1].split()[0]: line.split()[1] for line in result.outlines if "%]" in line}
    assert outcomes == {
        "test_of_the_module": "FAILED",
        "test_of_the_class": "PASSED",
        "test_of_the_class_too": "FAILED",
        "test_its_own": "FAILED",
        "test_its_own_too": "PASSED",
    }


NAMED = """
class Model:
    @tf.function
    def call(self, x): return x

@tf.function
def call(x): return x

def trace(function, number):
    for size in range(1, number + 1):
        function(tf.zeros([size]))
"""


@pytest.mark.parametrize(
    ("marks", "failures"),
    [
        (["1"], ["Model.call was traced 2", "call was traced 3"]),
        (["2"], ["call was traced 3"]),
        (["1, function='call'"], ["Model.call was traced 2", "call was traced 3"]),
        (["1, function='Model.call'"], ["Model.call was traced 2"]),
        (["1", "2, function='Model.call'"], ["call was traced 3"]),  # the name goes before the mark without one
        (["2, function='Model.call'", "1"], ["call was traced 3"]),  # whichever stands closer
        (["1, function='call'", "2, function='Model.call'"], ["call was traced 3"]),  # and the whole name before a part
        (["3", "1, function='Model.call'"], ["Model.call was traced 2"]),
        (["n=3"], []),
    ],
)
def test_a_name_limits_one_function(run: Run, marks: list[str], failures: list[str]) -> None:
    decorators = "\n".join(f"@pytest.mark.max_traces({mark})" for mark in marks)
    result = run(f"{NAMED}\n{decorators}\ndef test_it():\n    trace(Model().call, 2)\n    trace(call, 3)\n")
    result.assert_outcomes(failed=bool(failures), passed=not failures)
    said = [line for line in result.outlines if " was traced " in line and not line.startswith("FAILED")]
    assert sorted(part.partition(" times")[0] for part in said[0].split("; ")) == failures if failures else not said


def test_a_name_that_nobody_traced_is_warned_of(run: Run) -> None:
    """It could be mistyped; a name that an earlier test has traced is not."""
    result = run(
        NAMED
        + """
@pytest.mark.max_traces(1, function="call")
def test_traces_it():
    trace(call, 1)

@pytest.mark.max_traces(0, function="call")
def test_is_served_by_that():
    trace(call, 1)

@pytest.mark.max_traces(1, function="cal")
def test_mistypes_it():
    trace(Model().call, 1)
"""
    )
    result.assert_outcomes(passed=2, failed=1)  # warnings are errors here
    wanted = "*PytestWarning: max_traces(function='cal'): no function of this name was traced; traced: call"
    result.stdout.fnmatch_lines([wanted])


def test_a_method_counts_for_each_object_by_itself(run: Run) -> None:
    result = run(
        NAMED
        + """
@pytest.mark.max_traces(1)
def test_three_objects():
    models = [Model() for _ in range(3)]
    for model in models:
        trace(model.call, 1)

@pytest.mark.max_traces(1)
def test_one_of_them_again():
    models = [Model() for _ in range(3)]
    for number, model in enumerate(models, 1):
        trace(model.call, number)
"""
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["Model.call was traced 3 times, max_traces allows 1"])


def test_models_that_build_other_graphs_do_not_count_again(run: Run) -> None:
    result = run(
        """
        def make(layers):
            @tf.function
            def step(x):
                for _ in range(layers):
                    x = tf.tanh(x)
                return x
            return step

        @pytest.mark.max_traces(1)
        def test_three_models():
            for layers in (1, 2, 3):
                make(layers)(tf.zeros([3]))

        @pytest.mark.max_traces(1)
        def test_three_times_the_same():
            for _ in range(3):
                make(1)(tf.zeros([3]))
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["step was traced 3 times, max_traces allows 1", "*wrapped in tf.function again; 2 times*"]
    )


def test_what_fails_or_is_the_frameworks_own_does_not_count(run: Run) -> None:
    result = run(
        """
        @pytest.mark.max_traces(1)
        def test_failures():
            @tf.function
            def step(x, fail):
                if fail:
                    raise ValueError("mine")
                return x

            for _ in range(2):
                with pytest.raises(ValueError, match="mine"):
                    step(tf.zeros([3]), True)
            step(tf.zeros([3]), False)

        @pytest.mark.max_traces(0)
        def test_failures_alone():
            def step(x):
                raise ValueError("mine")

            with pytest.raises(ValueError, match="mine"):
                tf.function(step)(tf.zeros([3]))

        @pytest.mark.max_traces(0)
        def test_saving(tmp_path):
            class Model(tf.Module):
                @tf.function(input_signature=[tf.TensorSpec([None])])
                def step(self, x): return x
            tf.saved_model.save(Model(), str(tmp_path))

        @pytest.mark.max_traces(1)
        def test_traced_twice_by_tensorflow():
            variables, traced = [], []

            @tf.function
            def step(x):
                traced.append(1)
                if not variables:
                    variables.append(tf.Variable(1.0))
                return x + variables[0]
            step(tf.zeros([3]))
            assert len(traced) == 2
        """
    )
    result.assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("warmup", "sizes", "counted"),
    [
        (0, (3, 3, 4, 5), 3),
        (1, (3, 3, 4, 5), 2),  # calls are counted, not traces
        (2, (3, 3, 4, 5), 2),
        (3, (3, 3, 4, 5), 1),
        (4, (3, 3, 4, 5), 0),
        (2, (3, 4), 0),
        (2, (3, 4, 4, 3, 5), 1),
    ],
)
def test_what_is_traced_in_the_first_calls_is_free(run: Run, warmup: int, sizes: tuple[int, ...], counted: int) -> None:
    call = f"def test_it():\n    train(*{sizes})\n"
    run(f"{STEP}\n@pytest.mark.max_traces({counted}, warmup={warmup})\n{call}").assert_outcomes(passed=1)
    if counted:
        result = run(f"{STEP}\n@pytest.mark.max_traces({counted - 1}, warmup={warmup})\n{call}")
        result.assert_outcomes(failed=1)
        times = f"{counted} time{'' if counted == 1 else 's'}"
        after = f" after the first {warmup} call{'' if warmup == 1 else 's'}" if warmup else ""
        result.stdout.fnmatch_lines([f"train_step was traced {times}{after}, max_traces allows {counted - 1}"])


def test_the_warm_up_begins_anew_in_each_test(run: Run) -> None:
    result = run(
        STEP
        + """
pytestmark = pytest.mark.max_traces(0, warmup=2)

def test_one():
    train(3, 4)

def test_two():
    train(5, 6)

def test_three():
    train(3, 3, 7)
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["FAILED *::test_three - *"])


def test_where_calls_are_not_counted_each_trace_is_one(run: Run) -> None:
    """The inner function is called while the outer one is traced: TensorFlow counts no such call."""
    result = run(
        """
        @pytest.mark.max_traces(1, function="inner", warmup=2)
        @pytest.mark.parametrize("number", [3, 4])
        def test_it(number):
            @tf.function
            def inner(x): return x

            @tf.function
            def outer(x):
                for size in range(1, number + 1):
                    inner(tf.zeros([size]))
                return x
            outer(tf.zeros([3]))
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_it?4? - Failed: inner was traced 2 times *"])


def test_coroutines(run: Run) -> None:
    result = run(
        STEP
        + """
@pytest.mark.asyncio
@pytest.mark.max_traces(1)
async def test_bad(traces):
    import asyncio
    train(3)
    await asyncio.sleep(0)
    train(4)
    assert traces.count("train_step") == 2

@pytest.mark.asyncio
@pytest.mark.max_traces(1)
async def test_good():
    train(5)
"""
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_bad - Failed: train_step was traced 2 times*"])


def test_methods_of_a_test_case(run: Run) -> None:
    """unittest catches the failures of a test itself: its own one stays."""
    result = run(
        "import unittest"
        + STEP
        + """
class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        train(1, 2)

    @pytest.mark.max_traces(1)
    def test_bad(self):
        train(3, 4)

    @pytest.mark.max_traces(1)
    def test_good(self):
        train(5)

    @pytest.mark.max_traces(1)
    def test_own_failure(self):
        train(6, 7)
        self.fail("mine")
"""
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["FAILED *test_bad - Failed: train_step was traced 2 times*"])
    result.stdout.fnmatch_lines(["FAILED *test_own_failure - AssertionError: mine"])
    assert result.stdout.str().count(" traceonce ---") == 2


def test_the_failure_of_the_test_itself_stays_and_the_section_is_added(run: Run) -> None:
    result = run(STEP + "@pytest.mark.max_traces(1)\ndef test_it():\n    train(3, 4)\n    assert 1 == 2, 'mine'\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_it - AssertionError: mine"])
    result.stdout.fnmatch_lines(["*- traceonce -*", "train_step was traced 2 times, max_traces allows 1"])


def test_a_skip_inside_the_test_stays_a_skip(run: Run) -> None:
    result = run(STEP + "@pytest.mark.max_traces(1)\ndef test_it():\n    train(3, 4)\n    pytest.skip('mine')\n")
    result.assert_outcomes(skipped=1)


def test_it_is_a_failure_as_any_other(run: Run, pytester: pytest.Pytester) -> None:
    """xfail, strict or not, and the JUnit file."""
    result = run(
        STEP
        + """
@pytest.mark.xfail
@pytest.mark.max_traces(1)
def test_expected():
    train(3, 4)

@pytest.mark.xfail(strict=True)
@pytest.mark.max_traces(1)
def test_expected_but_fine():
    train(5)

@pytest.mark.max_traces(1)
def test_bad():
    train(6, 7)
""",
        "--junitxml=out.xml",
    )
    result.assert_outcomes(xfailed=1, failed=2)
    result.stdout.fnmatch_lines(["*XPASS(strict)*"])
    assert 'message="Failed: train_step was traced 2 times, max_traces allows 1"' in (
        (pytester.path / "out.xml").read_text()
    )


def test_a_test_that_is_run_again_is_counted_again(run: Run, pytester: pytest.Pytester) -> None:
    """As plugins do that rerun what failed: the second time nothing needs a trace."""
    pytester.makeconftest(
        """
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            for _ in range(2):
                item._initrequest()
                reports = runtestprotocol(item, nextitem=nextitem, log=False)
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            return True
        """
    )
    run(STEP + "@pytest.mark.max_traces(1)\ndef test_it(traces):\n    train(3, 4)\n").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        ("-1", "n must be 0 or more, not -1"),
        ("True", "n must be a whole number, not True"),
        ("'1'", "n must be a whole number, not '1'"),
        ("1.0", "n must be a whole number, not 1.0"),
        ("n=None", "n must be a whole number, not None"),
        ("", "the number of traces is missing"),
        ("1, n=1", "the number of traces is given twice"),
        ("1, 'train_step'", "one number goes without a name, not 2: 1, 'train_step'"),
        ("1, functions='a'", "there is no argument 'functions'"),
        ("1, function=len", "function must be the name of a function, not <built-in function len>"),
        ("1, function=''", "function must be the name of a function, not ''"),
        ("1, warmup=-1", "warmup must be 0 or more, not -1"),
        ("1, warmup=True", "warmup must be a whole number, not True"),
    ],
)
def test_a_wrong_mark_is_an_error_of_its_test_alone(run: Run, arguments: str, mistake: str) -> None:
    result = run(
        f"""
        @pytest.mark.max_traces({arguments})
        def test_wrong():
            raise AssertionError("it was run")

        @pytest.mark.max_traces(1)
        def test_right():
            pass
        """
    )
    result.assert_outcomes(errors=1, passed=1)
    told = result.stdout.str().partition("ERROR at setup of test_wrong ___")[2].splitlines()[1:3]
    remedy = 'Write @pytest.mark.max_traces(1), or max_traces(1, function="train_step", warmup=2).'
    assert told[0] == f"@pytest.mark.max_traces: {mistake}. {remedy}"
    assert told[1].startswith("====")


def test_a_mark_without_parentheses(run: Run) -> None:
    result = run("@pytest.mark.max_traces\ndef test_it():\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["@pytest.mark.max_traces: the number of traces is missing. *"])


def test_the_mark_is_registered(run: Run) -> None:
    source = "@pytest.mark.max_traces(1)\ndef test_it():\n    pass\n"
    run(source, "--strict-markers").assert_outcomes(passed=1)
    run(source, "--markers").stdout.fnmatch_lines(["@pytest.mark.max_traces(n, function=None, warmup=0): *"])
