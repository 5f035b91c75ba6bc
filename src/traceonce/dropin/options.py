"""The options of `traceonce.function`, checked when the function is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from traceonce.limits.program_limits import whole_number

ON_LIMIT = ("raise", "warn", "eager")
_PART_OF_RESULT = re.compile(r"""(\[(-?\d+|'[^']*'|"[^"]*")\])*""")


def check_options(options: Mapping[str, Any]) -> None:
    """Raise a `TypeError` or a `ValueError` that names the option that is wrong, and what it should be."""
    whole_number(options["keep"], "keep", 1)
    if options["limit"] is not None:
        whole_number(options["limit"], "limit")
    if options["on_limit"] not in ON_LIMIT:
        raise ValueError(f"on_limit must be 'raise', 'warn' or 'eager', not {options['on_limit']!r}")
    for name in ("relax", "lift"):
        if not isinstance(options[name], bool):
            raise TypeError(f"{name} must be True or False, not {options[name]!r}")
    pad = _by_axis(options["pad"], "pad", "{'tokens': {1: (16, 32, 64)}}")
    for name, axes in pad.items():
        for axis, buckets in axes.items():
            _check_buckets(buckets, f"pad[{name!r}][{axis}]")
    for name, axes in _by_axis(options["true_length"], "true_length", "{'tokens': {1: 'length'}}").items():
        for axis, parameter in axes.items():
            _check_padded(pad, name, axis, f"true_length[{name!r}][{axis}]")
            if not isinstance(parameter, str):
                raise TypeError(f"true_length[{name!r}][{axis}] must be the name of a parameter, not {parameter!r}")
    for path, axes in _by_axis(options["unpad"], "unpad", "{'': {1: ('tokens', 1)}}").items():
        if not _PART_OF_RESULT.fullmatch(path):
            raise ValueError(f"unpad: {path!r} is no part of a result; write '' for all of it, '[0]' or \"['name']\"")
        for axis, source in axes.items():
            if not (isinstance(source, Sequence) and len(source) == 2):
                raise TypeError(f"unpad[{path!r}][{axis}] must be a parameter and its axis, not {source!r}")
            _check_padded(pad, source[0], source[1], f"unpad[{path!r}][{axis}]")


def _by_axis(option: Any, name: str, example: str) -> Mapping[str, Mapping[int, Any]]:
    if option is None:
        return {}
    fits = isinstance(option, Mapping) and all(
        isinstance(key, str) and isinstance(axes, Mapping) and all(isinstance(axis, int) for axis in axes)
        for key, axes in option.items()
    )
    if not fits:
        raise TypeError(f"{name} must be like {example}, not {option!r}")
    checked: Mapping[str, Mapping[int, Any]] = option
    return checked


def _check_buckets(buckets: Any, where: str) -> None:
    sizes = list(buckets) if isinstance(buckets, Sequence) and not isinstance(buckets, str) else []
    if not sizes or any(isinstance(size, bool) or not isinstance(size, int) or size < 1 for size in sizes):
        raise TypeError(f"{where} must be sizes such as (16, 32, 64), not {buckets!r}")
    if sizes != sorted(set(sizes)):
        raise ValueError(f"{where} must grow from size to size, not {buckets!r}")


def _check_padded(pad: Mapping[str, Mapping[int, Any]], name: Any, axis: Any, where: str) -> None:
    if axis not in pad.get(name, {}):
        raise ValueError(f"{where}: axis {axis} of {name!r} is not padded; name it in pad")
