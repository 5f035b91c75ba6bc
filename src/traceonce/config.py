"""What a project wants: `[tool.traceonce]` in its pyproject.toml, and the environment, which has the last word.

```toml
[tool.traceonce]
limit = 1000             # retraces of a function, then TracingLimitReached
on_limit = "raise"       # or "warn"
fail_on = ["retracing"]  # for traceonce run
baseline = "traces.json" # for traceonce run
log_retraces = false     # a line per retrace through logging

[tool.traceonce.max_traces]  # traces, the first one included
train_step = 1
"*" = 3                      # every other function; max_traces = 3 is short for this
```

`TRACEONCE_LIMIT`, `TRACEONCE_ON_LIMIT` and `TRACEONCE_LOG` stand for `limit`, `on_limit` and `log_retraces`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from traceonce.errors import UsageError
from traceonce.facts import Limit
from traceonce.facts.limit import MODES, Mode

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# A verdict that is not wanted, or that a function is costly, whatever its verdict.
FailOn: TypeAlias = Literal[
    "fell_back", "retracing", "recompiling", "failed", "stale", "confused", "avoidable", "bounded", "costly"
]
COSTLY: FailOn = "costly"
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
ALL = "*"  # in `max_traces`: every function that is not named
_EXAMPLES = {
    "limit": "limit = 1000",
    "on_limit": 'on_limit = "warn" (or "raise")',
    "max_traces": "max_traces = 3, or a table: [tool.traceonce.max_traces] with train_step = 1",
    "fail_on": 'fail_on = ["retracing"]',
    "baseline": 'baseline = "traces.json"',
    "log_retraces": "log_retraces = true",
}


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set."""

    limit: Whole | None = None
    on_limit: Mode = "raise"
    max_traces: Whole | dict[str, Whole] | None = None
    fail_on: tuple[FailOn, ...] = ()
    baseline: str | None = None
    log_retraces: bool = False

    @property
    def general_limit(self) -> Limit | None:
        """The limit of every function that has none of its own: that of `max_traces`, else `limit`."""
        most = self.max_traces.get(ALL) if isinstance(self.max_traces, dict) else self.max_traces
        if most is not None:
            return Limit(most, "traces")
        return Limit(self.limit) if self.limit is not None else None

    @property
    def own_limits(self) -> list[Limit]:
        """The limits of single functions."""
        table = self.max_traces if isinstance(self.max_traces, dict) else {}
        return [Limit(most, "traces", function=name) for name, most in table.items() if name != ALL]

    @property
    def acts_inside(self) -> bool:
        """Is there anything to do in the program itself?"""
        return self.log_retraces or self.general_limit is not None or bool(self.own_limits)


def load_config(folder: Path, environment: Mapping[str, str]) -> Config:
    """The configuration for a program that is started in `folder`."""
    return _override(_from_project(folder), environment)


def _override(config: Config, environment: Mapping[str, str]) -> Config:
    """What the environment says goes before what the project says."""
    changes: dict[str, Any] = {}
    limit = environment.get("TRACEONCE_LIMIT", "").strip()
    if limit:
        changes["limit"] = None if limit == "off" else _whole(limit)
        named = config.max_traces if isinstance(config.max_traces, dict) else {}
        changes["max_traces"] = {name: most for name, most in named.items() if name != ALL}
    mode = environment.get("TRACEONCE_ON_LIMIT", "").strip()
    if mode and mode not in MODES:
        raise UsageError(f"TRACEONCE_ON_LIMIT is {mode!r}; set it to raise or to warn.")
    if mode:
        changes["on_limit"] = mode
    log = environment.get("TRACEONCE_LOG", "").strip()
    if log and log not in ("0", "1"):
        raise UsageError(f"TRACEONCE_LOG is {log!r}; set it to 1 (a log line per retrace) or to 0.")
    if log:
        changes["log_retraces"] = log == "1"
    return msgspec.structs.replace(config, **changes)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise UsageError(f"TRACEONCE_LIMIT is {text!r}; set it to a whole number of retraces (or to off).")
    return int(text)


def _from_project(folder: Path) -> Config:
    """The table of the nearest pyproject.toml, in `folder` or above it."""
    path = next((parent / "pyproject.toml" for parent in (folder, *folder.parents) if _has_project(parent)), None)
    if path is None:
        return Config()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        if "[tool.traceonce" not in path.read_text(encoding="utf-8"):
            return Config()  # somebody else's to complain about
        raise UsageError(f"{path}: is not valid TOML: {error}.") from None
    tool = document.get("tool")
    table = tool.get("traceonce", {}) if isinstance(tool, dict) else {}
    try:
        config = msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: [tool.traceonce] {_explain(error, table)}") from None
    baseline = str(path.parent / config.baseline) if config.baseline else None
    return msgspec.structs.replace(config, baseline=baseline)


def _has_project(folder: Path) -> bool:
    try:
        return (folder / "pyproject.toml").is_file()
    except OSError:
        return False


def _explain(error: msgspec.ValidationError, table: object) -> str:
    unknown = [name for name in table if name not in _EXAMPLES] if isinstance(table, dict) else []
    if unknown:
        return f"unknown setting `{unknown[0]}`; valid settings: {', '.join(_EXAMPLES)}."
    what, _, where = str(error).partition(" - at `$")
    place = where.strip("`.")
    field = place.lstrip(".").partition("[")[0].partition(".")[0]
    example = f" Write it as: {_EXAMPLES[field]}." if field in _EXAMPLES else ""
    return f"{place or 'is no table'}: {what[:1].lower()}{what[1:]}.{example}"
