"""How far trials have come: a bar on a terminal, and a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from traceonce.console.message_line import say
from traceonce.facts.printable import in_line
from traceonce.facts.quantities import count_of
from traceonce.knowledge.evidence import framework_name
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import TrialProcess
from traceonce.knowledge.verify import Task, run_tasks

QUIET = 15.0  # seconds without a word where the output is no terminal


def run_with_progress(
    tasks: Sequence[Task], start: Callable[[], TrialProcess], jobs: int, framework: str
) -> Iterator[tuple[Task, TrialMeasurement]]:
    """Run trials, with a bar on standard error where that is a terminal, and a line now and then where it is not."""
    console = Console(stderr=True)
    told = time.monotonic()
    with Progress(*Progress.get_default_columns(), console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"{framework_name(framework)}: starting", total=len(tasks))
        for number, (task, seen) in enumerate(run_tasks(tasks, start, jobs), 1):
            progress.update(bar, advance=1, description=escape(in_line(f"{named(seen)}  {task.record}")))
            if not console.is_terminal and time.monotonic() - told >= QUIET and number < len(tasks):
                told = time.monotonic()
                say(f"{named(seen)}: {number} of {count_of(len(tasks), 'run')} …")
            yield task, seen


def named(seen: TrialMeasurement) -> str:
    """The framework and its version, as people write them."""
    return f"{framework_name(seen.framework)} {seen.version}"
