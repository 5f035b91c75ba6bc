"""What a process does when its environment says so: `traceonce.pth` calls `start` where TRACEONCE_LIMIT or _LOG is set.

So a limit holds for a program that cannot be edited: ``TRACEONCE_LIMIT=100 python train.py``. What it
needs comes when the program has imported a framework.
"""

from __future__ import annotations

import os

from traceonce.frameworks.base.arrival import Arrivals, is_being_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceonce.config import Config

_waiting: list[Arrivals] = []


def start() -> None:
    """Wait for a framework; once, though in a virtual environment Python reads .pth files twice."""
    if _waiting or os.environ.get("TRACEONCE_RUN"):  # `traceonce run` has told its processes already
        return
    _waiting.append(Arrivals(_modules(), _arrived))
    _waiting[0].start()


def _modules() -> tuple[str, ...]:
    from traceonce.frameworks.base.registry import known_backends

    return tuple(known.module for known in known_backends())


def _arrived(name: str) -> None:
    if any(is_being_imported(other) for other in _modules() if other != name):
        return  # one framework may import another: once it is there itself, both are
    for arrivals in _waiting:
        arrivals.stop()
    try:
        from pathlib import Path

        from traceonce.config import load_config
        from traceonce.frameworks.base.places import working_folder

        put_in_force(load_config(Path(working_folder()), os.environ))
    except Exception as error:
        from traceonce.observe.process_start import say

        say(f"{error} It is ignored here.")


def put_in_force(config: Config) -> None:
    """Put the limits of a configuration in force."""
    if not config.acts_inside:
        return
    from traceonce.integrations import listeners as listeners  # enters itself
    from traceonce.limits.program_limits import Limiting, limits

    if config.general_limit is not None:
        Limiting(config.general_limit, config.on_limit)
    for limit in config.own_limits:
        limits.set_for(limit.function, limit.covers, limit, config.on_limit)
    if config.log_retraces:
        import traceonce

        traceonce.log_retraces()
