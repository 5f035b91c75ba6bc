"""``traceonce doctor``: what can be watched here, through which hook, and does it work."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

import click

from traceonce import __version__
from traceonce.console.message_line import say
from traceonce.frameworks.base.registry import Known, how_to_install, installed_version, known_backends, load_backend


@click.command(short_help="Check which frameworks can be watched here.")
def command() -> None:
    """Check which frameworks are installed, which hook is used, and whether it works here.

    Traces a toy function twice per framework; exit status 1 if a trace was missed. A framework that fails does not stop
    the others from being checked.
    """
    say(
        f"traceonce {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        err=False,
    )
    states = {known.name: _examine(known) for known in known_backends()}
    say(_summary(states), err=False)
    if False in states.values():
        raise SystemExit(1)


def _summary(states: Mapping[str, bool | None]) -> str:
    """Ready, or what to do: the one line that a newcomer looks for."""
    broken = [name for name, state in states.items() if state is False]
    working = [name for name, state in states.items() if state]
    if broken:
        rest = f" {_listed(working)} can be watched: traceonce run train.py" if working else ""
        return f"Not ready for {_listed(broken)}: see above; reinstall it, or report the error.{rest}"
    if working:
        return f"Ready for {_listed(working)}. Next: traceonce run train.py"
    return (
        "Not ready: no framework is installed in this environment. Install traceonce where your program runs. "
        "Reports, explain and knowledge work without one."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _examine(known: Known) -> bool | None:
    """True: watched; False: installed but not watched; None: not installed."""
    try:
        backend = load_backend(known)
    except Exception as error:  # a backend of another package's
        say(f"{known.name}: the backend failed to load: {type(error).__name__}: {error}", err=False)
        return False
    installed = installed_version(backend)
    if installed is None:
        say(f"{known.name}: not installed; to watch it: {how_to_install(known)}", err=False)
        return None
    distribution, version = installed
    say(
        f"{known.name}: {distribution} {version} is installed; checking it (the import may take a few seconds) …",
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
        say(f"  unusable: {type(error).__name__}: {error}", err=False)
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
