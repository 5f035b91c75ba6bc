"""What a Python function reads from outside: globals, closures, attributes of `self` and of its arguments.

A trace bakes such values in. To say later that one of them changed, remember them as text when the trace is made. The
names come from the bytecode, so lambdas and code without a source file are covered. Nothing of the user's is run to
find a value: no property, no `__getattr__`.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import logging
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from traceonce.frameworks.base.chains import Chain
from traceonce.frameworks.base.closed_over import ITEMS
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.frameworks.base.side_effects import State, Updated, describe_updated, find_updated

CALLEES = 24  # how many of the user's own functions, called from the traced one, are looked into
TEXT_LIMIT = 200
_LOGGING_METHODS = {"debug", "info", "warning", "error", "exception", "critical", "write", "set_description"}
_ABSENT = object()


class Reads(NamedTuple):
    """What one code object reads, and the names that it writes itself."""

    chains: tuple[Chain, ...]
    written: frozenset[str]


class Reader:
    """Takes snapshots of what a function reads."""

    def __init__(self, is_user: Callable[[str], bool], is_tensor: Callable[[Any], bool]) -> None:
        self._is_user = is_user
        self._is_tensor = is_tensor
        self._numbers = ByIdentity()
        self.number = self._numbers.number
        self._updated: weakref.WeakKeyDictionary[types.CodeType, tuple[Updated, ...]] = weakref.WeakKeyDictionary()
        self._analysed: weakref.WeakKeyDictionary[types.CodeType, Reads] = weakref.WeakKeyDictionary()

    def snapshot(self, function: types.FunctionType, arguments: dict[str, Any]) -> dict[str, str]:
        """Path → text of each outside value that `function` (or what it calls, of the user's) reads.

        `arguments` holds the objects bound to parameters, `self` among them.
        """
        values: dict[str, str] = {}
        written: set[str] = set()
        for current, bound, myself in self._called_from(function, arguments):
            for code in _codes(current.__code__):
                reads = self._analyse(code)
                written |= {_rename_self(path, myself) for path in reads.written}
                for chain in reads.chains:
                    text = self._text(self._resolve(chain, current, bound)[1])
                    if text is not None:
                        values[chain.named(myself)] = text
        return {path: text for path, text in values.items() if path not in written}

    def arrays(self, function: types.FunctionType, arguments: dict[str, Any]) -> dict[str, Any]:
        """Path → each array or tensor from outside that `function` (or what it calls, of the user's) reads."""
        found: dict[str, Any] = {}
        for current, bound, myself in self._called_from(function, arguments):
            for code in _codes(current.__code__):
                for chain in self._analyse(code).chains:
                    for steps in range(len(chain.steps) + 1):
                        start = chain._replace(steps=chain.steps[:steps])
                        value = self._resolve(start, current, bound)[1]
                        found |= self._arrays_in(start.named(myself), value)
        return found

    def _arrays_in(self, path: str, value: Any) -> dict[str, Any]:
        if self._is_array(value):
            return {path: value}
        if type(value) in (list, tuple) and len(value) <= ITEMS:
            return {f"{path}[{index}]": item for index, item in enumerate(value) if self._is_array(item)}
        return {}

    def _is_array(self, value: Any) -> bool:
        return self._is_tensor(value) or (type(value).__module__ == "numpy" and hasattr(value, "tobytes"))

    def updated_state(self, function: types.FunctionType, arguments: dict[str, Any]) -> dict[str, State]:
        """Path → the state that the body changes, and that changing it again would change again."""
        values: dict[str, State] = {}
        in_library = not self._is_user(function.__code__.co_filename)
        for current, bound, myself in self._called_from(function, arguments, through_library=True):
            code = current.__code__
            if not self._is_user(code.co_filename):
                continue
            updated = self._updated.get(code)
            if updated is None:
                updated = self._updated[code] = find_updated(code)
            for place in updated:
                chain = place.chain
                value = self._resolve(chain, current, bound, in_library=place.drawn)[1]
                state = None if value is _ABSENT else describe_updated(value, place)
                if state is not None:  # names of a library mean nothing: there `self` is that of the user's method
                    path = f"{chain.named()} ({current.__qualname__})" if in_library else chain.named(myself)
                    if state.entries is None or values.get(path, state).entries is not None:  # both: it is changed
                        values[path] = state
        return values

    def _called_from(
        self, function: types.FunctionType, arguments: dict[str, Any], *, through_library: bool = False
    ) -> Iterator[tuple[types.FunctionType, dict[str, Any], str]]:
        """The function and what it calls of the user's, each with its bound objects and what `self` is called there.

        `through_library`: also what a library calls, in methods of objects whose class is the user's.
        """
        queue: list[tuple[types.FunctionType, dict[str, Any], str]] = [(function, arguments, "self")]
        seen = {function.__code__}
        while queue and len(seen) <= CALLEES:
            current, bound, myself = queue.pop(0)
            yield current, bound, myself
            for code in _codes(current.__code__):
                for chain in self._analyse(code).chains:
                    owner, value = self._resolve(chain, current, bound)
                    callee = _callee(chain, myself, owner, value)
                    if callee is None or callee.code in seen:
                        continue
                    inherited = through_library and self._is_of_user(callee.bound.get("self"))
                    if inherited or self._is_user(callee.code.co_filename):
                        seen.add(callee.code)
                        queue.append((callee.function, callee.bound, callee.myself))

    def _is_of_user(self, thing: Any) -> bool:
        """Is its class the user's, whatever it inherits from a library?"""
        methods = (value for value in vars(type(thing)).values() if isinstance(value, types.FunctionType))
        return any(self._is_user(method.__code__.co_filename) for method in methods)

    def _analyse(self, code: types.CodeType) -> Reads:
        reads = self._analysed.get(code)
        if reads is None:
            reads = self._analysed[code] = read_code(code)
        return reads

    def _resolve(
        self, chain: Chain, function: types.FunctionType, arguments: dict[str, Any], *, in_library: bool = False
    ) -> tuple[Any, Any]:
        """The object that a chain leads to, and the one before it; `_ABSENT` where that would run code or fails.

        What lies in a library's module (a dtype, ``math.pi``) is nobody's setting, and is only looked up `in_library`.
        """
        if chain.scope == "global":
            value = function.__globals__.get(chain.root, _ABSENT)
        elif chain.scope == "closure":
            value = _cell(function, chain.root)
        else:
            value = arguments.get(chain.root, _ABSENT)
        module = isinstance(value, types.ModuleType) and not in_library
        if module and not self._is_user(getattr(value, "__file__", None) or "<frozen"):
            return None, _ABSENT
        owner: Any = None
        for kind, key in chain.steps:
            owner = value
            value = attribute_of(value, key) if kind == "attribute" else _element(value, key)
            if value is _ABSENT:
                break
        return owner, value

    def _text(self, value: Any) -> str | None:
        """A text that changes when the value does, or None where the value is nothing that a graph could hold."""
        if _is_plain(value):
            text = repr(value)
            return text if len(text) <= TEXT_LIMIT else f"{text[:80]}… ({_digest(text.encode())})"
        if self._is_tensor(value):
            return f"{type(value).__name__.lstrip('_')} {self._numbers.number(value)}"
        if type(value).__module__ == "numpy" and hasattr(value, "tobytes") and value.nbytes <= 65536:
            return f"{value.dtype}{list(value.shape)} array {_digest(value.tobytes())}"
        return None


def _is_plain(value: Any, depth: int = 0) -> bool:
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return True
    if depth > 2:
        return False
    if type(value) in (list, tuple, set, frozenset):
        return len(value) <= 100 and all(_is_plain(item, depth + 1) for item in value)
    if type(value) is dict:
        return len(value) <= 100 and all(
            _is_plain(key, depth + 1) and _is_plain(item, depth + 1) for key, item in value.items()
        )
    return False


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those nested in it: lambdas, comprehensions, inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def read_code(code: types.CodeType) -> Reads:
    """The chains that a code object reads, without those that are only printed or logged."""
    found: dict[Chain, None] = {}
    written: set[str] = set()
    arguments = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    instructions = [
        i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG", "COPY_FREE_VARS")
    ]
    depth = 0
    printing: int | None = None  # the stack depth below a call of print or of a logger
    position = 0
    while position < len(instructions):
        chain, length = _chain_at(instructions, position, code, arguments)
        if chain is not None and printing is None and _only_prints(chain):
            printing = depth
        if chain is not None and printing is None:
            found[chain] = None
        written |= _written_at(instructions, position)
        for instruction in instructions[position : position + length]:
            depth += _effect(instruction)
            if printing is not None and instruction.opname.startswith("CALL") and depth <= printing + 1:
                printing = None
        position += length
    return Reads(tuple(found), frozenset(written))


def _effect(instruction: dis.Instruction) -> int:
    try:
        return dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
    except ValueError:
        return 0


def _root_at(instruction: dis.Instruction, code: types.CodeType, arguments: set[str]) -> tuple[str, str] | None:
    name = instruction.argval
    if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return "global", str(name)
    if instruction.opname in ("LOAD_DEREF", "LOAD_CLASSDEREF") and name in code.co_freevars:
        return "closure", str(name)
    if "LOAD_FAST" in instruction.opname or instruction.opname == "LOAD_DEREF":
        last = name[-1] if isinstance(name, tuple) else name
        if last in arguments:
            return "argument", str(last)
    return None


def _chain_at(
    instructions: list[dis.Instruction], position: int, code: types.CodeType, arguments: set[str]
) -> tuple[Chain | None, int]:
    """The chain that starts here, and how many instructions it takes (at least one)."""
    root = _root_at(instructions[position], code, arguments)
    if root is None:
        return None, 1
    steps: list[tuple[str, Any]] = []
    end = position + 1
    while end < len(instructions):
        instruction = instructions[end]
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            steps.append(("attribute", instruction.argval))
            end += 1
        elif (
            instruction.opname == "LOAD_CONST"
            and isinstance(instruction.argval, (str, int))
            and end + 1 < len(instructions)
            and _is_subscript(instructions[end + 1])
        ):
            steps.append(("item", instruction.argval))
            end += 2
        else:
            break
    return Chain(*root, tuple(steps)), end - position


def _is_subscript(instruction: dis.Instruction) -> bool:
    return instruction.opname == "BINARY_SUBSCR" or (instruction.opname == "BINARY_OP" and instruction.argrepr == "[]")


def _written_at(instructions: list[dis.Instruction], position: int) -> set[str]:
    """The path that an instruction writes: the function's own counter is not somebody else's change."""
    instruction = instructions[position]
    if instruction.opname in ("STORE_GLOBAL", "STORE_DEREF"):
        return {str(instruction.argval)}
    if instruction.opname == "STORE_ATTR":
        owners = {
            str(i.argval) for i in instructions[:position] if "LOAD_FAST" in i.opname or "LOAD_GLOBAL" in i.opname
        }
        owners |= {str(i.argval) for i in instructions[:position] if i.opname == "LOAD_DEREF"}
        return {f"{owner}.{instruction.argval}" for owner in owners}
    return set()


@functools.cache
def _framework_names() -> frozenset[str]:
    """What programs usually call the packages of the frameworks."""
    packages = [package for each in known_frameworks() for package in each.source.packages.values()]
    return frozenset(name for package in packages for name in package.names)


def _only_prints(chain: Chain) -> bool:
    if chain.scope == "global" and chain.root == "print" and not chain.steps:
        return True
    if chain.root in _framework_names():  # what a framework prints goes into its graph
        return False
    *owners, last = (chain.root, *(key for _, key in chain.steps))
    if last == "log" and owners:  # of a logger, and not `math.log`
        return "log" in str(owners[-1]).lower()
    return bool(owners) and last in _LOGGING_METHODS


def _cell(function: types.FunctionType, name: str) -> Any:
    names = function.__code__.co_freevars
    if name not in names or function.__closure__ is None:
        return _ABSENT
    try:
        return function.__closure__[names.index(name)].cell_contents
    except ValueError:  # not assigned yet
        return _ABSENT


def attribute_of(owner: Any, name: str) -> Any:
    if owner is _ABSENT:
        return _ABSENT
    try:
        value = inspect.getattr_static(owner, name)
    except (AttributeError, TypeError):
        return _ABSENT
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, types.MemberDescriptorType):  # a slot
        try:
            return value.__get__(owner, type(owner))
        except AttributeError:
            return _ABSENT
    return _ABSENT if isinstance(value, property) or inspect.isdatadescriptor(value) else value


def _element(owner: Any, key: Any) -> Any:
    if type(owner) not in (dict, list, tuple) and type(owner).__module__ != "numpy":
        return _ABSENT
    try:
        return owner[key]
    except (KeyError, IndexError, TypeError):
        return _ABSENT


def _rename_self(path: str, myself: str) -> str:
    return myself + path.removeprefix("self") if path.startswith("self.") else path


class _Callee(NamedTuple):
    """A Python function that the traced one may call, the object that it is bound to, and what that is called there."""

    function: Any  # a FunctionType; typed so, mypy would take it for a method
    bound: dict[str, Any]
    myself: str

    @property
    def code(self) -> types.CodeType:
        code: types.CodeType = self.function.__code__
        return code


def _callee(chain: Chain, myself: str, owner: Any, value: Any) -> _Callee | None:
    """What calling `value` runs: a function, a method, or the `call` (as of a layer) or `__call__` of an object."""
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        return _Callee(value.__func__, {"self": value.__self__}, chain.named(myself, steps=-1))
    if isinstance(value, types.FunctionType):
        if value.__code__.co_varnames[:1] == ("self",) and owner is not None:
            return _Callee(value, {"self": owner}, chain.named(myself, steps=-1))
        return _Callee(value, {}, myself)
    if value is _ABSENT or isinstance(value, (type, types.ModuleType, types.MethodType, logging.Logger)):
        return None
    for name in ("call", "__call__"):
        method = inspect.getattr_static(type(value), name, None)
        if isinstance(method, types.FunctionType):
            return _Callee(method, {"self": value}, chain.named(myself))
    return None
