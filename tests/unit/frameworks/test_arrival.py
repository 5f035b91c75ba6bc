"""A framework is awaited, not imported: the callback comes once the program's own import is done."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from traceonce.frameworks.base.arrival import Arrivals

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes a module that can be imported, and forgets it afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def write_module(name: str, source: str) -> None:
        file = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source))
        importlib.invalidate_caches()

    yield write_module
    for name in set(sys.modules) - before:
        if name.startswith("awaited"):
            del sys.modules[name]


class Awaiting:
    """An `Arrivals` for the length of a ``with`` block, and what it called back with."""

    def __init__(self, *names: str) -> None:
        self.seen: list[tuple[str, bool]] = []
        self.arrivals = Arrivals(names, self._arrived)

    def __enter__(self) -> Awaiting:
        self.arrivals.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.arrivals.stop()

    def _arrived(self, name: str) -> None:
        self.seen.append((name, getattr(sys.modules[name], "finished", False)))

    @property
    def waits(self) -> bool:
        return self.arrivals in sys.meta_path


def test_nothing_happens_until_the_module_is_imported(write: Write) -> None:
    write("awaited_a", "finished = True")
    write("awaited_b", "finished = True")
    with Awaiting("awaited_a") as awaiting:
        importlib.import_module("awaited_b")
        assert awaiting.seen == []
        assert awaiting.waits
        assert "awaited_a" not in sys.modules


def test_the_callback_comes_after_the_whole_module_was_executed(write: Write) -> None:
    write("awaited_c", "value = 1\nfinished = True")
    with Awaiting("awaited_c") as awaiting:
        module = importlib.import_module("awaited_c")
        assert awaiting.seen == [("awaited_c", True)]
        assert module.value == 1


def test_the_finder_takes_itself_out(write: Write) -> None:
    write("awaited_d", "finished = True")
    with Awaiting("awaited_d") as awaiting:
        assert awaiting.waits
        importlib.import_module("awaited_d")
        assert not awaiting.waits


def test_the_finder_stays_until_the_last_has_come(write: Write) -> None:
    write("awaited_e", "finished = True")
    write("awaited_f", "finished = True")
    with Awaiting("awaited_e", "awaited_f") as awaiting:
        importlib.import_module("awaited_f")
        assert awaiting.waits
        importlib.import_module("awaited_e")
        assert not awaiting.waits
        assert awaiting.seen == [("awaited_f", True), ("awaited_e", True)]


def test_an_import_that_fails_is_no_arrival_and_the_next_one_is(write: Write, tmp_path: Path) -> None:
    write("awaited_g", "raise RuntimeError('no driver')")
    with Awaiting("awaited_g") as awaiting:
        with pytest.raises(RuntimeError, match="no driver"):
            importlib.import_module("awaited_g")
        assert awaiting.seen == []
        assert awaiting.waits
        assert "awaited_g" not in sys.modules
        write("awaited_g", "finished = True  # longer, so that the cached code is not taken for it")
        importlib.import_module("awaited_g")
        assert awaiting.seen == [("awaited_g", True)]
        assert not awaiting.waits


def test_a_module_that_is_there_calls_back_at_once(write: Write) -> None:
    write("awaited_h", "finished = True")
    importlib.import_module("awaited_h")
    with Awaiting("awaited_h") as awaiting:
        assert awaiting.seen == [("awaited_h", True)]
        assert not awaiting.waits


def test_one_that_is_there_and_one_that_is_to_come(write: Write) -> None:
    write("awaited_i", "finished = True")
    write("awaited_j", "finished = True")
    importlib.import_module("awaited_i")
    with Awaiting("awaited_i", "awaited_j") as awaiting:
        assert awaiting.seen == [("awaited_i", True)]
        importlib.import_module("awaited_j")
        assert awaiting.seen == [("awaited_i", True), ("awaited_j", True)]


def test_a_second_import_and_a_reload_call_back_no_more(write: Write) -> None:
    write("awaited_k", "finished = True")
    with Awaiting("awaited_k") as awaiting:
        module = importlib.import_module("awaited_k")
        importlib.import_module("awaited_k")
        importlib.reload(module)
        assert len(awaiting.seen) == 1


def test_a_module_that_does_not_exist_is_missing_as_ever() -> None:
    with Awaiting("awaited_nowhere") as awaiting:
        with pytest.raises(ModuleNotFoundError, match="awaited_nowhere"):
            importlib.import_module("awaited_nowhere")
        assert awaiting.seen == []
        assert awaiting.waits


def test_looking_for_a_module_does_not_import_it(write: Write) -> None:
    """Libraries ask ``find_spec`` whether a framework is installed, and do not import it for that."""
    write("awaited_l", "finished = True")
    with Awaiting("awaited_l") as awaiting:
        assert importlib.util.find_spec("awaited_l") is not None
        assert awaiting.seen == []
        importlib.import_module("awaited_l")
        assert awaiting.seen == [("awaited_l", True)]


def test_a_submodule_can_be_awaited(write: Write) -> None:
    write("awaited_m.__init__", "")
    write("awaited_m.inner", "finished = True")
    with Awaiting("awaited_m.inner") as awaiting:
        importlib.import_module("awaited_m")
        assert awaiting.seen == []
        importlib.import_module("awaited_m.inner")
        assert awaiting.seen == [("awaited_m.inner", True)]


def test_two_can_wait_for_the_same_module(write: Write) -> None:
    write("awaited_n", "finished = True")
    with Awaiting("awaited_n") as first, Awaiting("awaited_n") as second:
        importlib.import_module("awaited_n")
        assert first.seen == second.seen == [("awaited_n", True)]
        assert [first.waits, second.waits] == [False, False]


def test_the_module_is_none_the_wiser(write: Write) -> None:
    """Its spec and its loader are what they would have been, and nothing of ours is left on them."""
    write("awaited_o", "finished = True")
    write("awaited_p", "finished = True")
    plain = importlib.import_module("awaited_p")
    with Awaiting("awaited_o"):
        module = importlib.import_module("awaited_o")
    assert type(module.__loader__) is type(plain.__loader__)
    assert vars(module.__loader__).keys() == vars(plain.__loader__).keys()
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__


def test_stopping_twice_and_stopping_early_do_no_harm(write: Write) -> None:
    write("awaited_q", "finished = True")
    with Awaiting("awaited_q") as awaiting:
        awaiting.arrivals.stop()
        awaiting.arrivals.stop()
        importlib.import_module("awaited_q")
        assert awaiting.seen == []


def test_the_traceback_of_a_failing_import_ends_in_the_module(write: Write) -> None:
    write("awaited_r", "def dig():\n    raise RuntimeError('deep')\ndig()\n")
    with Awaiting("awaited_r"), pytest.raises(RuntimeError) as failure:
        importlib.import_module("awaited_r")
    assert failure.traceback[-1].name == "dig"


def run(source: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )


def test_it_works_in_a_process_that_has_imported_nothing_else(tmp_path: Path) -> None:
    """As at the start of a watched program, when few modules of the standard library are there."""
    (tmp_path / "awaited_s.py").write_text("print('executed')\n")
    program = """
        from traceonce.frameworks.base.arrival import Arrivals
        Arrivals(["awaited_s"], lambda name: print("arrived", name)).start()
        import awaited_s
        print("imported")
    """
    done = run(program, tmp_path)
    assert (done.stdout, done.returncode) == ("executed\narrived awaited_s\nimported\n", 0), done.stderr[-800:]


def test_a_module_of_the_interpreter_is_not_broken_by_being_awaited(tmp_path: Path) -> None:
    """Built-in modules share one loader, a class: it is left alone, so that one is not waited for."""
    program = """
        from traceonce.frameworks.base.arrival import Arrivals
        import sys
        absent = set(sys.builtin_module_names) - set(sys.modules)
        name, other = sorted(absent & {"faulthandler", "_symtable"})
        Arrivals([name], lambda name: print("arrived")).start()
        __import__(name)
        __import__(other)
        print("both imported")
    """
    done = run(program, tmp_path)
    assert (done.stdout, done.returncode) == ("both imported\n", 0), done.stderr[-800:]


def unused(*_: Any) -> None:
    raise AssertionError("nothing is awaited")


def test_awaiting_nothing_is_over_at_once() -> None:
    arrivals = Arrivals([], unused)
    arrivals.start()
    arrivals.stop()
    assert arrivals not in sys.meta_path
