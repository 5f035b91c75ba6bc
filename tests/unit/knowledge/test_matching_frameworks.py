"""Our own messages read the same for all frameworks, but for what compiled the function: each finds its own record."""

from __future__ import annotations

import pytest

from traceonce.errors import RecordError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.harvest import log_entries
from traceonce.knowledge.match import Index, match, scan
from traceonce.knowledge.record import Record

RETRACED = r"(?P<function>\S+) retraced[ ,].*varies"
CHINESE = "重新(?:追踪|编译)"


def record(domain: str, **fields: str) -> Record:
    given = {"regex": RETRACED, "regex_zh": CHINESE, "raised_by": "traceonce", **fields}
    return Record(id=f"{domain}/shape", signature="encode retraced: varies", domain=domain, **given)  # type: ignore[arg-type]


@pytest.fixture
def index() -> Index:
    return Index([record("tensorflow"), record("jax"), record("torch"), record("elsewhere")])


def found(text: str, index: Index) -> list[str]:
    return sorted(one.record.partition("/")[0] for one in match(text, index, guesses=0))


@pytest.mark.parametrize(
    ("place", "domain"),
    [
        ("train.py:14", "tensorflow"),
        ("jax.jit at train.py:14", "jax"),
        ("jax.lax.scan at train.py:14", "jax"),
        ("torch.compile at train.py:14", "torch"),
    ],
)
def test_a_message_of_ours_finds_the_record_of_its_framework(place: str, domain: str, index: Index) -> None:
    line = f"encode retraced, the 1st time: x.shape[0]: now 9, before 12 (varies) · 2 ms · {place}, called from a.py:1"
    assert found(line, index) == sorted([domain, "elsewhere"])  # what nobody has heard of is left alone
    cut = "\n".join(line[at : at + 61] for at in range(0, len(line), 61))  # by a terminal, inside of words
    assert found(cut, index) == sorted([domain, "elsewhere"])


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        ("用 jax.jit 的函数每次都重新编译", ["elsewhere", "jax"]),
        ("PyTorch 的 torch.compile 一直重新编译", ["elsewhere", "torch"]),
        ("tf.function 不停地重新追踪", ["elsewhere", "tensorflow"]),
        ("JAX 和 PyTorch 都会重新编译函数", ["elsewhere", "jax", "torch"]),
        ("这个函数每次都重新编译", ["elsewhere", "jax", "tensorflow", "torch"]),
    ],
)
def test_a_chinese_text_that_names_frameworks_finds_theirs(text: str, domains: list[str], index: Index) -> None:
    assert found(text, index) == domains


def test_a_message_of_the_framework_itself_needs_no_name() -> None:
    of_jax = record("jax", regex="must be concrete", raised_by="jax")
    assert found("IndexError: indices must be concrete", Index([of_jax])) == ["jax"]


def test_a_name_that_two_frameworks_share() -> None:
    with pytest.raises(
        RecordError, match=r"'recompile-shape' matches several records: jax/recompile-shape, torch/recomp"
    ):
        Collection().complete_id("recompile-shape")


PYTORCH = """\
V1116 00:56:21.440000 2506 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling function f in train.py:3
V1116 00:56:21.440000 2506 torch/_dynamo/guards.py:5396] [0/1] [__recompiles]     triggered by the following guard
W1116 00:57:12.042000 3295 torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)
W1116 00:57:12.042000 3295 torch/_dynamo/convert_frame.py:1994] [0/8]    function: 'f' (train.py:3)
"""
JAX = """\
TRACING CACHE MISS at train.py:5:16 (<module>):
  never seen function:
    encode id=1 defined at train.py:3
TRACING CACHE MISS at train.py:5:16 (<module>):
  different input types:
"""


@pytest.mark.parametrize(("log", "lines"), [(PYTORCH, [2, 2]), (JAX, [3, 2])])
def test_entries_of_a_log_go_on_over_several_lines(log: str, lines: list[int]) -> None:
    assert [len(entry.splitlines()) for entry in log_entries(log)] == lines


GUARDS = """\
Recompiling function step in decode.py:11
    triggered by the following guard failure(s):
    - 0/2: pos == 6                # q = self.qkv(x + 0.01 * pos)
    - User stack trace:
    -   File "decode.py", line 13, in step
    - 0/1: tensor 'x' stride mismatch at index 0. expected 160, actual 32
    - 0/0: tensor 'x' size mismatch at index 1. expected 5, actual 1
"""
PREFIX = "V1116 02:49:25.026000 27385 torch/_dynamo/guards.py:5396] [0/3] [__recompiles] "


@pytest.mark.parametrize("log", [GUARDS, "".join(PREFIX + line for line in GUARDS.splitlines(True))])
def test_the_first_guard_of_a_recompilation_is_why(log: str) -> None:
    [answer, again] = scan(log * 2, Index(Collection()))
    assert [hit.record.id for hit in answer.hits[:1]] == ["torch/recompile-python-value"]
    assert "mismatch" not in answer.message.text
    assert (answer.hits[0].line, again.hits[0].line) == (1, 8)


def test_all_that_failed_at_length_is_one_recompilation() -> None:
    """As `TORCH_LOGS=recompiles_verbose` has it: paragraphs, one for each graph."""
    log = GUARDS
    for number, graph in enumerate(("0/2", "0/1", "0/0")):
        log = log.replace(f"    - {graph}", f"\n    guard {number} failures:\n    - {graph}")
    [answer] = scan(log, Index(Collection()))
    assert "mismatch" not in answer.message.text


def test_an_error_for_a_recompilation_has_its_first_guard_only() -> None:
    [answer] = scan(f"torch._dynamo.exc.RecompileError: {GUARDS}", Index(Collection()))
    assert "pos == 6" in answer.message.text
    assert "mismatch" not in answer.message.text
