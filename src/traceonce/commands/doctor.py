"""``traceonce doctor``: what can be watched here, through which hook, and does it work."""

from __future__ import annotations

import platform

import click

from traceonce import __version__
from traceonce.backends.discovery import Known, how_to_install, installed_version, known_backends, load_backend


@click.command(short_help="Say which frameworks can be watched here, and try it.")
def command() -> None:
    """Say which frameworks are installed, which hook is in use, and whether it works here.

    For each framework a toy function is traced twice; exit status 1 where that is not seen. A framework that cannot be
    used does not keep the others from being tried.
    """
    click.echo(f"traceonce {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    working = [_examine(known) for known in known_backends()]
    if all(state is None for state in working):
        click.echo("No framework is installed here, so nothing can be watched. All the rest works.")
    if any(state is False for state in working):
        raise SystemExit(1)


def _examine(known: Known) -> bool | None:
    """True: watched; False: installed but not watched; None: not installed."""
    try:
        backend = load_backend(known)
    except Exception as error:  # a backend of another package's
        click.echo(f"{known.name}: the backend cannot be loaded: {type(error).__name__}: {error}")
        return False
    installed = installed_version(backend)
    if installed is None:
        click.echo(f"{known.name}: not installed; to watch it: {how_to_install(known)}")
        return None
    distribution, version = installed
    click.echo(f"{known.name}: {distribution} {version} is installed; trying it (the import may take some seconds) …")
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
        click.echo(f"  cannot be used: {type(error).__name__}: {error}")
        return False
    traces = [event for event in seen.events if event.kind == "trace" and event.phase != "internal"]
    click.echo(f"  hook: {hook or 'none'}")
    for notice in seen.recording.notices:
        if not notice.hook:
            click.echo(f"  note: {notice.text}")
    works = len(traces) == 2
    click.echo(f"  a toy function was traced twice; seen: {len(traces)} → {'works' if works else 'does not work here'}")
    return works
