"""What one failed guard of PyTorch's says: its text, as PyTorch words it, into causes. Pure text: no framework here.

PyTorch keeps, beside each compilation, a list of conditions (guards) under which it serves a call, and names the first
that failed: ``0/1: tensor 'x' size mismatch at index 0. expected 3, actual 5`` or ``0/0: k == 2``. A text says what was
expected; what was found instead is in the signature of the call, or among the values that the backend looked up.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from traceonce.facts import Cause, CauseCode
from traceonce.facts.stack_names import is_at_break
from traceonce.frameworks.torch.guards.paths import BREAK, CELL, PATH, Call, readable, readable_all, type_name_of
from traceonce.frameworks.torch.guards.tensor_guards import (
    read_aliases,
    read_tensor,
    read_tensor_type,
    read_view,
    reported,
)
from traceonce.frameworks.torch.words import (
    OF_ENCLOSING_FUNCTION,
    OTHER_CODE,
    OVER_A_BREAK,
    PRINTS_ALIKE,
    SIZE_ONE,
    THREADS_COMPILE_EACH,
)
from traceonce.words.notes import noted

CONTAINERS = {"list", "tuple", "dict", "set", "frozenset", "OrderedDict", "defaultdict", "deque"}
ERASED = "torch._dynamo.reset()"
_ID = re.compile(r"^\[?(\d+/\d+(?:_\d+)?)\]?: ")
_CHECK = re.compile(r"^___check_(type|obj)_id\((?P<path>.+), \d+\)(?:, type=<class '(?P<type>[^']*)'>)?")
_LENGTH = re.compile(r"^len\((?P<path>.+)\) (?P<test>==|>=|>|<=|<|!=) (?P<was>\d+)$")
_EQUAL = re.compile(r"^(?P<path>[^=<>!()]+?) == (?P<was>.+)$", re.DOTALL)
_SIZE = re.compile(r"(?P<path>[\w.'\[\]]+?)\.size\(\)\[(?P<axis>\d+)\]")
_STRIDE = re.compile(r"(?P<path>[\w.'\[\]]+?)\.(?P<what>stride\(\)\[\d+\]|storage_offset\(\))")
_RANGE = re.compile(r"^(?:(?P<low>\d+) <= )?(?P<path>[A-Za-z_][\w.'\[\]]*)(?: (?P<test><=|>=) (?P<high>\d+))?$")
_BACKEND = re.compile(
    r"Cached backend: (?P<was>.+?)(?: \(id=\w+\))?\. New backend: (?P<now>.+?)(?: \(id=\w+\))?\. ", re.DOTALL
)


class Guard(NamedTuple):
    """One failed guard: PyTorch's number of the compilation whose guard it is, if it has one, and what it says."""

    compilation: str | None
    causes: tuple[Cause, ...]


def read_guard(text: str, call: Call) -> Guard:
    """Parse one text. What is not understood is a cause with the code `guard` and the text itself, never nothing."""
    numbered = _ID.match(text)
    rest = text[numbered.end() :] if numbered else text
    guard = rest.split("\nUser stack")[0].split("  #")[0].strip().rstrip(";").strip()
    for reader in _READERS:
        causes = tuple(reader(guard, call))
        if causes:
            break
    else:
        causes = (_unread(guard, call),)
    return Guard(numbered.group(1) if numbered else None, tuple(_placed(cause, call) for cause in causes))


def _placed(cause: Cause, call: Call) -> Cause:
    """A variable is named; a value without a name has at least a place."""
    named = call.name_variables(cause.path)
    if named != cause.path:
        return msgspec.structs.replace(cause, path=named)
    if not is_at_break(cause.path) or BREAK not in call.reads:
        return cause
    return noted(cause, OVER_A_BREAK(place=call.reads[BREAK]))


def _read_global_state(guard: str, call: Call) -> Iterator[Cause]:
    if not guard.startswith("GLOBAL_STATE changed:"):
        return
    for name in guard.partition(":")[2].split():
        path = name.removesuffix("_enabled")
        now = call.signature.context.get(path, call.reads.get(path, ""))
        if now in ("True", "False"):
            yield reported(CauseCode.CONTEXT, path, str(now != "True"), now, finite=True)
        else:
            yield reported(CauseCode.CONTEXT, path, "as it was compiled for", now or "changed")


def _read_no_function(guard: str, call: Call) -> Iterator[Cause]:
    """A guard that looks into a function found something else there."""
    match = re.match(r"^\w+GuardAccessor: Not a function on (?P<path>.+?)(?:\.__\w+__)?$", guard)
    if match:
        now = call.type_now(match["path"])
        yield reported(CauseCode.KIND, readable(match["path"]), "a function", now, type_name=now)


def _read_check(guard: str, call: Call) -> Iterator[Cause]:
    match = _CHECK.match(guard)
    if match is None:
        return
    raw, was = match["path"], type_name_of(match["type"] or "")
    path = readable(raw)
    now = call.type_now(raw)
    if raw.endswith(".__code__"):
        owner = raw.removesuffix(".__code__")
        after = ", ".join(filter(None, [call.now(owner, ""), call.reads.get(raw)])) or "other code"
        before = "the code it was compiled with"
        yield reported(CauseCode.IDENTITY, readable(owner), before, after, OTHER_CODE(), type_name="function")
    elif was == now == "bool":
        after = call.now(raw)
        yield _value(call, raw, str(after != "True"), after, "bool")
    elif match[1] == "obj" and was == now and (leaf := call.leaf(path)) is not None and leaf.kind == "python":
        yield _value(call, raw, f"another {was}", call.now(raw), was)
    elif match[1] == "type" or was == "None" or (was and now not in (was, "another type")):
        code = CauseCode.STRUCTURE if was in CONTAINERS and now in CONTAINERS else CauseCode.KIND
        finite = "None" in (was, now)
        yield reported(code, path, was or "another type", now, type_name=now, finite=finite)
    else:
        after = call.now(raw, f"another {was or 'object'}")
        yield reported(
            CauseCode.IDENTITY, path, f"the {was or 'object'} it was compiled with", after, type_name=was or None
        )


def _read_length(guard: str, call: Call) -> Iterator[Cause]:
    match = _LENGTH.match(guard)
    if match:
        plain = match["test"] in ("==", "!=")  # of a dict PyTorch says what it found: that the length is not this
        was = match["was"] if plain else f"{match['test']} {match['was']}"
        yield _length(match["path"], was, call)
    elif guard.startswith("not ") and re.fullmatch(PATH, guard[4:]):
        yield _length(guard[4:], "0", call)


def _length(raw: str, was: str, call: Call) -> Cause:
    path = readable(raw)
    container = call.container(path)
    now = str(len(container.keys)) if container is not None else call.reads.get(f"len({raw})", "another length")
    kind = "dict" if container is not None and container.type_name == "dict" else None
    return reported(CauseCode.STRUCTURE, f"len({path})", was, now, type_name=kind)


def _read_dict(guard: str, call: Call) -> Iterator[Cause]:
    match = re.match(r"^(?P<not>not )?___dict_contains\((?P<key>.+?), (?P<path>.+)\)$", guard)
    match = match or re.match(r"^KeyError on (?P<path>.+)\[(?P<key>[^\[\]]+)\](?P<not>(?!))?$", guard)
    if match:
        path = readable(match["path"])
        was, now = (f"no key {match['key']}", f"key {match['key']}")[:: 1 if match["not"] else -1]
        kept = not _is_argument(match["path"], call)  # what fills it once, as a cache is filled, does not come and go
        yield reported(CauseCode.STRUCTURE, path, was, now, finite=kept)
        return
    match = re.match(r"^list\((?:dict\.keys\()?(?P<path>.+?)(?:\.keys\(\))?\)+\[(?P<at>\d+)\] == (?P<was>.+)$", guard)
    if match:
        path, at = readable(match["path"]), int(match["at"])
        container = call.container(path)
        keys = container.keys if container is not None else ()
        now = f"key {keys[at]}" if at < len(keys) else "another key"
        yield reported(CauseCode.STRUCTURE, path, f"key {match['was']}", now)
        return
    match = re.match(r"^(?:list|set|tuple)\((?:dict\.keys\()?(?P<path>.+?)(?:\.keys\(\))?\)+ == (?P<was>.+)$", guard)
    if match:
        path = readable(match["path"])
        container = call.container(path)
        now = ", ".join(container.keys[:12]) if container is not None else "others"
        yield reported(CauseCode.STRUCTURE, path, f"keys {match['was'].strip('[]{}()')}", f"keys {now}")


def _read_size(guard: str, call: Call) -> Iterator[Cause]:
    """A relation between sizes: the first size in it is the one to name."""
    match = _SIZE.search(guard)
    if match is None:
        match = _STRIDE.search(guard)
        if match:
            yield reported(CauseCode.GUARD, readable(match["path"]) + "." + match["what"], _sizes(guard), "not so")
        return
    path, axis = readable(match["path"]), int(match["axis"])
    leaf = call.leaf(path)
    size = leaf.shape[axis] if leaf is not None and leaf.shape is not None and axis < len(leaf.shape) else None
    alone = _SIZE.fullmatch(guard.replace("2 <= ", "").replace(" >= 2", "").strip())
    low = re.match(r"^(\d+) <= .* <= (\d+)$", guard)
    equal = re.fullmatch(rf"{re.escape(match.group())} == (\d+)|Eq\({re.escape(match.group())}, (\d+)\)", guard)
    if alone:
        was = "2 or more"
    elif low:
        was = f"{low[1]} to {low[2]}"
    elif equal:
        was = equal[1] or equal[2]
    else:
        was = _sizes(guard)
    apart = [SIZE_ONE()] if size in (0, 1) else []
    now = str(size) if size is not None else "another size"
    yield reported(CauseCode.SHAPE, f"{path}.shape[{axis}]", was, now, *apart)


def _sizes(guard: str) -> str:
    return readable_all(re.sub(r"\.size\(\)\[", ".shape[", guard))


def _read_none(guard: str, call: Call) -> Iterator[Cause]:
    match = re.match(r"^(?P<path>\S+) is (?P<not>not )?None$", guard)
    if match:
        now = call.now(match["path"], "None" if match["not"] else "something")
        was = "something" if match["not"] else "None"
        yield reported(CauseCode.KIND, readable(match["path"]), was, now, finite=True)


def _read_nan(guard: str, call: Call) -> Iterator[Cause]:
    match = re.search(r"__math_isnan\((?P<path>[^()]+)\)\)?$", guard)
    if match:
        yield _value(call, match["path"], "nan", call.now(match["path"]), "float")


def _read_equal(guard: str, call: Call) -> Iterator[Cause]:
    match = _EQUAL.match(guard)
    if match is None or not re.fullmatch(PATH, match["path"].strip()):
        return
    raw, was = match["path"].strip(), match["was"].strip()
    try:
        kind = type(ast.literal_eval(was)).__name__
    except (ValueError, SyntaxError):
        kind = None
    now = call.now(raw)
    type_now = call.type_now(raw)
    leaf = call.leaf(readable(raw))
    if kind == "NoneType" or (leaf is not None and leaf.kind != "python"):
        yield reported(CauseCode.KIND, readable(raw), was, now, type_name=type_now, finite="None" in (was, now))
    else:
        yield _value(call, raw, was, now, kind)


def _value(call: Call, raw: str, was: str, now: str, kind: str | None) -> Cause:
    """A value that was compiled in: an argument, or something else that the function reads."""
    path = readable(raw)
    argument = _is_argument(raw, call)
    notes = []
    if not argument and not raw.startswith("G[") and not call.is_parameter(path) and not is_at_break(path):
        notes = [] if CELL.search(path) else [OF_ENCLOSING_FUNCTION()]  # its path will say so
    code = CauseCode.VALUE if argument else CauseCode.GUARD
    return reported(code, path, was, now, *notes, type_name=kind, finite=kind == "bool")


def _is_argument(raw: str, call: Call) -> bool:
    """Does it come with each call, rather than from a global, a variable around or an object?"""
    path = readable(raw)
    return not raw.startswith("G[") and call.is_parameter(path) and not re.search(r"\.\w+", path)


def _read_range(guard: str, call: Call) -> Iterator[Cause]:
    match = _RANGE.match(guard)
    if match and (match["low"] or match["high"]) and call.leaf(readable(match["path"])) is not None:
        low, high, test = match["low"], match["high"], match["test"]
        was = f"{low} to {high}" if low and high else f"{low or high} or {'less' if test == '<=' else 'more'}"
        yield _value(call, match["path"], was, call.now(match["path"]), "int")


def _read_backend(guard: str, call: Call) -> Iterator[Cause]:
    if not guard.startswith("BACKEND_MATCH"):
        return
    match = _BACKEND.search(guard)
    was, now = (match["was"], match["now"]) if match else ("one backend", "another backend")
    alike = [PRINTS_ALIKE()] if was == now else []
    yield reported(CauseCode.CONTEXT, "torch.compile(backend=…)", was, now, *alike)


def _read_unexpected(guard: str, call: Call) -> Iterator[Cause]:
    """No guard failed when PyTorch looked again. It does not look again before it compiles, so several threads that
    wait for one another compile the same, one after the other."""
    if not guard.startswith("Unexpected recompilation"):
        return
    if "threads" in call.reads:
        states = "one at a time", call.reads["threads"]
        yield reported(CauseCode.CONTEXT, "threads", *states, THREADS_COMPILE_EACH())
    else:
        yield reported(CauseCode.UNKNOWN, "torch.compile", "compiled", guard)


def _read_gone(guard: str, call: Call) -> Iterator[Cause]:
    if guard.startswith(ERASED):
        yield reported(CauseCode.CONTEXT, ERASED, "compiled", "compiled code dropped")
    elif "has been freed" in guard or "got deallocated" in guard or "deallocated" in guard:
        match = PATH.search(guard.partition("because ")[2])
        path = readable(match.group()) if match and "because" in guard else "an object"
        yield reported(CauseCode.COLLECTED, path, "alive", "freed")


def _places(guard: str) -> Iterator[str]:
    """The paths in a text: no words of Python's, no text in quotes, no function that is called."""
    for match in PATH.finditer(guard):
        path, before, after = match.group(), guard[: match.start()][-1:], guard[match.end() :][:1]
        if after == "(":
            path = path.rpartition(".")[0]  # whose method it is
        if path and before not in ("'", '"') and not keyword.iskeyword(path) and path not in CONTAINERS:
            yield path


def _unread(guard: str, call: Call) -> Cause:
    paths = list(_places(guard))
    known = [path for path in paths if path in call.reads or call.leaf(readable(path)) is not None]
    raw = next(iter(known or [path for path in paths if not path.startswith("_")]), "")
    return reported(
        CauseCode.GUARD, readable(raw) or "guard", guard or "a guard", call.now(raw, "not so") if raw else "not so"
    )


_READERS: tuple[Callable[[str, Call], Iterator[Cause]], ...] = (
    read_tensor,
    read_tensor_type,
    _read_global_state,
    _read_backend,
    read_aliases,
    _read_gone,
    _read_unexpected,
    read_view,
    _read_no_function,
    _read_check,
    _read_length,
    _read_dict,
    _read_size,
    _read_none,
    _read_nan,
    _read_equal,
    _read_range,
)
