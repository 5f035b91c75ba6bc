"""The tools for agents, called by the SDK's own client on real recordings: what they answer, and how they refuse.

The client checks every answer against the schema that the tool was listed with.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import mcp.types as types
import msgspec
import pytest
from mcp import Client, MCPError
from mcp.server.lowlevel import Server

from traceonce.commands.mcp import open_desk
from traceonce.console.program_command import split_arguments
from traceonce.facts import Leaf, Recording, Signature
from traceonce.serve.mcp.bounds import WHOLE
from traceonce.serve.mcp.fix_findings import proving_command
from traceonce.serve.mcp.instructions import LOCAL
from traceonce.serve.mcp.server import make_server

RECORDED = Path(__file__).parents[1] / "recorded"
NAMES = sorted(path.name for path in RECORDED.glob("*.jsonl"))
SYMBOLIC = "OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's folder, with the recordings of real programs in it; `translate` was the last to run."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(RECORDED, home / "recordings", ignore=shutil.ignore_patterns("programs", "*.py", "*.md"))
    (home / "latest").write_text(str(home / "recordings" / "translate.jsonl"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACEONCE_HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def server(home: Path) -> Server[Any]:
    """What `traceonce mcp` serves, in this process."""
    desk = open_desk()
    return make_server(lambda: desk, LOCAL)


def ask(server: Server[Any], tool: str, **arguments: Any) -> types.CallToolResult:
    async def talk() -> types.CallToolResult:
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(talk)


def answer(server: Server[Any], tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
    """The answer as data and in words, both within bounds."""
    result = ask(server, tool, **arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    remarks = result.structured_content.get("left_out", [])
    assert len(msgspec.json.encode({**result.structured_content, "left_out": []})) <= WHOLE
    assert len(text_of(result).encode()) <= WHOLE + len(msgspec.json.encode(remarks))
    return result.structured_content, text_of(result)


def refusal(server: Server[Any], tool: str, **arguments: Any) -> str:
    result = ask(server, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    assert "Traceback" not in text_of(result)
    return text_of(result)


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def save(recording: Recording, path: Path) -> None:
    """As a JSON report has it."""
    path.write_bytes(msgspec.json.encode({"schema": recording.schema, **msgspec.to_builtins(recording)}))


def test_what_an_agent_is_told(server: Server[Any]) -> None:
    """The instructions name every step of the work, and tools that there are."""

    async def talk() -> tuple[str, list[types.Tool], types.ServerCapabilities]:
        async with Client(server) as client:
            return client.instructions or "", (await client.list_tools()).tools, client.server_capabilities

    instructions, tools, capabilities = anyio.run(talk)
    names = [tool.name for tool in tools]
    assert names == [
        "explain_error",
        "list_recordings",
        "recording_findings",
        "propose_fix",
        "search_records",
        "get_record",
        "report_outcome",
    ]
    for step in ("traceonce run --recording", *names, "traceonce fix"):
        assert step in instructions
    assert capabilities.tools is not None
    assert capabilities.resources is not None
    assert capabilities.prompts is None


def test_every_tool_is_described(server: Server[Any]) -> None:
    """Arguments are typed, limited and explained, unknown ones refused; results have a schema; hints are true."""

    async def talk() -> list[types.Tool]:
        async with Client(server) as client:
            return (await client.list_tools()).tools

    for tool in anyio.run(talk):
        assert tool.title
        assert tool.description
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(schema)
        assert tool.input_schema["additionalProperties"] is False
        for name, argument in tool.input_schema["properties"].items():
            assert argument["description"], name
            if argument.get("type") == "string":
                assert argument["maxLength"] <= 200_000, name
        hints = tool.annotations
        assert hints is not None
        writes = tool.name == "report_outcome"
        assert (hints.read_only_hint, hints.destructive_hint) == (not writes, False)
        assert (hints.idempotent_hint, hints.open_world_hint) == (not writes, False)


def test_findings_of_the_last_run(server: Server[Any]) -> None:
    """Worst first: verdict, cost, causes with their values, call sites, fixes, records; in data and in words."""
    found, text = answer(server, "recording_findings")
    assert found["recording"] == "translate.jsonl"
    assert found["headline"].startswith("5 functions, 47 traces")
    assert found["command"] == ["translate.py"]
    assert found["started"].startswith("20")
    worst = found["functions"][0]
    assert (worst["name"], worst["verdict"], worst["ignorable"]) == ("Translator.train_step", "retracing", False)
    assert (worst["traces"], worst["calls"]) == (41, 41)
    assert 0 < worst["share"] < 1
    causes = {cause["path"]: cause for cause in worst["causes"]}
    assert causes["step"]["code"] == "value"
    assert causes["step"]["values"][:3] == ["0", "1", "2"]
    assert all(cause["remedy"] and cause["evidence"] == "measured" for cause in worst["causes"])
    assert worst["call_sites"][0] == {"file": "translate.py", "line": 65, "count": 41, "via": None}
    assert worst["fixes"][0]["status"] == "predicted"
    assert "tensorflow/retracing-python-number" in worst["records"]
    assert [function["ignorable"] for function in found["functions"]].count(True) == 2
    for part in (found["headline"], "Translator.train_step: retracing", "`step`", "translate.py:65", *worst["records"]):
        assert part in text
    assert worst["fixes"][0]["snippet"] in text
    assert "predicted, not run" in text
    assert "traceonce fix --function Translator.train_step translate.py" in found["next_step"]


@pytest.mark.parametrize("name", NAMES)
def test_every_recording(server: Server[Any], name: str) -> None:
    """Each function is found, by its whole name and by the last part of it, and there is something to say of it."""
    found, text = answer(server, "recording_findings", recording=name)
    for function in found["functions"]:
        assert f"## {function['name']}: {function['verdict']}" in text
        short = function["name"].rpartition(".")[2]
        named, _ = answer(server, "recording_findings", recording=name.removesuffix(".jsonl"), function=short)
        assert function["name"] in [one["name"] for one in named["functions"]]
        fixes, words = answer(server, "propose_fix", recording=name, function=function["name"])
        assert fixes["summary"]
        assert fixes["verdict"] == function["verdict"]
        assert fixes["summary"] in words
        if function["ignorable"]:
            assert fixes["summary"].startswith("Nothing needs to be changed")
            assert fixes["prove_with"] is None
        else:
            assert fixes["fixes"] or fixes["advice"] or fixes["records"]


def test_a_proved_fix(server: Server[Any]) -> None:
    """With its diff, what was measured before and after, and what to know before it is used."""
    found, text = answer(server, "propose_fix", recording="translate_fixed", function="Translator.train_step")
    fix = found["fixes"][0]
    assert (fix["status"], fix["proof"]["verdict"], fix["proof"]["outputs_equal"]) == ("proved", "proved", True)
    assert fix["traces_after"] == fix["proof"]["after"]["traces"] < fix["traces_before"] == 41
    assert fix["diff"].startswith("--- a/translate.py")
    assert fix["diff"].rstrip("\n") in text
    assert "(proved)" in text
    assert "1 proved by running it" in found["summary"]


def test_a_predicted_fix_says_so(server: Server[Any]) -> None:
    """It was not run, and the command that would run it is there."""
    found, text = answer(server, "propose_fix", function="train_step")
    fix = found["fixes"][0]
    assert (fix["status"], fix["proof"], fix["diff"]) == ("predicted", None, None)
    assert "none of them proved" in found["summary"]
    assert found["prove_with"] == "traceonce fix --function Translator.train_step translate.py"
    assert found["prove_with"] in text
    assert "(proved)" not in text


def test_no_fix_is_made_up(server: Server[Any]) -> None:
    """Where there is none, that is said, and where to read on."""
    found, text = answer(server, "propose_fix", recording="silently_wrong", function="describe")
    assert found["fixes"] == []
    assert found["summary"].startswith("The recording alone suggests no fix.")
    assert found["records"][0] in text


def test_what_a_trace_raised_says_what_may_help(server: Server[Any]) -> None:
    """AutoGraph had converted it: to switch that on is no fix, and nothing is said of variables or of NumPy."""
    found, _ = answer(server, "propose_fix", recording="fails", function="keep_positive")
    assert [fix["snippet"] for fix in found["fixes"]] == ["def keep_positive(…):  # without @tf.function"]
    assert found["fixes"][0]["traces_after"] is None


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (("train.py",), ("script", "train.py", ())),
        (("my train.py", "--write", "--epochs", "1"), ("script", "my train.py", ("--write", "--epochs", "1"))),
        (("-m", "package.train", "--function", "x"), ("module", "package.train", ("--function", "x"))),
        (("train.py", "data set"), ("script", "train.py", ("data set",))),
    ],
)
def test_the_command_that_proves_a_fix(command: tuple[str, ...], program: tuple[str, str, tuple[str, ...]]) -> None:
    """`traceonce fix` reads it as it is meant: the program's own arguments stay its own."""
    shown = proving_command(Recording(command=command), "A.step")
    assert shown is not None
    first, second, *words = shlex.split(shown)
    ours, target = split_arguments(words, {"--function"})
    assert (first, second, ours) == ("traceonce", "fix", ["--function", "A.step"])
    assert target is not None
    assert (target.kind, target.name, target.arguments) == program


@pytest.mark.parametrize("command", [(), ("-c", "print()"), ("notebook",)])
def test_a_program_that_cannot_be_run_again(command: tuple[str, ...]) -> None:
    """No command is made up for it."""
    assert proving_command(Recording(command=command), "step") is None


def test_an_error_is_explained(server: Server[Any]) -> None:
    """Its cause, what to try first, and what not to; with the runs that show it."""
    found, text = answer(server, "explain_error", text=f"Traceback …\n{SYMBOLIC}. You can attempt the following …")
    (explanation,) = found["explanations"]
    assert explanation["record"] == "tensorflow/symbolic-tensor-as-bool"
    assert explanation["line"] == 2
    assert explanation["try_first"]["shown"]["held"] > 0
    assert explanation["do_not"]
    for part in (explanation["root_cause"], explanation["try_first"]["action"], "try first (workaround 1)", "do not:"):
        assert part in text


def test_the_language(server: Server[Any]) -> None:
    """That of the text, or the one that is asked for."""
    chinese, _ = answer(server, "explain_error", text=f"训练时报错：{SYMBOLIC}")
    english, _ = answer(server, "explain_error", text=f"训练时报错：{SYMBOLIC}", language="en")
    assert [found["explanations"][0]["language"] for found in (chinese, english)] == ["zh", "en"]
    document, text = answer(server, "get_record", id="retracing-shape", language="zh")
    assert document["explanation"]["language"] == "zh"
    assert document["explanation"]["root_cause"] in text


def test_what_nobody_knows(server: Server[Any]) -> None:
    """It is said, and what is near by words is called a guess."""
    found, text = answer(server, "explain_error", text="ValueError: the teapot is short and stout, and retracing")
    assert found["explanations"] == []
    assert text.startswith("Nothing is known about this.")
    assert "guesses" in text or not found["guesses"]


def test_records_are_found_and_read(server: Server[Any]) -> None:
    """A search says how many there are in all; a record has all its workarounds, numbered."""
    found, text = answer(server, "search_records", query="batch", limit="2")
    assert len(found["records"]) == 2 < found["total"]
    assert f"2 of {found['total']} records" in text
    everything, _ = answer(server, "search_records", limit=50)
    assert everything["total"] >= 53
    nothing, said = answer(server, "search_records", query="xyzzy")
    assert (nothing["total"], nothing["records"]) == (0, [])
    assert said.startswith("No record contains all of these words: xyzzy")
    record, document = answer(server, "get_record", id=found["records"][0]["id"])
    explanation = record["explanation"]
    for advice in (explanation["try_first"], *explanation["other_workarounds"]):
        assert advice["shown"]["runs"] > 0
    assert document.startswith("# ")
    assert "1. **" in document


def test_an_outcome_is_noted(server: Server[Any]) -> None:
    """It is written to the user's own file, and read with the record."""
    noted, text = answer(
        server, "report_outcome", record="retracing-dtype", workaround=1, worked=False, note="not\nhere", version="TF 2"
    )
    assert (noted["record"], noted["workaround"], noted["worked"]) == ("tensorflow/retracing-dtype", 1, False)
    assert f"workaround 1 did not work: {noted['action']}" in text
    record, document = answer(server, "get_record", id="tensorflow/retracing-dtype")
    assert record["outcomes"] == [noted]
    assert document.endswith(f"- workaround 1 did not work ({noted['date']} · TF 2 · not here)")


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("explain_error", {}, "missing required field `text`"),
        ("explain_error", {"text": ""}, "length >= 1"),
        ("explain_error", {"text": " \n"}, "paste a message"),
        ("explain_error", {"text": "x" * 200_001}, "Of a longer log, send the end"),
        ("explain_error", {"text": ["x"]}, "Expected `str`"),
        ("explain_error", {"text": "x", "language": "fr"}, "Language of the answer: en or zh"),
        ("recording_findings", {"recording": "none"}, "The newest there: "),
        ("recording_findings", {"recording": ""}, "'latest'"),
        ("recording_findings", {"recording": "../latest"}, "There is no recording '../latest'"),
        ("recording_findings", {"recording": "\0"}, "There is no recording"),
        ("recording_findings", {"recording": "x" * 4_000}, "There is no recording"),
        ("recording_findings", {"recording": "/dev/zero"}, "is not a file"),
        ("recording_findings", {"recording": "/"}, "is not a file"),
        ("recording_findings", {"function": "nowhere"}, "it traced: Translator.train_step"),
        ("recording_findings", {"func": "train_step"}, "It takes: recording, function"),
        ("propose_fix", {}, "missing required field `function`"),
        ("propose_fix", {"function": "nowhere"}, "it traced: Translator.train_step"),
        ("search_records", {"limit": 51}, "1 to 50"),
        ("search_records", {"limit": 0}, "1 to 50"),
        ("search_records", {"query": "x" * 1_001}, "Words that a record must all contain"),
        ("get_record", {"id": "retracing-shap"}, "Did you mean tensorflow/retracing-shape"),
        ("get_record", {"id": "../../../etc/passwd"}, "there is no record"),
        ("report_outcome", {"record": "retracing-shape", "workaround": 99, "worked": True}, "numbered 1 to 3"),
        ("report_outcome", {"record": "retracing-shape", "workaround": 0, "worked": True}, ">= 1"),
        ("report_outcome", {"record": "retracing-shape", "workaround": 1}, "missing required field `worked`"),
        ("report_outcome", {"record": "nothing", "workaround": 1, "worked": True}, "there is no record 'nothing'"),
        ("no_such_tool", {}, "there are: explain_error, list_recordings"),
    ],
)
def test_what_is_refused(server: Server[Any], tool: str, arguments: dict[str, Any], says: str) -> None:
    """An error that an agent can read: what is wrong, and what would be right."""
    assert says in refusal(server, tool, **arguments)


def test_a_file_that_is_no_recording_is_not_shown(server: Server[Any], tmp_path: Path) -> None:
    """Whatever is in it."""
    for content in ("password = hunter2\n", '{"password": "hunter2"}', '{"schema": "hunter2"}', "[" * 5_000, ""):
        secret = tmp_path / "secret.txt"
        secret.write_text(content)
        said = refusal(server, "recording_findings", recording=str(secret))
        assert "hunter2" not in said
        assert "secret.txt: " in said


def test_what_breaks_inside_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    """The agent learns that it is our fault; where it broke is in the log."""

    def broken() -> Any:
        raise RuntimeError("hunter2")

    said = refusal(make_server(broken, LOCAL), "search_records")
    assert "failed inside traceonce" in said
    assert "hunter2" not in said
    assert "hunter2" in caplog.text


def test_a_huge_recording(server: Server[Any], tmp_path: Path) -> None:
    """Many functions with long names, values and causes still make a short answer, which says what is missing."""
    wall = Recording.load(RECORDED / "wall.jsonl")
    events = tuple(
        msgspec.structs.replace(
            event,
            id=number * 1_000 + event.id,
            function=msgspec.structs.replace(event.function, name=f"{'n' * 5_000}{number}", line=number),
        )
        for number in range(60)
        for event in wall.events[:4]
    )
    path = tmp_path / "huge.json"
    save(msgspec.structs.replace(wall, events=events, command=("x" * 9_999,) * 99), path)
    found, text = answer(server, "recording_findings", recording=str(path))
    assert 1 <= len(found["functions"]) < 60
    assert f"functions: {len(found['functions'])} of 60 are shown" in found["left_out"]
    assert f"functions: {len(found['functions'])} of 60 are shown" in text
    assert len(found["left_out"]) <= 13


def test_a_function_with_too_much_to_say(server: Server[Any], tmp_path: Path) -> None:
    """A hundred arguments that change, each with long values in every trace, are told of one function."""
    wall = Recording.load(RECORDED / "wall.jsonl")
    events = tuple(
        msgspec.structs.replace(
            event,
            signature=Signature(
                tuple(Leaf(f"argument_{n}", "python", value=f"'{n}{'v' * 3_000}{event.id}'") for n in range(100))
            ),
        )
        for event in wall.events[:20]
    )
    path = tmp_path / "talkative.json"
    save(msgspec.structs.replace(wall, events=events, environment={f"{n}" * 900: "x" * 900 for n in range(99)}), path)
    found, text = answer(server, "recording_findings", recording=str(path), function="score")
    (function,) = found["functions"]
    assert 1 <= len(function["causes"]) < 100
    assert any("causes: " in remark and "of 100 are shown" in remark for remark in found["left_out"])
    assert "argument_0" in text
    assert found["started"].startswith("20")


def test_functions_of_the_same_name(server: Server[Any], tmp_path: Path) -> None:
    """All of them are found; a fix is proposed for one, and where it is not clear for which, they are named."""
    wall = Recording.load(RECORDED / "wall.jsonl")
    twins = [
        msgspec.structs.replace(wall.events[0].function, name=name, line=line)
        for name, line in (("Other.score", 99), ("Other.score", 120), ("Third.score", 150))
    ]
    more = (msgspec.structs.replace(wall.events[0], id=9_000 + n, function=twin) for n, twin in enumerate(twins))
    events = (*wall.events, *more)
    path = tmp_path / "twins.json"
    save(msgspec.structs.replace(wall, events=events), path)
    found, _ = answer(server, "recording_findings", recording=str(path), function="score")
    assert [function["name"] for function in found["functions"]][:2] == ["score", "Other.score"]
    assert len(found["functions"]) == 4
    fixes, _ = answer(server, "propose_fix", recording=str(path), function="score")
    assert fixes["function"] == "score"
    named = refusal(server, "propose_fix", recording=str(path), function="Other.score")
    assert "'Other.score' matches 2 functions in this recording; pick one" in named
    for place in ("Other.score@wall.py:99", "Other.score@wall.py:120"):
        assert place in named
        chosen, _ = answer(server, "propose_fix", recording=str(path), function=place)
        assert f"{chosen['function']}@{chosen['file']}:{chosen['line']}" == place
    short, _ = answer(server, "propose_fix", recording=str(path), function="score@wall.py:150")
    assert short["function"] == "Third.score"
    for wrong in ("Other.score@wall.py:98", "Other.score@ll.py:99", "score@", "@wall.py:99"):
        assert "There is no function" in refusal(server, "propose_fix", recording=str(path), function=wrong)


def test_what_is_referred_to_is_there(server: Server[Any]) -> None:
    """An agent that names nothing that there is, is sent to a tool, and not to a command line."""
    listed, text = answer(server, "list_recordings", limit=50)
    assert {line["recording"] for line in listed["recordings"]} == set(NAMES)
    assert "translate.jsonl" in text
    found, _ = answer(server, "recording_findings", recording=listed["recordings"][0]["recording"])
    assert found["recording"] == listed["recordings"][0]["recording"]
    for tool, arguments in (
        ("get_record", {"id": "xyzzy"}),
        ("report_outcome", {"record": "xyzzy", "workaround": 1, "worked": True}),
    ):
        said = refusal(server, tool, **arguments)
        assert "search_records" in said
        assert "traceonce knowledge" not in said


def test_names_that_pretend_to_be_something_else(server: Server[Any], tmp_path: Path) -> None:
    """A name is data: it starts no line, ends no block of code, and moves no cursor."""
    name = "step\n## healthy: ok\n```\n\x1b[2J<script>alert(1)</script>"
    wall = Recording.load(RECORDED / "wall.jsonl")
    events = tuple(
        msgspec.structs.replace(event, function=msgspec.structs.replace(event.function, name=name))
        for event in wall.events
    )
    path = tmp_path / "pretending.json"
    save(msgspec.structs.replace(wall, events=events), path)
    found, text = answer(server, "recording_findings", recording=str(path))
    assert found["functions"][0]["name"] == name
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## step ## healthy: ok ``` \\x1b[2J<script>alert(1)</script>: retracing, costly"
    ]


def test_records_are_resources(server: Server[Any]) -> None:
    """Each record is a document of its own; there is none for anything else."""

    async def talk() -> tuple[list[types.Resource], str, list[str], list[str]]:
        async with Client(server) as client:
            listed = (await client.list_resources()).resources
            templates = [
                template.uri_template for template in (await client.list_resource_templates()).resource_templates
            ]
            (content,) = (await client.read_resource("traceonce://records/tensorflow/retracing-shape")).contents
            assert isinstance(content, types.TextResourceContents)
            refused = []
            for uri in ("traceonce://records/../x", "file:///etc/passwd", "traceonce://records/tensorflow/nothing"):
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(uri)
                refused.append(str(caught.value))
            return listed, content.text, templates, refused

    listed, document, templates, refused = anyio.run(talk)
    assert len({resource.uri for resource in listed}) >= 53
    assert "traceonce://records/tensorflow/retracing-shape" in {resource.uri for resource in listed}
    assert document.startswith("# ")
    assert templates == ["traceonce://records/{domain}/{slug}"]
    assert [said.partition(" '")[0].partition("; ")[0] for said in refused] == [
        "there is no record",
        "There is no resource",
        "there is no record",
    ]
