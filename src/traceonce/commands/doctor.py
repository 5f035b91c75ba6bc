"""``traceonce doctor``: what can be watched here, through which hook, and does it work."""

from __future__ import annotations

import platform

import click

from traceonce import __version__
from traceonce.console.message_line import say
from traceonce.frameworks.base.registry import Known, how_to_install, installed_version, known_backends, load_backend


@click.command(short_help="Say which frameworks can be watched here, and try it.")
def command() -> None:
    """Say which frameworks are installed, which hook is in use, and whether it works here.

    For each framework a toy function is traced twice; exit status 1 where that is not seen. A framework that cannot be
    used does not keep the others from being tried.
    """
    say(
        f"traceonce {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        err=False,
    )
    working = [_examine(known) for known in known_backends()]
    if all(state is None for state in working):
        say("No framework is installed here, so nothing can be watched. All the rest works.", err=False)
    if any(state is False for state in working):
        raise SystemExit(1)


def _examine(known: Known) -> bool | None:
    """True: watched; False: installed but not watched; None: not installed."""
    try:
        backend = load_backend(known)
    except Exception as error:  # a backend of another package's
        say(f"{known.name}: the backend cannot be loaded: {type(error).__name__}: {error}", err=False)
        return False
    installed = installed_version(backend)
    if installed is None:
        say(f"{known.name}: not installed; to watch it: {how_to_install(known)}", err=False)
        return None
    distribution, version = installed
    say(
        f"{known.name}: {distribution} {version} is installed; trying it (the import may take some seconds) …",
        err=False,
    )
    from traceonce.observe.hub import Hub
    from traceonce.observe.watch import Observation

    hub = Hub([known])
    try:
        with Observation(hub) as seen:
            backend.check()
            hook = hub.hooks.get(known.name)
    except BaseException as error:  # whatever a broken installation raises, and be it SystemExit
        if isinstance(error, KeyboardInterrupt):
            raise
        say(f"  cannot be used: {type(error).__name__}: {error}", err=False)
        return False
    traces = [event for event in seen.events if event.kind == "trace" and event.phase != "internal"]
    say(f"  hook: {hook or 'none'}", err=False)
    for notice in seen.recording.notices:
        if not notice.hook:
            say(f"  note: {notice.text}", err=False)
    works = len(traces) == 2
    say(
        f"  a toy function was traced twice; seen: {len(traces)} → {'works' if works else 'does not work here'}",
        err=False,
    )
    return works
