"""A program under `traceonce run` cannot tell it from `python`: the same output, byte for byte, and the same end.

Each case runs the same thing both ways. With `--quiet` nothing of ours is in the way, so all is compared.
"""

from __future__ import annotations

import os
import signal
import sys
import zipfile

import pytest

from tests.cli.shells import MODULE, Shell

SHOW = """\
import __main__, os, sys
print(sys.argv, sys.orig_argv, __name__, globals().get("__file__"), __spec__ and __spec__.name, sep="\\n")
print(sys.path, os.getcwd(), sys.flags, sys.warnoptions, sorted(vars(__main__)), sep="\\n")
print(sys.stdin.read())
"""


def assert_same(shell: Shell, *arguments: str | bytes, **options: object) -> None:
    expected = shell.python(*arguments, **options)
    assert shell.run(*arguments, **options) == expected


@pytest.mark.parametrize("path", ["show.py", "deep/er/show.py", "./show.py", "deep/../show.py"])
def test_a_script(either_shell: Shell, path: str) -> None:
    either_shell.write("deep/er/show.py", SHOW)
    either_shell.write("show.py", SHOW)
    assert_same(either_shell, path, stdin=b"from standard input\n")


def test_a_script_by_its_whole_path(either_shell: Shell) -> None:
    assert_same(either_shell, str(either_shell.write("deep/show.py", SHOW)))


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "x", "-c", "y", "--", "-", "--quiet"),
        ("--format", "json", "-o", "report.json", "--recording", "r.jsonl", "--fail-on", "retracing"),
        ("--help",),
        ("-h", "--version"),
        ("", "a b", "é", "*", "$HOME", "\n"),
        (b"\xff\xfe",),
    ],
)
def test_arguments_belong_to_the_program(shell: Shell, arguments: tuple[str | bytes, ...]) -> None:
    shell.write("show.py", SHOW)
    assert_same(shell, "show.py", *arguments)
    assert not (shell.cwd / "report.json").exists()


def test_a_module_and_a_package(either_shell: Shell) -> None:
    either_shell.write("package/__init__.py", "print('the package')")
    either_shell.write("package/__main__.py", SHOW)
    either_shell.write("package/inner.py", SHOW)
    assert_same(either_shell, "-m", "package", "--format", "json", "-m", "other")
    assert_same(either_shell, "-m", "package.inner", "--", "a")


@pytest.mark.parametrize("module", ["no_such_module", "json", "json.no_such_module"])
def test_a_module_that_cannot_be_run(shell: Shell, module: str) -> None:
    """Python says so itself, in its own words."""
    assert_same(shell, "-m", module)


def test_a_module_of_the_standard_library(shell: Shell) -> None:
    assert_same(shell, "-m", "json.tool", "--indent", "1", stdin=b'{"a": [1, 2]}')


def test_code(either_shell: Shell) -> None:
    assert_same(either_shell, "-c", SHOW, "a", "--quiet", "-m", stdin=b"text")
    assert_same(either_shell, "-c", "def f():\n  return 1 / 0\nf()")


@pytest.mark.parametrize("option", ["-c", "-m"])
def test_the_name_may_follow_without_a_space(shell: Shell, option: str) -> None:
    """As ``python -mpackage`` and ``python -cCODE`` may be written."""
    shell.write("show.py", SHOW)
    assert_same(shell, {"-c": "-cprint(1)", "-m": "-mshow"}[option], "a")


def test_a_script_from_standard_input(either_shell: Shell) -> None:
    assert_same(either_shell, "-", "a", "--format", stdin=SHOW.encode())
    assert_same(either_shell, "-", stdin=b"raise SystemExit(4)")


def test_a_folder_and_a_zip_file(either_shell: Shell) -> None:
    either_shell.write("folder/__main__.py", SHOW)
    with zipfile.ZipFile(either_shell.cwd / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", SHOW)
    assert_same(either_shell, "folder", "a", "--quiet")
    assert_same(either_shell, "app.pyz", "a", "--quiet")


def test_two_dashes_end_our_options(either_shell: Shell) -> None:
    either_shell.write("show.py", "import sys; print(sys.argv, __file__)")
    assert either_shell.run("--", "show.py", "a", "--", "b") == either_shell.python("show.py", "a", "--", "b")


def test_two_dashes_before_a_name_that_looks_like_an_option(shell: Shell) -> None:
    shell.write("-odd.py", "import sys; print(sys.argv, __file__)")
    expected = shell.python("--", "-odd.py", "a")
    assert expected.status == 0
    assert shell.run("--", "-odd.py", "a") == expected


def test_standard_input_and_output_byte_for_byte(either_shell: Shell) -> None:
    either_shell.write("copy.py", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    data = bytes(range(256)) * 1000 + b"\r\n no newline at the end"
    outcome = either_shell.run("copy.py", stdin=data)
    assert outcome == (0, data, b"")


@pytest.mark.parametrize(
    "code",
    ["pass", "sys.exit(0)", "sys.exit(7)", "sys.exit('some text')", "sys.exit(None)", "sys.exit(-1)", "os._exit(5)",
     "raise SystemExit((1, 2))", "raise KeyboardInterrupt", "os.abort()"],
)  # fmt: skip
def test_the_end(either_shell: Shell, code: str) -> None:
    either_shell.write("end.py", f"import os, sys\nprint('begun', flush=True)\n{code}\n")
    assert_same(either_shell, "end.py")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT, signal.SIGPIPE, 40])
def test_the_end_by_a_signal(shell: Shell, number: int) -> None:
    """Also by one that has no name in Python's `signal` module (40, a real-time signal)."""
    code = f"import os, signal; signal.signal({number:d}, signal.SIG_DFL) if {number:d} != 9 else 0; "
    code += f"print('begun', flush=True); os.kill(os.getpid(), {number:d})"
    expected = shell.python("-c", code)
    assert expected.status == -number
    assert shell.run("-c", code) == expected


def test_an_uncaught_exception(either_shell: Shell) -> None:
    either_shell.write("helper.py", "def divide(a):\n    return a / 0\n")
    either_shell.write(
        "fail.py",
        """\
        import helper

        def main():
            try:
                helper.divide(1)
            except ZeroDivisionError as error:
                raise ValueError("wrapped") from error

        main()
        """,
    )
    expected = either_shell.python("fail.py")
    assert expected.status == 1
    assert b"ValueError: wrapped" in expected.err
    assert either_shell.run("fail.py") == expected


def test_a_syntax_error(either_shell: Shell) -> None:
    either_shell.write("broken.py", "print('never')\nx = = 1\n")
    expected = either_shell.python("broken.py")
    assert b"SyntaxError" in expected.err
    assert either_shell.run("broken.py") == expected


def test_exit_handlers_and_threads(either_shell: Shell) -> None:
    """Handlers run in their order, after the last thread."""
    either_shell.write(
        "handlers.py",
        """\
        import atexit, threading
        atexit.register(print, "registered first")
        atexit.register(print, "registered last")
        gate = threading.Event()
        threading.Thread(target=lambda: (gate.wait(), print("thread"))).start()
        print("main")
        gate.set()
        """,
    )
    outcome = either_shell.run("handlers.py")
    assert outcome == (0, b"main\nthread\nregistered last\nregistered first\n", b"")


def test_modules_from_the_users_path(either_shell: Shell) -> None:
    either_shell.write("lib/helper.py", "WORD = 'from PYTHONPATH'")
    either_shell.write("use.py", "import sys, helper; print(helper.WORD, sys.path)")
    for value in (str(either_shell.cwd / "lib"), "lib", os.pathsep.join(["lib", "nowhere"])):
        assert_same(either_shell, "use.py", env={"PYTHONPATH": value})


def test_the_users_own_sitecustomize(either_shell: Shell) -> None:
    """It runs, once, as ours hands over to it."""
    either_shell.write("lib/sitecustomize.py", "import builtins; builtins.RUNS = vars(builtins).get('RUNS', 0) + 1")
    either_shell.write("use.py", "import builtins, sitecustomize; print(RUNS, sitecustomize.__file__)")
    expected = either_shell.python("use.py", env={"PYTHONPATH": "lib"})
    assert expected.out.startswith(b"1 ")
    assert either_shell.run("use.py", env={"PYTHONPATH": "lib"}) == expected


def test_a_sitecustomize_that_fails(either_shell: Shell) -> None:
    """Python complains and goes on, in our process and in the program's."""
    either_shell.write("lib/sitecustomize.py", "1 / 0")
    expected = either_shell.python("-c", "print('on')", env={"PYTHONPATH": "lib"})
    outcome = either_shell.run("-c", "print('on')", env={"PYTHONPATH": "lib"})
    assert outcome == (0, b"on\n", 2 * expected.err)


@pytest.mark.parametrize("name", ["calendar", "uuid", "platform", "email", "random", "token"])
def test_a_module_of_the_user_that_is_named_like_one_of_the_standard_library(shell: Shell, name: str) -> None:
    """The script's folder comes first, unless somebody has imported the other one already."""
    shell.write(f"{name}.py", "WORD = 'mine'")
    shell.write("use.py", f"import {name}; print({name}.WORD)")
    expected = shell.python("use.py")
    assert expected.out == b"mine\n"
    assert shell.run("use.py") == expected


def test_open_files_are_inherited(shell: Shell) -> None:
    """As for ``python script.py <(zcat data.gz)``, where the shell passes /dev/fd/63."""
    shell.write("read.py", "import sys; print(open(sys.argv[1]).read())")
    shell.write("data.txt", "the data")
    with (shell.cwd / "data.txt").open() as data:
        for run in (shell.python, shell.run):
            data.seek(0)
            outcome = run("read.py", f"/dev/fd/{data.fileno()}", pass_fds=[data.fileno()])
            assert outcome == (0, b"the data\n", b"")


def test_the_options_of_the_interpreter(shell: Shell) -> None:
    """``python -X dev -W error -m traceonce run …`` is ``python -X dev -W error …``; and nothing of ours warns."""
    shell.write("show.py", SHOW)
    shell.write("warn.py", "import warnings; warnings.warn('now an error')")
    shell.entry = [shell.interpreter, "-X", "dev", "-Werror", "-u", *MODULE[1:]]
    for script in ("show.py", "warn.py"):
        expected = shell.python("-X", "dev", "-Werror", "-u", script, "a")
        assert shell.run(script, "a") == expected


def test_a_program_that_removes_its_own_folder(shell: Shell) -> None:
    shell.write("away/keep.txt", "")
    code = "import os; os.remove('keep.txt'); os.rmdir(os.getcwd()); print('gone')"
    outcome = shell.run("-c", code, cwd=shell.cwd / "away")
    assert outcome == (0, b"gone\n", b"")


def test_a_program_that_replaces_itself(shell: Shell) -> None:
    shell.write(
        "again.py",
        """\
        import os, sys
        print(sys.argv, flush=True)
        if len(sys.argv) == 1:
            os.execv(sys.executable, [sys.executable, "again.py", "second"])
        sys.exit(6)
        """,
    )
    assert_same(shell, "again.py")


def test_an_interpreter_that_has_no_traceonce(shell: Shell) -> None:
    """A program may start any Python; ours must not get in the way of one that does not have it."""
    other = getattr(sys, "_base_executable", sys.executable)
    probe = shell.execute([other, "-c", "import traceonce"])
    if probe.status == 0:
        pytest.skip("the base interpreter has traceonce, too")
    shell.write("outer.py", "import subprocess, sys; subprocess.run([sys.argv[1], 'inner.py'], check=True)")
    shell.write("inner.py", "import sys; print(sys.path, 'traceonce' in sys.modules)")
    assert_same(shell, "outer.py", other)


def test_standard_error_passes_through_where_it_is_read(shell: Shell) -> None:
    """With `--xla` the log of TensorFlow is read on its way; all that it did not write arrives as it was written.

    Neither a sentence that begins with the letter of a level, nor the log of a Python program (absl writes it in the
    same form) is TensorFlow's: a source file in C++ is what tells its own lines.
    """
    shell.write(
        "errors.py",
        """\
        import sys
        lines = [
            b"I am no log line", b"W", b"E is a letter", b"\\xff\\x00 no text", b"",
            b"I1115 06:45:17.123456 140204 train.py:10] step 1", b"E1115 06:45:17.123457 140204 train.py:11] wrong",
            b"no newline at the end",
        ]
        sys.stderr.buffer.write(b"\\n".join(lines))
        print("out")
        sys.exit(5)
        """,
    )
    for level in ("0", "3"):
        expected = shell.python("errors.py", env={"TF_CPP_MIN_LOG_LEVEL": level})
        assert expected.err.count(b"\n") == 7
        assert shell.run("--xla", "errors.py", env={"TF_CPP_MIN_LOG_LEVEL": level}) == expected
