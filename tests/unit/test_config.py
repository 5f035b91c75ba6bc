"""What a project and the environment can say, and what is answered when they say it wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from traceonce.config import ALL, Config, load_config
from traceonce.errors import UsageError
from traceonce.facts import Limit, Verdict

ROOT = Path(__file__).parents[2]


def project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'mine'\n{table}", encoding="utf-8")
    return folder


def test_nothing_said_is_no_limit(tmp_path: Path) -> None:
    config = load_config(tmp_path, {})
    assert config == Config()
    assert (config.general_limit, config.own_limits, config.acts_inside) == (None, [], False)


def test_every_setting_of_a_project(tmp_path: Path) -> None:
    table = """
    [tool.traceonce]
    limit = 50
    on_limit = "warn"
    fail_on = ["retracing", "stale"]
    baseline = "accepted/traces.json"
    log_retraces = true
    [tool.traceonce.max_traces]
    train_step = 1
    "Model.evaluate" = 2
    """
    config = load_config(project(tmp_path, table), {})
    assert config.general_limit == Limit(50)
    assert config.own_limits == [
        Limit(1, "traces", function="train_step"),
        Limit(2, "traces", function="Model.evaluate"),
    ]
    assert (config.on_limit, config.log_retraces) == ("warn", True)
    assert config.fail_on == (Verdict.RETRACING, Verdict.STALE)
    assert config.baseline == str(tmp_path / "accepted" / "traces.json")


def test_the_nearest_project_counts_from_a_folder_below_it(tmp_path: Path) -> None:
    project(tmp_path, "[tool.traceonce]\nlimit = 1")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert load_config(below, {}).limit == 1
    project(tmp_path / "a", "")
    assert load_config(below, {}).limit is None


@pytest.mark.parametrize(
    ("table", "general", "own"),
    [
        ("max_traces = 3", Limit(3, "traces"), []),
        ("limit = 9\nmax_traces = 3", Limit(3, "traces"), []),
        ("limit = 9\nmax_traces = {f = 1}", Limit(9), [Limit(1, "traces", function="f")]),
        (f'limit = 9\nmax_traces = {{f = 1, "{ALL}" = 4}}', Limit(4, "traces"), [Limit(1, "traces", function="f")]),
    ],
)
def test_max_traces_for_all_and_for_some(tmp_path: Path, table: str, general: Limit, own: list[Limit]) -> None:
    config = load_config(project(tmp_path, f"[tool.traceonce]\n{table}"), {})
    assert (config.general_limit, config.own_limits) == (general, own)


def test_the_environment_has_the_last_word(tmp_path: Path) -> None:
    table = f'[tool.traceonce]\nlimit = 9\nlog_retraces = true\nmax_traces = {{f = 1, "{ALL}" = 4}}'
    folder = project(tmp_path, table)
    config = load_config(folder, {"TRACEONCE_LIMIT": "5", "TRACEONCE_ON_LIMIT": "warn", "TRACEONCE_LOG": "0"})
    assert (config.general_limit, config.on_limit, config.log_retraces) == (Limit(5), "warn", False)
    assert config.own_limits == [Limit(1, "traces", function="f")]
    off = load_config(folder, {"TRACEONCE_LIMIT": "off"})
    assert (off.general_limit, off.log_retraces) == (None, True)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ("limit = -3", "limit: expected `int` >= 0. Write it as: limit = 1000."),
        ("limit = true", "limit: expected `int | null`, got `bool`. Write it as: limit = 1000."),
        ("lmit = 3", "unknown setting `lmit`; valid settings: limit, on_limit, max_traces, fail_on, "),
        ('on_limit = "stop"', 'on_limit: invalid enum value \'stop\'. Write it as: on_limit = "warn" (or "raise").'),
        ('fail_on = "stale"', 'fail_on: expected `array`, got `str`. Write it as: fail_on = ["retracing"].'),
        ('fail_on = ["sad"]', "fail_on[0]: invalid enum value 'sad'."),
        ('max_traces = {f = "x"}', "max_traces[...]: expected `int`, got `str`. Write it as: max_traces = 3, or "),
        ("=", "is not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file_and_the_remedy(tmp_path: Path, table: str, complaint: str) -> None:
    folder = project(tmp_path, f"[tool.traceonce]\n{table}")
    with pytest.raises(UsageError) as refused:
        load_config(folder, {})
    message = str(refused.value)
    assert message.startswith(str(folder / "pyproject.toml"))
    assert complaint in message


def test_a_table_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\[tool.traceonce\] is no table: expected `object`, got `int`"):
        load_config(project(tmp_path, "[tool]\ntraceonce = 3"), {})


def test_a_project_that_is_broken_elsewhere_is_not_ours_to_complain_about(tmp_path: Path) -> None:
    assert load_config(project(tmp_path, "=\n"), {}) == Config()


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"TRACEONCE_LIMIT": "many"}, "TRACEONCE_LIMIT is 'many'; set it to a whole number of retraces"),
        ({"TRACEONCE_LIMIT": "-1"}, "TRACEONCE_LIMIT is '-1'"),
        ({"TRACEONCE_LIMIT": "1.5"}, "TRACEONCE_LIMIT is '1.5'"),
        ({"TRACEONCE_LIMIT": "²"}, "TRACEONCE_LIMIT is '²'"),
        ({"TRACEONCE_ON_LIMIT": "die"}, "TRACEONCE_ON_LIMIT is 'die'; set it to raise or to warn."),
        ({"TRACEONCE_LOG": "yes"}, "TRACEONCE_LOG is 'yes'; set it to 1"),
    ],
)
def test_a_wrong_variable(tmp_path: Path, environment: dict[str, str], complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_config(tmp_path, environment)
    assert complaint in str(refused.value)


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    assert load_config(tmp_path, {"TRACEONCE_LIMIT": "", "TRACEONCE_LOG": " ", "TRACEONCE_ON_LIMIT": ""}) == Config()


def test_the_start_file_names_the_variables_that_need_it() -> None:
    """It is executed at every start of Python: it must look at the environment before it imports anything of ours."""
    (line,) = (ROOT / "traceonce.pth").read_text().splitlines()
    assert line.startswith("import os; ")
    assert line.index("TRACEONCE_LIMIT") < line.index("TRACEONCE_LOG") < line.index("__import__")
