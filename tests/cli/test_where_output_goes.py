"""Output to files, links, pipes, full disks and closed streams: nothing is destroyed, and no traceback is shown."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess

import pytest

from tests.cli.shells import TOO_LONG, Shell

RENDER = ("knowledge", "render", "retracing-shape")


@pytest.fixture
def document(shell: Shell) -> bytes:
    return shell.traceonce(*RENDER).out


def test_a_file_keeps_its_mode(shell: Shell, document: bytes) -> None:
    path = shell.write("page.md", "before")
    path.chmod(0o600)
    assert shell.traceonce(*RENDER, "-o", "page.md").status == 0
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (document, 0o600)


def test_a_link_stays_a_link(shell: Shell, document: bytes) -> None:
    target = shell.write("kept/page.md", "before")
    (shell.cwd / "link.md").symlink_to(target)
    assert shell.traceonce(*RENDER, "-o", "link.md").status == 0
    assert (shell.cwd / "link.md").is_symlink()
    assert target.read_bytes() == document
    assert [path.name for path in target.parent.iterdir()] == ["page.md"]


def test_a_pipe_is_written_through(shell: Shell, document: bytes) -> None:
    os.mkfifo(shell.cwd / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=shell.cwd, stdout=subprocess.PIPE)
    assert shell.traceonce(*RENDER, "-o", "pipe").status == 0
    assert reader.communicate(timeout=TOO_LONG)[0] == document
    assert (shell.cwd / "pipe").is_fifo()


@pytest.mark.parametrize("arguments", [RENDER, ("knowledge", "list"), ("explain", "retracing-shape")])
def test_a_full_disk_is_said(shell: Shell, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*shell.entry, *arguments],
            cwd=shell.cwd,
            env=shell.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=TOO_LONG,
        )
    assert (done.returncode, done.stderr) == (
        2,
        b"traceonce: cannot write the output: No space left on device\n",
    )


def test_closed_streams(shell: Shell) -> None:
    entry = shlex.join(shell.entry)
    assert shell.execute(["sh", "-c", f"{entry} knowledge stats >&-"]).status == 0
    done = shell.execute(["sh", "-c", f"{entry} explain - <&-"])
    assert (done.status, done.err) == (2, b"traceonce: -: standard input is closed.\n")


def test_a_compressed_log(shell: Shell) -> None:
    message = b"ValueError: 'a' has shape (0,) before the loop, but shape (1,) after one iteration.\n"
    (shell.cwd / "train.log.gz").write_bytes(gzip.compress(message))
    done = shell.traceonce("explain", "train.log.gz")
    assert (done.status, done.text.splitlines()[0].split()[0]) == (0, "tensorflow/loop-variable-shape")
    (shell.cwd / "cut.log.gz").write_bytes(gzip.compress(os.urandom(10_000))[:5_000])
    done = shell.traceonce("explain", "cut.log.gz")
    assert (done.status, done.errors.startswith("traceonce: cut.log.gz: cannot be read: ")) == (2, True)


def test_a_page_without_a_name_goes_into_the_working_folder(shell: Shell) -> None:
    """`run` says where; what lies there already is replaced only where it is a report of ours."""
    shell.write("empty.py", "")
    for _ in range(2):
        done = shell.traceonce("run", "--format", "html", "empty.py")
        page = shell.cwd / "traceonce-report.html"
        assert (done.status, done.errors) == (0, f"traceonce  no function was traced\nreport: {page.as_uri()}\n")
        assert page.read_text().startswith("<!DOCTYPE html>")
    page.write_text("my own")
    done = shell.traceonce("run", "--format", "html", "empty.py")
    assert (done.status, page.read_text()) == (2, "my own")
    assert "name another file with -o" in done.errors


def test_a_page_of_a_recording_is_piped_on(shell: Shell) -> None:
    """`report` writes to a pipe what is piped, in the language that is asked for; other forms know English only."""
    shell.write("empty.py", "")
    shell.traceonce("run", "--quiet", "--recording", "run.jsonl", "empty.py")
    done = shell.traceonce("report", "run.jsonl", "--format", "html", "--lang", "zh")
    assert (done.status, done.text.startswith("<!DOCTYPE html>")) == (0, True)
    assert not (shell.cwd / "traceonce-report.html").exists()
    done = shell.traceonce("report", "run.jsonl", "--format", "sarif", "--lang", "zh")
    assert (done.status, "Chinese formats: html, markdown" in done.errors) == (2, True)
