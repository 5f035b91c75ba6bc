"""``%%traceonce`` in a real IPython shell, and once in a real notebook."""

from __future__ import annotations

import html
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import traceonce

LOAD = "%load_ext traceonce"
STEP = textwrap.dedent("""\
    @tf.function
    def step(x, n):
        return x * n
    """)


class Shell:
    """A shell in a terminal, as `ipython` starts it, without its history."""

    def __init__(self, folder: Path, tf: Any) -> None:
        settings = Config()
        settings.HistoryManager.enabled = False
        settings.InteractiveShell.colors = "nocolor"
        self.shell = InteractiveShell(config=settings, ipython_dir=str(folder), user_ns={"tf": tf})

    def run(self, cell: str) -> Any:
        """The value of a cell that succeeds."""
        result = self.shell.run_cell(cell, store_history=True)
        result.raise_error()
        return result.result

    def fail(self, cell: str) -> BaseException:
        """The error of a cell that does not."""
        result = self.shell.run_cell(cell, store_history=True)
        error = result.error_in_exec or result.error_before_exec
        assert isinstance(error, BaseException)
        return error


@pytest.fixture
def ipython(tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell that has the extension and a function; what it replaces in the process is put back."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    main = sys.modules["__main__"]
    shell = Shell(tmp_path / "ipython", tf)
    shell.run(LOAD)
    shell.run(STEP)
    yield shell
    shell.shell.restore_sys_module_state()
    sys.modules["__main__"] = main


LOOP = "%%traceonce\nfor n in range(4):\n    y = step(tf.ones([n + 1]), n)\n"


def test_a_cell_is_watched_and_its_report_is_printed(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    """Functions and calls are found in the cells that the user knows, at the lines that the user sees."""
    ipython.run(LOOP)
    shown = capsys.readouterr().out
    assert shown.startswith("traceonce  1 function, 4 traces")
    assert re.search(r"step  retraced 3 times in 4 calls .* In\[2\]:1, called from In\[3\]:3\n", shown)


def test_the_last_expression_is_the_value_of_the_cell(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert ipython.run(LOOP + "int(y[0])") == 3
    shown = capsys.readouterr().out
    assert shown.index("traceonce  1 function") < shown.index("Out[3]: 3")
    assert ipython.run("Out[3]") == 3
    assert ipython.run("%%traceonce --quiet\nint(y[0]);") is None


def test_a_line_is_watched_and_has_a_value(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert ipython.run("v = %traceonce --format text float(step(tf.ones([2]), {'a': 5}['a'])[0])\nv") == 5.0
    assert capsys.readouterr().out.startswith("traceonce  1 function, 1 trace: nothing to fix")


def test_an_error_is_the_cells_own_and_the_report_still_comes(
    ipython: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ipython.fail("%%traceonce\nstep(tf.ones([2]), 7)\n1 / 0\n")
    assert type(error) is ZeroDivisionError
    shown = capsys.readouterr().out
    report, traceback = shown.split("ZeroDivisionError", 1)
    assert report.startswith("traceonce  1 function, 1 trace")
    assert "----> 3 1 / 0\n" in traceback
    assert "integrations/jupyter" not in traceback


def test_a_mistake_in_the_code_is_told_without_a_report(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(ipython.fail("%%traceonce\nif True print\n"), SyntaxError)
    assert "traceonce  " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("%traceonce", "there is no code to watch"),
        ("%%traceonce train()\n1", "'train()' is no option; code goes into the lines below"),
        ("%%traceonce --format pdf\nran = True", "--format"),
        ("%%traceonce -o /nowhere/x.html\nran = True", "no folder /nowhere"),
    ],
)
def test_wrong_options_are_a_line_and_nothing_runs(
    ipython: Shell, cell: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ipython.fail(cell)
    told = capsys.readouterr()
    assert reason in told.err
    assert len((told.out + told.err).splitlines()) == 1
    assert "ran" not in ipython.shell.user_ns


def test_help(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    ipython.run("%traceonce --help")
    assert "--name VARIABLE" in capsys.readouterr().out


def test_what_was_seen_is_kept_under_a_name(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    ipython.run(LOOP.replace("%%traceonce", "%%traceonce --quiet --name seen"))
    assert capsys.readouterr().out == ""
    seen = ipython.shell.user_ns["seen"]
    assert isinstance(seen, traceonce.Watch)
    assert seen.count("step") == 4


def test_a_report_goes_to_a_file_of_any_form(
    ipython: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The source of the cells is in it."""
    ipython.run(LOOP.replace("%%traceonce", f"%%traceonce -o '{tmp_path}/a page.html'"))
    told = capsys.readouterr().out.splitlines()
    assert (told[0][:9], told[1]) == ("traceonce", f"report: {tmp_path}/a page.html")
    page = (tmp_path / "a page.html").read_text()
    assert "return x * n" in page
    assert "In[2]" in page
    ipython.run(f"%%traceonce --lang zh -o {tmp_path}/seen.md\nstep(tf.ones([9]), 9)")
    assert (tmp_path / "seen.md").read_text().startswith("## traceonce：")


def test_ipythons_own_syntax_works_in_a_cell(ipython: Shell) -> None:
    assert ipython.run("%%traceonce --quiet\nx = !echo hello\nx[0]") == "hello"
    branch = "    if x > 0:\n        x = x / 2\n    return x\n"  # AutoGraph reads the source
    ipython.run(f"%%traceonce --quiet\n@tf.function\ndef half(x):\n{branch}half(tf.constant(4.0))")
    assert float(ipython.run("half(tf.constant(-4.0))")) == -4.0


def test_every_expression_is_shown_to_who_wants_that(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    ipython.shell.ast_node_interactivity = "all"
    assert ipython.run("%%traceonce --quiet\n1 + 1\n2 + 2") == 4
    assert re.findall(r"Out\[3\]: (\d)", capsys.readouterr().out) == ["2", "4"]
    ipython.shell.ast_node_interactivity = "none"
    assert ipython.run("%%traceonce --quiet\n1 + 1") is None


def test_it_can_be_unloaded(ipython: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    ipython.run(LOAD.replace("%load", "%unload"))
    ipython.fail("%%traceonce\n1")
    assert "not found" in capsys.readouterr().err


def test_a_notebook_shows_the_page_below_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real kernel: the page in a frame of its own, the value of the cell, and an error that ends the notebook.

    What `traceonce.watch()` gives is shown in the same way, with cells by their names.
    """
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    block = "import traceonce\nwith traceonce.watch() as seen:\n    step(tf.ones([20]), 20)\nseen"
    cells = [f"{LOAD}\nimport tensorflow as tf", STEP, LOOP + "int(y[0])", block, "%%traceonce\n1 / 0", "never = 1"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="division by zero"):
        nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        ).execute()
    watched, shown, failed, never = notebook.cells[2:]
    report, value = [output for output in watched.outputs if output.output_type != "stream"]
    assert value.data["text/plain"] == "3"
    assert report.data["text/plain"].startswith("traceonce  1 function, 4 traces")
    (of_block,) = [output for output in shown.outputs if output.output_type != "stream"]
    assert of_block.data["text/plain"].startswith("<traceonce.Watch: 1 function, 1 trace, 1 retrace, ")
    for data in (report.data, of_block.data):
        frame = re.fullmatch(r'<iframe ([^<>]*) srcdoc="([^"<>]*)"></iframe>', data["text/html"])
        assert frame
        assert 'sandbox="allow-scripts' in frame[1]
        assert "allow-same-origin" not in frame[1]
        page = html.unescape(frame[2])
        assert page.lower().startswith("<!doctype html>")
        assert "return x * n" in page
        assert "In[2]" in page
        assert "ipykernel_launcher" not in page
    assert [output.output_type for output in failed.outputs if output.output_type != "stream"] == [
        "display_data",
        "error",
    ]
    assert never.outputs == []
