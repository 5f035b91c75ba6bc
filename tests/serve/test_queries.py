"""The questions themselves: what they share, what they keep, and that deleting forgets."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from traceonce.analysis.material import find_out
from traceonce.facts import Recording
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.outcomes import Outcomes
from traceonce.report.base import find_renderer
from traceonce.serve import digest, jobs, queries
from traceonce.serve.knowledge_questions import KnowledgeQuestions
from traceonce.serve.models import Summary
from traceonce.serve.queries import Questions
from traceonce.serve.request_errors import NotFoundError, OverBudgetError
from traceonce.serve.shared_cache import Cache
from traceonce.serve.store import Store
from traceonce.serve.summaries import clean_name, describe_recording
from traceonce.serve.upload_body import Sent
from traceonce.serve.worker_pools import WorkerPools

Recorded = Callable[[str], bytes]
FORMS = ("text", "json", "sarif", "csv", "chrome", "markdown", "html")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('questions') / 'a.sqlite3'}")
    yield store
    store.close()


@pytest.fixture(scope="module")
def pools() -> Iterator[WorkerPools]:
    pools = WorkerPools()
    yield pools
    pools.close()


@pytest.fixture(scope="module")
def questions(store: Store, pools: WorkerPools) -> Questions:
    return Questions(store, store, Collection(), pools)


def ask(question: Callable[..., Any], *arguments: Any) -> Any:
    async def asking() -> Any:
        return await question(*arguments)

    return anyio.run(asking)


def upload(questions: Questions, data: bytes, folder: Path) -> Summary:
    path = folder / "sent"
    path.write_bytes(data)
    summary, _ = ask(questions.add_recording, Sent(path, len(data), hashlib.sha256(data).hexdigest()))
    assert isinstance(summary, Summary)
    return summary


@pytest.mark.parametrize("name", ["silently_wrong", "fails", "translate_fixed", "limited"])
def test_a_report_is_the_one_of_the_command(
    questions: Questions, recorded: Recorded, tmp_path: Path, name: str
) -> None:
    """Byte for byte, although it is made from what was kept, and by another process; but a sum of nothing is 0.0."""
    data = recorded(name)
    summary = upload(questions, data, tmp_path)
    recording = Recording.from_bytes(data, "recording")
    for form in FORMS:
        expected = find_renderer(form)(find_out(recording, form))
        report = gzip.decompress(ask(questions.report, summary.id, form)).decode()
        assert report.replace("0.0", "0") == expected.replace("0.0", "0"), form


class Counted:
    """Counts how often each job is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jobs: list[str] = []
        run_job = queries.run_job

        async def counting(pool: Any, budget: Any, name: str, job: Callable[..., Any], *arguments: Any) -> Any:
            self.jobs.append(job.__name__)
            return await run_job(pool, budget, name, job, *arguments)

        monkeypatch.setattr(queries, "run_job", counting)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def test_a_recording_is_understood_once(
    questions: Questions, recorded: Recorded, tmp_path: Path, counted: Counted
) -> None:
    """However many answers are asked for, and at once; each is made once, and deleting forgets it."""
    summary = upload(questions, recorded("fit"), tmp_path)

    async def crowd() -> None:
        async with anyio.create_task_group() as tasks:
            for form in ("text", "csv", "text", "text"):
                tasks.start_soon(questions.report, summary.id, form)
            tasks.start_soon(questions.compare, summary.id, summary.id)

    for _ in range(2):
        anyio.run(crowd)
    assert sorted(counted.jobs) == ["compare", "report", "report", "understand"]
    ask(questions.delete, summary.id)
    with pytest.raises(NotFoundError):
        ask(questions.report, summary.id, "text")


def test_what_was_found_outlives_the_server(
    questions: Questions, store: Store, pools: WorkerPools, recorded: Recorded, tmp_path: Path, counted: Counted
) -> None:
    """Another server on the same database does not read the recording again."""
    summary = upload(questions, recorded("lengths"), tmp_path)
    other = Questions(store, store, Collection(), pools)
    assert ask(other.details, summary.id) == ask(questions.details, summary.id)
    assert ask(other.report, summary.id, "html") == ask(questions.report, summary.id, "html")
    assert "understand_again" not in counted.jobs


def test_what_another_version_has_found_is_found_again(
    questions: Questions,
    store: Store,
    pools: WorkerPools,
    recorded: Recorded,
    tmp_path: Path,
    counted: Counted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once; from then on it is kept as this version has found it. A database of before has nothing at all."""
    summary = upload(questions, recorded("threads"), tmp_path)
    details = ask(questions.details, summary.id)
    monkeypatch.setattr(queries, "form_of_digests", lambda: "a later version")
    for _ in range(2):
        assert ask(Questions(store, store, Collection(), pools).details, summary.id) == details
    assert counted.jobs.count("understand_again") == 1


def test_the_form_of_what_is_kept_names_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes how causes are found need not remember to say so."""
    (tmp_path / "diagnosis").mkdir()
    forms = []
    for text in ("1", "2", "1"):
        (tmp_path / "diagnosis" / "rules.py").write_text(text)
        monkeypatch.setattr(digest, "ROOT", tmp_path)
        forms.append(digest.form_of_digests.__wrapped__())
    assert (forms[0] == forms[2], forms[0] == forms[1]) == (True, False)


def test_all_the_code_that_decides_is_named() -> None:
    """A room that was renamed, or a new one, would leave what another version has found as it is."""
    asked = "import sys, traceonce.analysis.material; print(*(name for name in sys.modules if 'traceonce.' in name))"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    rooms = {name.split(".")[1] for name in loaded if (digest.ROOT / name.split(".")[1]).is_dir()}
    assert rooms <= {*digest.DECIDING, "report"}  # which shows what was found
    assert all((digest.ROOT / name).exists() for name in digest.DECIDING)


def test_an_answer_has_an_end(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst functions are in it, and how many are not is said."""
    kept = digest.keep(find_out(Recording.from_bytes(recorded("translate")), "html"))
    summary = Summary(
        id="0" * 32,
        uploaded="",
        size=1,
        sha256="",
        **describe_recording(digest.open_digest(kept.digest).recording, []).model_dump(),
    ).model_dump_json()
    monkeypatch.setattr(jobs, "MOST_FUNCTIONS", 2)
    for answer in (
        jobs.details(kept.digest, summary.encode()),
        jobs.findings(kept.digest),
        jobs.compare(kept.digest, summary.encode(), kept.digest, summary.encode()),
    ):
        found = json.loads(answer)
        assert (len(found.get("functions") or found["by_function"]), found["left_out"]) == (2, 3)
    monkeypatch.setattr(jobs, "MOST_BYTES", 10)
    assert json.loads(jobs.findings(kept.digest))["left_out"] == 5
    monkeypatch.setattr(jobs, "MOST_REPORT", 10)
    with pytest.raises(OverBudgetError, match=r"the text report has .* the limit is 10; download the recording"):
        jobs.report(kept.digest, b"", b"", "text", "en")


def test_another_server_may_delete(questions: Questions, store: Store, recorded: Recorded, tmp_path: Path) -> None:
    """What is kept in memory does not outlive what is in the database."""
    summary = upload(questions, recorded("wall"), tmp_path)
    ask(questions.report, summary.id, "text")
    store.delete(summary.id)
    for question in (questions.details, questions.findings, questions.fixes):
        with pytest.raises(NotFoundError):
            ask(question, summary.id)
    with pytest.raises(NotFoundError):
        ask(questions.report, summary.id, "text")


def test_outcomes_may_be_kept_in_the_users_own_file(tmp_path: Path) -> None:
    """The same questions, on the file of `traceonce knowledge outcome`."""
    own = KnowledgeQuestions(Outcomes(tmp_path / "outcomes.sqlite3"), Collection())
    noted = own.report_outcome("retracing-shape", 1, worked=True, note="fine")
    assert noted.record == "tensorflow/retracing-shape"
    assert own.outcomes("retracing-shape") == [noted]


def test_a_name_is_one_line() -> None:
    """Whatever somebody calls a recording."""
    assert clean_name(" a\n\tb\0c\u202ed\u2028 ") == "a b c d"
    assert len(clean_name("x" * 1000)) == 200


def test_a_description_is_never_long() -> None:
    """Whoever uploads a recording does not decide how long a list gets."""
    recording = Recording(command=("x" * 10_000,) * 1_000, environment={f"{n}" * 1_000: "y" * 1_000 for n in range(99)})
    assert len(describe_recording(recording, []).model_dump_json()) < 70_000


# The cache


def keep(thing: Any) -> Callable[[], Any]:
    async def make() -> Any:
        return thing

    return make


def test_what_was_asked_for_last_is_kept() -> None:
    """As much of it as there is room for; what is larger than all the room is not kept at all."""
    made: list[str] = []
    cache: Cache[str] = Cache(5, len)

    async def get(text: str) -> None:
        async def make() -> str:
            made.append(text)
            return text

        assert await cache.get(text, make) == text

    for text in ("aa", "bb", "aa", "cc", "aa", "bb", "too long", "too long", "aa"):
        ask(get, text)
    assert made == ["aa", "bb", "cc", "bb", "too long", "too long"]


def test_those_who_ask_meanwhile_wait() -> None:
    """It is made once, and all get the same; also the error, if it is one."""
    made: list[object] = []

    async def crowd(cache: Cache[object], error: Exception | None) -> list[object]:
        got: list[object] = []

        async def make() -> object:
            made.append(object())
            await anyio.sleep(0)
            if error is not None:
                raise error
            return made[-1]

        async def get() -> None:
            try:
                got.append(await cache.get("key", make))
            except ZeroDivisionError as caught:
                got.append(caught)

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(get)
        return got

    assert len(set(ask(crowd, Cache(10, lambda _: 1), None))) == len(made) == 1
    failure = ZeroDivisionError()
    assert ask(crowd, Cache(10, lambda _: 1), failure) == [failure] * 4
    assert len(made) == 2


def test_whoever_makes_it_may_be_called_off() -> None:
    """Then the next makes it."""

    async def crowd() -> object:
        cache: Cache[int] = Cache(10, lambda _: 1)

        async def never() -> int:
            await anyio.sleep_forever()
            raise AssertionError

        async with anyio.create_task_group() as tasks:
            with anyio.CancelScope() as scope:
                tasks.start_soon(cancel_when_all_wait, scope)
                await cache.get("key", never)
        return await cache.get("key", keep(7))

    async def cancel_when_all_wait(scope: anyio.CancelScope) -> None:
        await anyio.wait_all_tasks_blocked()
        scope.cancel()

    assert ask(crowd) == 7


def test_what_failed_is_tried_again_unless_it_takes_too_long() -> None:
    """The next who asks makes it; what is over its budget would be so again."""
    cache: Cache[int] = Cache(10, lambda _: 1)

    async def fail(error: Exception) -> int:
        raise error

    with pytest.raises(ZeroDivisionError):
        ask(cache.get, "key", lambda: fail(ZeroDivisionError()))
    assert ask(cache.get, "key", keep(7)) == 7
    with pytest.raises(OverBudgetError, match="too long"):
        ask(cache.get, "other", lambda: fail(OverBudgetError("too long")))
    with pytest.raises(OverBudgetError, match="too long"):
        ask(cache.get, "other", keep(7))


def test_forgetting_makes_room() -> None:
    """What was forgotten does not count any more."""
    cache: Cache[str] = Cache(4, len)
    ask(cache.get, "a", keep("aa"))
    ask(cache.get, "b", keep("bb"))
    cache.forget(lambda key: key == "a")
    ask(cache.get, "c", keep("cc"))
    assert ask(cache.get, "b", keep("made again")) == "bb"
