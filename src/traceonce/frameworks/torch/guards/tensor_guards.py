"""What a failed guard of PyTorch's says of tensors: their sizes, dtypes, kinds, and which of them are one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import Cause, CauseCode, Note
from traceonce.frameworks.torch.guards.paths import BASE, Call, readable, type_name_of
from traceonce.frameworks.torch.words import INFERENCE_TENSOR, NO_VIEW, SIZE_ONE
from traceonce.words.notes import noted

_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Int": "int32",
    "Long": "int64",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexHalf": "complex32",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}
_TENSOR = re.compile(r"^tensor '(?P<path>.+?)' (?P<rest>.*)$", re.DOTALL)
_EXPECTED = re.compile(r"expected (?P<was>.+?), actual (?P<now>.+?)(?:\. Guard failed on a parameter.*)?$", re.DOTALL)


def reported(code: CauseCode, path: str, was: str, now: str, *notes: Note, **more: object) -> Cause:
    """A cause as PyTorch says it."""
    cause = Cause(code, path, was, now, evidence="reported", **more)  # type: ignore[arg-type]  # the other fields
    return noted(cause, *notes)


def read_tensor(guard: str, call: Call) -> Iterator[Cause]:
    match = _TENSOR.match(guard)
    if match is None:
        return
    path, rest = readable(match["path"]), match["rest"]
    expected = _EXPECTED.search(rest)
    was, now = (expected["was"].strip(), expected["now"].strip().rstrip(".")) if expected else ("", "")
    index = re.search(r"at index (\d+)", rest)
    if "size mismatch" in rest and index and expected:
        apart = [SIZE_ONE()] if "1" in (was, now) or "0" in (was, now) else []
        yield reported(CauseCode.SHAPE, f"{path}.shape[{index[1]}]", was, now, *apart)
    elif "stride mismatch" in rest and index and expected:
        yield reported(CauseCode.GUARD, f"{path}.stride()[{index[1]}]", was, now)
    elif "rank mismatch" in rest and expected:
        yield reported(CauseCode.RANK, f"{path}.shape", f"rank {was}", f"rank {now}")
    elif "dtype mismatch" in rest and expected:
        yield reported(CauseCode.DTYPE, f"{path}.dtype", _DTYPES.get(was, was), _DTYPES.get(now, now))
    elif "requires_grad mismatch" in rest:
        before = "requires_grad=1" in rest
        yield reported(CauseCode.GUARD, f"{path}.requires_grad", str(before), str(not before), finite=True)
    elif "dispatch key set mismatch" in rest and expected:
        yield _dispatch_keys(path, was, now)
    elif "device" in rest:
        places = re.findall(r"(?:expected|actual)[^\d.,]*?(-?\w+)(?=[,.]|$)", rest, re.IGNORECASE)
        before, after = (*places, "another", "another")[:2]
        yield reported(CauseCode.GUARD, f"{path}.device", before, after)


def _dispatch_keys(path: str, was: str, now: str) -> Cause:
    """The way that PyTorch handles a tensor: by its device, by whether gradients are kept, by its layout."""
    before, after = (re.sub(r"DispatchKeySet\(|\)", "", text).split(", ") for text in (was, now))
    if before[0] != after[0]:
        return reported(CauseCode.GUARD, f"{path}.device", before[0].lower(), after[0].lower())
    lost, new = [key for key in before if key not in after], [key for key in after if key not in before]
    if all(key.startswith("Autograd") or key == "ADInplaceOrView" for key in (*lost, *new)):
        inside = bool(lost)
        states = str(not inside), str(inside)
        return reported(CauseCode.CONTEXT, "inference_mode", *states, INFERENCE_TENSOR(), finite=True)
    return reported(CauseCode.CONTEXT, f"{path}.dispatch_keys", ", ".join(lost) or "none", ", ".join(new) or "none")


def read_tensor_type(guard: str, call: Call) -> Iterator[Cause]:
    expected = r"a tensor type|<class '[^']+'>"  # from 2.15 on PyTorch says which
    match = re.match(rf"expected type of '(.+?)' to be (?:{expected}),.* but found <class '([^']+)'>", guard)
    if match:
        found = type_name_of(match[2])
        was = "another kind of tensor" if found in ("Tensor", "Parameter") else "a tensor"
        path = readable(match[1])
        yield reported(CauseCode.KIND, path, was, call.now(match[1], found), type_name=found, finite=found == "None")


def read_aliases(guard: str, call: Call) -> Iterator[Cause]:
    match = re.match(r"^Duplicate tensors? found: \[(.*)\]", guard)
    if match:
        one, *others = [readable(name.strip().strip("'\"")) for name in match[1].split(",")]
        same = " and ".join(others) or "another argument"
        yield reported(CauseCode.ALIASING, one, "tensors of their own", f"the same tensor as {same}")


def read_view(guard: str, call: Call) -> Iterator[Cause]:
    """The guard of a view asks the tensor that it looks into, and where there is none, the text is an error."""
    if re.match(r"^'NoneType' object has no attribute '\w+'$", guard) is None:
        return
    gone = [path for path in call.reads if path.endswith(BASE)]
    for path in gone:
        yield reported(CauseCode.GUARD, readable(path), "a view", "no view", NO_VIEW(), finite=True)
    if not gone:
        yield reported(CauseCode.GUARD, call.function or "guard", guard, "None is there now")
