"""Child processes, however they were started, are in the report of the run."""

from __future__ import annotations

import json

from tests.cli.shells import Shell, functions_of

PARENT = """\
import multiprocessing, subprocess, sys

def trace(name):
    import tensorflow as tf
    function = {"spawned": spawned, "forked": forked, "called": called}[name]
    traced = tf.function(function)
    traced(tf.zeros([2]))
    traced(tf.zeros([3]))

def spawned(x):
    return x + 1

def forked(x):
    return x + 2

def called(x):
    return x + 3

if __name__ == "__main__":
    if sys.argv[1:]:
        trace(sys.argv[1])
        sys.exit()
    for method, name in (("spawn", "spawned"), ("fork", "forked")):
        process = multiprocessing.get_context(method).Process(target=trace, args=[name])
        process.start()
        process.join()
        print(method, process.exitcode)
    print("call", subprocess.run([sys.executable, __file__, "called"]).returncode)
    print("tensorflow" in sys.modules)
"""


def test_children_of_all_kinds(shell: Shell) -> None:
    """The parent never imports TensorFlow, so that it can fork; each child does, traces twice, and ends in order."""
    shell.write("parent.py", PARENT)
    outcome = shell.traceonce("run", "--recording", "run.jsonl", "parent.py")
    assert (outcome.status, outcome.out) == (0, b"spawn 0\nfork 0\ncall 0\nFalse\n")
    assert sorted(path.name for path in shell.cwd.iterdir()) == ["parent.py", "run.jsonl"]
    data = shell.traceonce("report", "run.jsonl", "--format", "json").out
    functions = functions_of(data)
    assert functions.keys() == {"spawned", "forked", "called"}
    for function in functions.values():
        assert (function["traces"], function["calls"]) == (2, 2)
        (cause,) = function["causes"]
        assert (cause["path"], cause["was"], cause["now"]) == ("x.shape[0]", "2", "3")
    report = json.loads(data)
    assert (report["exit_code"], report["command"], report["processes"]) == (0, ["parent.py"], 4)
    assert report["environment"]["tensorflow"]
    assert len({event["process"] for event in report["events"]}) == 3
    assert "without a word" not in outcome.errors
