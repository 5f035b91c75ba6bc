"""The private places of PyTorch that we stand on, in one file, checked before use.

PyTorch tells of compilations in logs; it has no public hook that says which function, from where, and why. It has one
function that is called where no compiled code serves a call, and never where one does: `convert_frame._compile`.
Where something here has moved, `probe` says what is missing, and the watcher falls back to `callback_handler`, which
knows neither the reasons nor the calls. Run with 2.9, 2.13 and 2.15; 2.6 lacks three of them.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

OLDEST = (2, 6)
NEEDED = ("code", "locals", "frame", "hooks", "compiler_fn", "export", "cache_size", "compile_id")
RESUME = "torch_dynamo_resume_in_"
_BACKEND = "backend"
GRAPH = "__compiled_fn"
ASKED, ARGUMENTS = 8, 64  # of earlier compilations, and of the arguments of each: whose guards are asked one by one


class Moved(Exception):  # noqa: N818  # it is a finding, not an error: there is a fallback
    """A private place is not where this version of traceonce expects it; the message says which."""


class Probes(NamedTuple):
    """The modules of PyTorch that we use. They are there: `convert_frame` imports them.

    `parameters` are those of `_compile`.
    """

    convert_frame: Any
    utils: Any
    output_graph: Any
    exc: Any
    resume_execution: Any
    guards: Any
    parameters: inspect.Signature


def version_of(torch: Any) -> tuple[int, int]:
    major, minor = re.findall(r"\d+", str(torch.__version__))[:2]
    return int(major), int(minor)


def probe(torch: Any, convert_frame: Any) -> Probes:
    """Return the places that we need, or raise `Moved`."""
    if version_of(torch) < OLDEST:
        raise Moved(f"PyTorch {torch.__version__} is older than this traceonce supports (2.6)")
    parameters = _expect(convert_frame, "_compile", NEEDED)
    _expect(_attribute(convert_frame, "CatchErrorsWrapper"), "__call__", ("self", "frame", "cache_entry"))
    reasons = _expect(convert_frame, "get_and_maybe_log_recompilation_reasons", ("frame",))
    if _BACKEND in reasons.parameters:
        _attribute(convert_frame, "innermost_backend")
    _expect(convert_frame, "exceeds_recompile_limit", ("cache_size", "compile_id"))
    utils, output_graph = _module("utils"), _module("output_graph")
    _attribute(utils, "graph_break_reasons")
    _expect(_attribute(output_graph, "OutputGraph"), "call_user_compiler", ("self", "gm"))
    resume_execution = _module("resume_execution")
    _attribute(_attribute(resume_execution, "ContinueExecutionCache"), "generated_code_metadata")
    exc = _module("exc")
    _attribute(exc, "Unsupported")
    return Probes(convert_frame, utils, output_graph, exc, resume_execution, _module("guards"), parameters)


def _module(name: str) -> Any:
    module = sys.modules.get(f"torch._dynamo.{name}")
    if module is None:
        raise Moved(f"torch._dynamo.{name} is gone")
    return module


def _attribute(owner: Any, name: str) -> Any:
    found = getattr(owner, name, None)
    if found is None:
        raise Moved(f"{owner.__name__}.{name} is gone")
    return found


def _expect(owner: Any, name: str, parameters: tuple[str, ...]) -> inspect.Signature:
    signature = inspect.signature(_attribute(owner, name))
    missing = [parameter for parameter in parameters if parameter not in signature.parameters]
    if missing:
        raise Moved(f"{owner.__name__}.{name} does not take {', '.join(missing)}")
    return signature


def cache_entries(arguments: dict[str, Any]) -> list[Any]:
    """What is compiled already for this code, the latest first."""
    for name in ("cache_entries_for_reasons", "cache_entries"):
        if name in arguments:
            return list(arguments[name])
    if "cache_entry" in arguments:  # up to 2.11 they are chained
        return list(_chained(arguments["cache_entry"]))
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list

    return list(_debug_get_cache_entry_list(arguments["code"]))


def failing_guards(probes: Probes, arguments: dict[str, Any]) -> list[str]:
    """The guard that failed of each of them, as PyTorch words it; nothing is logged."""
    entries = cache_entries(arguments)
    frame = arguments["frame"]
    if not entries or frame is None:
        return []
    reasons_of = probes.convert_frame.get_and_maybe_log_recompilation_reasons
    takes = inspect.signature(reasons_of).parameters
    backend: dict[str, Any] = {}  # not before PyTorch compares backends
    if _BACKEND in takes:
        backend = {_BACKEND: probes.convert_frame.innermost_backend(arguments["compiler_fn"])}
    chained = next(iter(takes)) == "cache_entry"
    reasons: list[str] = reasons_of(entries[0] if chained else entries, frame, **backend, skip_logging=True)
    try:
        return [*reasons, *_hidden(probes, entries, frame.f_locals, reasons)]
    except Exception:  # no other part of PyTorch is as private: then the first of each is all that is known
        return reasons


def _hidden(probes: Probes, entries: list[Any], values: Any, reasons: list[str]) -> Iterator[str]:
    """The guards of other arguments that fail, too: PyTorch stops at the first one, and words only that."""
    worded = {reason.partition(": ")[0]: reason for reason in reasons}
    for entry in entries[:ASKED]:
        id_ = str(getattr(entry, "compile_id", None))
        first = worded.get(id_)
        root = getattr(getattr(entry, "guard_manager", None), "root", None)
        if first is None or root is None or not hasattr(root, "clone_manager"):
            continue
        for argument in root.get_child_managers()[:ARGUMENTS]:
            text = _failure(root, argument.get_source(), values)
            if text is not None:
                reason = f"{id_}: {probes.guards.strip_local_scope(text)}"
                if _guard_of(reason) != _guard_of(first):
                    yield reason


def _failure(root: Any, source: str, values: Any) -> str | None:
    """What PyTorch says of the guards of one argument alone: it makes a copy of them that leaves out all others."""
    own = (root.get_source(), source)
    inside = (f"{source}.", f"{source}[")
    alone = root.clone_manager(lambda node: node.get_source() in own or node.get_source().startswith(inside))
    found = alone.check_verbose(values) if alone is not None else None
    if found is None or found.result or len(found.verbose_code_parts) != 1:
        return None
    text = str(found.verbose_code_parts[0])
    of_several = "Duplicate tensor" in text
    is_error = "object has no attribute" in text or not _names(text, source)  # such as: list index out of range
    return None if of_several or is_error else text


def _names(text: str, source: str) -> bool:
    """Does what PyTorch says name what it was asked about? ``source`` is ``L['x']``, or ``G``: all globals."""
    quoted = re.search(r"\['(\w+)'\]", source)
    return re.search(rf"\b{quoted[1] if quoted else source}\b", text) is not None


def _guard_of(reason: str) -> str:
    return reason.partition("\nUser stack")[0].partition("  #")[0].strip()


def _chained(entry: Any) -> Iterator[Any]:
    while entry is not None:
        yield entry
        entry = entry.next


def reached_limit(probes: Probes, arguments: dict[str, Any]) -> tuple[str, int | None] | None:
    """The limit that PyTorch is about to say that this function has reached, by name, and its value."""
    exceeded, name = probes.convert_frame.exceeds_recompile_limit(arguments["cache_size"], arguments["compile_id"])
    if not exceeded:
        return None
    config = getattr(probes.convert_frame, "config", None)
    value = getattr(config, name, None)
    return str(name), value if isinstance(value, int) else None


def give_number_back(probes: Probes, compile_id: Any) -> None:
    """PyTorch counts attempts as compilations, and stops at 256: one that was refused is none."""
    counter = getattr(probes.convert_frame, "FRAME_COMPILE_COUNTER", None)
    if counter is not None and counter.get(compile_id.frame_id, 0) > 0:
        counter[compile_id.frame_id] -= 1


def original_code(probes: Probes, code: types.CodeType) -> types.CodeType | None:
    """The code that this is the rest of, after a graph break; None where it is whole."""
    if not code.co_name.startswith(RESUME):
        return None
    metadata = probes.resume_execution.ContinueExecutionCache.generated_code_metadata.get(code)
    original = getattr(metadata, "code", None)
    return original if isinstance(original, types.CodeType) else None


def line_of_break(code: types.CodeType) -> int:
    """Where the part before this one ended; PyTorch has the line in the name."""
    line = code.co_name.rpartition("_at_")[2]
    return int(line) if line.isdigit() else code.co_firstlineno


def region_of() -> int:
    """Under `isolate_recompiles=True` each `torch.compile` has compiled code of its own: whose is it? -1: nobody's."""
    try:
        from torch._C._dynamo.eval_frame import get_eval_frame_isolate_recompiles_id
    except ImportError:  # before 2.12
        return -1
    return int(get_eval_frame_isolate_recompiles_id())


def compiled_names(result: Any) -> list[str]:
    """The names under which the graphs of a new compilation lie in the globals of the function."""
    guarded = getattr(result, "guarded_code", result)  # 2.6 returned it bare
    code = getattr(guarded, "code", None)
    return [name for name in code.co_names if name.startswith(GRAPH)] if code is not None else []


def compiling_class() -> Any:
    """What `torch.compile` makes for each function that it is given, where it is what we know; else None."""
    found = getattr(sys.modules.get("torch._dynamo.eval_frame"), "_TorchDynamoContext", None)
    return found if found is not None and "fn" in inspect.signature(found.__call__).parameters else None


def compiling_frame(frame: types.FrameType | None) -> types.FrameType | None:
    """The frame of what `torch.compile` returned, inside which `frame` compiles; its ``self`` is what made it."""
    while frame is not None:
        if frame.f_code.co_name in ("compile_wrapper", "_fn") and frame.f_code.co_filename.endswith("eval_frame.py"):
            return frame
        frame = frame.f_back
    return None


def is_compiled(result: Any) -> bool:
    """Did a compilation come of it, and not a decision to leave the frame alone?"""
    return getattr(getattr(result, "guarded_code", result), "code", None) is not None


def is_skipped_for_good(result: Any) -> bool:
    """Does PyTorch leave later calls of this code alone, too? What was compiled of it before serves no more, then."""
    action = getattr(getattr(result, "frame_exec_strategy", None), "cur_action", None)
    always = getattr(result, "apply_to_code", False) is True
    return not is_compiled(result) and always and getattr(action, "name", None) == "SKIP"


def why_skipped(result: Any) -> str:
    return str(getattr(result, "skip_reason", None) or "PyTorch left the function uncompiled")


def without_dynamo(function: Callable[..., Any]) -> Any:
    """A function of ours that is called inside a compiled one: it is not to be compiled itself."""
    import torch._dynamo  # there already: something was compiled

    return torch._dynamo.disable(function)
