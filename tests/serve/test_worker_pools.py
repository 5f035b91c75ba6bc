"""Workers: each job within its budget, whatever it does, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from traceonce.errors import RecordingError
from traceonce.serve.computation_budget import MIB, MOST_SECONDS, ComputationBudget, reading_budget
from traceonce.serve.request_errors import BrokenJobError, BusyError, OverBudgetError
from traceonce.serve.worker_pools import WorkerPool, WorkerPools

TOO_LONG = 60  # seconds until what does not end is a failure; no test depends on how long anything takes
BUDGET = ComputationBudget(20.0)
SHORT = ComputationBudget(0.2)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(workers=1, waiting=2)
    yield pool
    pool.close()


def run(pool: WorkerPool, budget: ComputationBudget, job: Callable[..., Any], *arguments: Any) -> Any:
    async def running() -> Any:
        with anyio.fail_after(TOO_LONG):
            return await pool.run(budget, job, *arguments)

    return anyio.run(running)


# What workers do here


def process_id() -> int:
    return os.getpid()


def loop_in_c() -> bool:
    """Python's lock is held and no signal handled until it ends, which takes some centuries."""
    return None in range(2**63)


def loop_in_python() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(3600)


def take_memory(size: int) -> int:
    return len(bytearray(size))


def abort() -> None:
    os.abort()


def refuse() -> None:
    raise RecordingError("run.jsonl: is no recording.")


def break_down() -> None:
    raise ZeroDivisionError("no such thing")


def grow() -> int:
    take_memory(100 * MIB)
    return os.getpid()


def test_a_worker_does_one_job_after_the_other(pool: WorkerPool) -> None:
    """In a process of its own, which stays."""
    first = run(pool, BUDGET, process_id)
    assert first != os.getpid()
    assert run(pool, BUDGET, process_id) == first


@pytest.mark.parametrize("endless", [loop_in_c, loop_in_python])
def test_a_job_without_end_is_ended(pool: WorkerPool, endless: Callable[[], Any]) -> None:
    """By the kernel, since nothing in the process could; the next job gets a new worker."""
    before = run(pool, BUDGET, process_id)
    with pytest.raises(OverBudgetError, match=r"exceeds the limit of 0 s of CPU time.*`traceonce report FILE`"):
        run(pool, SHORT, endless)
    after = run(pool, BUDGET, process_id)
    assert after != before
    assert is_gone(before)


def test_a_job_that_only_waits_is_ended(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses no time of the processor, but a place."""
    monkeypatch.setattr(ComputationBudget, "patience", 0.2)
    with pytest.raises(OverBudgetError, match="timed out after 0 s"):
        run(pool, BUDGET, sleep)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept on Linux alone")
def test_a_job_gets_only_so_much_memory(pool: WorkerPool) -> None:
    """What it needs beyond that is refused; within it, all goes well."""
    budget = ComputationBudget(20.0, memory=64 * MIB)
    assert run(pool, budget, take_memory, 32 * MIB) == 32 * MIB
    with pytest.raises(OverBudgetError, match=r"exceeds the limit of 64 MiB of memory.*`traceonce report FILE`"):
        run(pool, budget, take_memory, 128 * MIB)
    assert run(pool, budget, take_memory, 32 * MIB) == 32 * MIB


def test_a_job_that_crashes(pool: WorkerPool) -> None:
    """C code that is not given memory aborts the process: that is a refusal, too."""
    with pytest.raises(OverBudgetError, match="of memory"):
        run(pool, BUDGET, abort)
    assert run(pool, BUDGET, process_id)


def test_what_a_job_raises(pool: WorkerPool) -> None:
    """What it refuses comes as it raised it; what it did not expect comes with the trace for the log."""
    before = run(pool, BUDGET, process_id)
    with pytest.raises(RecordingError, match="is no recording"):
        run(pool, BUDGET, refuse)
    with pytest.raises(BrokenJobError, match="ZeroDivisionError: no such thing") as caught:
        run(pool, BUDGET, break_down)
    assert "in break_down" in caught.value.trace
    assert run(pool, BUDGET, process_id) == before


def test_a_worker_that_has_grown_makes_room(pool: WorkerPool) -> None:
    """Python gives little memory back: a new worker begins without it."""
    assert run(pool, BUDGET, grow) != run(pool, BUDGET, process_id)


def test_a_worker_that_was_killed_from_outside(pool: WorkerPool) -> None:
    """Such as by a system that is out of memory: while it had nothing to do, nobody notices."""
    killed = run(pool, BUDGET, process_id)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: is_gone(killed))
    assert run(pool, BUDGET, process_id) != killed


def test_only_so_many_jobs_wait(pool: WorkerPool) -> None:
    """Whoever comes after them is told to come again."""

    async def crowd() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(pool.run, BUDGET, process_id)
            await anyio.sleep(0)
            with pytest.raises(BusyError, match="try again later"):
                await pool.run(BUDGET, process_id)

    anyio.run(crowd)


def test_closing_ends_what_is_under_way(pool: WorkerPool) -> None:
    """Whoever waits for it is told; nothing runs any more, and nothing begins."""
    told: list[str] = []
    pids = [run(pool, BUDGET, process_id)]

    async def wait_in_vain() -> None:
        with pytest.raises(BusyError) as caught:
            await pool.run(ComputationBudget(3600.0), loop_in_c)
        told.append(str(caught.value))

    async def close_meanwhile() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait_in_vain)
            while not pool._busy:
                await anyio.sleep(0.01)
            pool.close()

    anyio.run(close_meanwhile)
    assert told == ["the server is shutting down; try again later."]
    wait_until(lambda: is_gone(pids[0]))
    with pytest.raises(BusyError, match="is shutting down"):
        run(pool, BUDGET, process_id)
    pool.open()
    assert run(pool, BUDGET, process_id) not in pids


def test_small_recordings_do_not_wait_for_large_ones() -> None:
    """Nor does looking wait for reading: while every place for large ones and for reading is taken, small is shown."""
    pools = WorkerPools()

    async def crowd() -> list[int]:
        async with anyio.create_task_group() as tasks:
            for busy in (pools.read(64 * MIB), pools.look(64 * MIB), pools.read(1_000)):
                for _ in range(3):
                    tasks.start_soon(wait_in_vain, busy)
            await anyio.sleep(0)
            with anyio.fail_after(TOO_LONG):
                shown = [await pools.look(1_000).run(BUDGET, process_id) for _ in range(2)]
            pools.close()
            return shown

    async def wait_in_vain(pool: WorkerPool) -> None:
        with pytest.raises(BusyError):
            await pool.run(ComputationBudget(3600.0), loop_in_c)

    assert all(anyio.run(crowd))


def test_budgets_grow_with_the_recording() -> None:
    """A small one cannot take long; the largest is bounded by the setting."""
    assert reading_budget(1_400).seconds < 4
    assert reading_budget(64 * MIB).seconds == MOST_SECONDS
    assert reading_budget(64 * MIB, 7).seconds == reading_budget(0, 2).seconds + 5 == 7
    assert reading_budget(10 * MIB).seconds > 3 * reading_budget(2 * MIB).seconds


SERVER = """
import sys
import anyio
sys.path.insert(0, sys.argv[1])
from tests.serve import test_worker_pools
from traceonce.serve.computation_budget import ComputationBudget
from traceonce.serve.worker_pools import WorkerPool

async def main():
    pool = WorkerPool(workers=1, waiting=1)
    print(await pool.run(ComputationBudget(60.0), test_worker_pools.process_id), flush=True)
    await pool.run(ComputationBudget(3600.0), test_worker_pools.loop_in_c)

if __name__ == "__main__":
    anyio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker lasts until its budget is used up")
def test_workers_end_with_the_server(tmp_path: Any) -> None:
    """Also with one that is killed while they loop without end in C."""
    script = tmp_path / "server.py"
    script.write_text(textwrap.dedent(SERVER))
    command = [sys.executable, str(script), str(Path(__file__).parents[2])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        worker = int(server.stdout.readline())
        assert not is_gone(worker)
        wait_until(lambda: is_running(worker))
        server.kill()
    wait_until(lambda: is_gone(worker))


def is_gone(pid: int) -> bool:
    """A process that has ended may wait for its parent to notice."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def is_running(pid: int) -> bool:
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "R"


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TOO_LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
