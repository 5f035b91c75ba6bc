"""Where SARIF says that things are: relative to the root of the source, whatever system a program ran on."""

from __future__ import annotations

from urllib.parse import unquote

import msgspec
import pytest

from tests.unit.handmade import STEP
from tests.unit.report.sarif_documents import URI, place, render, retracing
from traceonce.facts import FunctionId
from traceonce.report.sarif.uris import Uris

KERAS = "/venv/lib/python3.11/site-packages/keras/trainer.py"


@pytest.mark.parametrize(
    ("cwd", "file", "uri", "base"),
    [
        ("/home/user/project", "train.py", "train.py", "%SRCROOT%"),
        ("/home/user/project", "src/a b/训练 100%.py", "src/a%20b/%E8%AE%AD%E7%BB%83%20100%25.py", "%SRCROOT%"),
        ("/home/user/project", "/home/user/project/x/../train.py", "train.py", "%SRCROOT%"),
        ("/home/user/project", "/home/user/project2/train.py", "file:///home/user/project2/train.py", None),
        ("/home/user/project", "../other/train.py", "file:///home/user/other/train.py", None),
        ("/home/user/project", "a:b.py", "a%3Ab.py", "%SRCROOT%"),
        ("/home/user/project", "back\\slash.py", "back%5Cslash.py", "%SRCROOT%"),
        ("/", "train.py", "train.py", "%SRCROOT%"),
        ("", "src/train.py", "src/train.py", "%SRCROOT%"),
        ("relative", "train.py", "train.py", "%SRCROOT%"),
        ("", "/tmp/ipykernel_1/2.py", "file:///tmp/ipykernel_1/2.py", None),
        ("C:\\work\\my project", "src\\train.py", "src/train.py", "%SRCROOT%"),
        ("C:\\work\\my project", "c:\\Work\\my project\\train.py", "train.py", "%SRCROOT%"),
        ("C:\\work", "D:\\data\\a b.py", "file:///D:/data/a%20b.py", None),
        ("C:\\work", "\\\\server\\share\\train.py", "file://server/share/train.py", None),
        ("C:/work", "train.py", "train.py", "%SRCROOT%"),
    ],
)
def test_files_are_named_as_uris(cwd: str, file: str, uri: str, base: str | None) -> None:
    located = Uris(cwd).locate(file)
    assert located is not None
    assert (located["uri"], located.get("uriBaseId")) == (uri, base)
    assert URI.fullmatch(uri)


@pytest.mark.parametrize(
    ("cwd", "root"),
    [
        ("/home/user/a b", "file:///home/user/a%20b/"),
        ("/", "file:///"),
        ("C:\\work\\训练", "file:///C:/work/%E8%AE%AD%E7%BB%83/"),
        ("\\\\server\\share", "file://server/share/"),
        ("", None),
        ("relative", None),
    ],
)
def test_the_root_of_the_source_ends_with_a_slash(cwd: str, root: str | None) -> None:
    assert Uris(cwd).source_root == Uris(cwd).working_folder == root


def test_on_github_files_are_named_from_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the program was started in a folder below."""
    monkeypatch.setenv("GITHUB_WORKSPACE", "/home/runner/work/repo")
    uris = Uris("/home/runner/work/repo/model")
    assert uris.locate("train.py") == {"uri": "model/train.py", "uriBaseId": "%SRCROOT%"}
    assert uris.source_root == "file:///home/runner/work/repo/"
    assert uris.working_folder == "file:///home/runner/work/repo/model/"
    elsewhere = Uris("/home/runner/work/repository")
    assert elsewhere.locate("train.py") == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}


def test_code_in_no_file_is_shown_where_it_was_called_or_where_it_ran() -> None:
    function = FunctionId("step", "<string>", 1)
    (result,) = render(retracing(function))["results"]
    assert place(result) == ("train.py", "%SRCROOT%", 47)
    uncalled = msgspec.structs.replace(
        retracing(function),
        events=tuple(msgspec.structs.replace(event, call_site=None) for event in retracing(function).events),
    )
    (result,) = render(uncalled)["results"]
    assert place(result) == ("train.py", "%SRCROOT%", None)
    (result,) = render(msgspec.structs.replace(uncalled, command=()))["results"]
    (location,) = result["locations"]
    assert set(location) == {"logicalLocations"}


def test_a_function_of_a_library_is_shown_at_the_users_line() -> None:
    (result,) = render(retracing(FunctionId("Trainer.step", KERAS, 80, library=True)))["results"]
    assert place(result) == ("train.py", "%SRCROOT%", 47)
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == f"file://{KERAS}"


def test_a_fingerprint_outlives_lines_that_move() -> None:
    """And tells functions of one name apart."""
    marks = [
        render(retracing(msgspec.structs.replace(STEP, line=line)))["results"][0]["partialFingerprints"]
        for line in (22, 40)
    ]
    assert marks[0] == marks[1]
    other = render(retracing(msgspec.structs.replace(STEP, name="other")))["results"][0]["partialFingerprints"]
    assert other != marks[0]


def test_uris_lead_back_to_the_file() -> None:
    located = Uris("/home/user/project").locate("src/a b/训练#1?.py")
    assert located is not None
    assert unquote(located["uri"]) == "src/a b/训练#1?.py"
