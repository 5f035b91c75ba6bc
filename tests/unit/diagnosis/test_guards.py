"""Failed guards of PyTorch as text, taken from real runs (2.13), into causes; and which of several is the cause."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from traceonce.diagnosis.history import History
from traceonce.facts import CauseCode, Container, FunctionId, Leaf, Signature, TraceEvent
from traceonce.facts.signature import PARAMETERS
from traceonce.frameworks.torch.guards.causes import explain_guards
from traceonce.frameworks.torch.guards.guard_text import read_guard
from traceonce.frameworks.torch.guards.paths import Call

NOW = Signature(
    (
        Leaf("x", "tensor", "float32", (1, 12), type_name="Tensor", stride=(12, 1)),
        Leaf("k", "python", value="3", type_name="int"),
        Leaf("flag", "python", value="True", type_name="bool"),
        Leaf("name", "python", value="'b'", type_name="str"),
        Leaf("o", "none"),
        Leaf("f", "object", type_name="builtin_function_or_method", value="cos", identity=1),
        Leaf("xs[0]", "tensor", "float32", (3,)),
        Leaf("d['rate']", "python", value="0.25", type_name="float"),
        Leaf("n", "python", value="2", type_name="int"),
        Leaf("(value at the graph break)", "python", value="4", type_name="int"),
    ),
    (
        Container("", PARAMETERS, ("self", "x", "k", "flag", "name", "o", "f", "xs", "d", "y")),
        Container("xs", "tuple", ("0", "1", "2")),
        Container("d", "dict", ("'rate'",)),
    ),
    {"grad_mode": "False", "autocast(cpu)": "True", "num_threads": "4"},
)
READS = {
    "self.step": "1",
    "type(self.step)": "int",
    "G['SCALE']": "3",
    "len(self.hist)": "2",
    "G['CFG']['lr']": "0.2",
    "f.__code__": "the code at line 7",
}
TEXTS = [
    ("0/0: tensor 'x' size mismatch at index 1. expected 3, actual 12", "shape", "x.shape[1]", "3", "12"),
    ("0/2: tensor 'x' rank mismatch. expected 2, actual 1", "rank", "x.shape", "rank 2", "rank 1"),
    ("0/3: tensor 'x' dtype mismatch. expected Float, actual Double", "dtype", "x.dtype", "float32", "float64"),
    ("1/0: tensor 'x' dtype mismatch. expected BFloat16, actual Long", "dtype", "x.dtype", "bfloat16", "int64"),
    ("8/0: tensor 'x' stride mismatch at index 0. expected 4, actual 1", "guard", "x.stride()[0]", "4", "1"),
    (
        "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=0",
        "guard",
        "x.requires_grad",
        "False",
        "True",
    ),
    (
        "7/5: tensor 'self._modules['l']._parameters['bias']' requires_grad mismatch. expected requires_grad=1. Guard "
        "failed on a parameter, consider using torch._dynamo.config.force_parameter_static_shapes = False to allow "
        "dynamism on parameters.",
        "guard",
        "self.l.bias.requires_grad",
        "True",
        "False",
    ),
    (
        "7/4: tensor 'self._modules['0']._parameters['bias']' size mismatch at index 0. expected 4, actual 8. Guard "
        "failed on a parameter, consider using torch._dynamo.config.force_parameter_static_shapes = False to allow "
        "dynamism on parameters.",
        "shape",
        "self[0].bias.shape[0]",
        "4",
        "8",
    ),
    (
        "0/5: tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, "
        "AutogradCPU), actual DispatchKeySet(Meta, BackendSelect, ADInplaceOrView, AutogradMeta)",
        "guard",
        "x.device",
        "cpu",
        "meta",
    ),
    (
        "8/1: tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, "
        "AutogradCPU), actual DispatchKeySet(CPU, BackendSelect, ADInplaceOrView)",
        "context",
        "inference_mode",
        "False",
        "True",
    ),
    (
        "0/5: expected type of 'o' to be a tensor type, ' but found <class 'NoneType'>",
        "kind",
        "o",
        "a tensor",
        "None",
    ),
    (
        "0/5: expected type of 'o' to be <class 'torch.Tensor'>, but found <class 'NoneType'>",  # from 2.15 on
        "kind",
        "o",
        "a tensor",
        "None",
    ),
    ("8/0: GLOBAL_STATE changed: grad_mode ", "context", "grad_mode", "True", "False"),
    ("8/3: GLOBAL_STATE changed: autocast(cpu)_enabled ", "context", "autocast(cpu)", "False", "True"),
    ("8/5: GLOBAL_STATE changed: num_threads ", "context", "num_threads", "as it was compiled for", "4"),
    (
        "0/1: 2 <= x.size()[0]  # def f(x,k=1): return torch.sin(x)*k  # f.py:17 in f (user code shown is first use of "
        "this value--the guard itself is not due user code but due to 0/1 specialization in the framework; to avoid "
        "specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim))",
        "shape",
        "x.shape[0]",
        "2 or more",
        "1",
    ),
    ("0/1: x.size()[0] >= 2", "shape", "x.shape[0]", "2 or more", "1"),
    ("2/1: 2 <= x.size()[1] <= 10  # return x*2 if x.shape[1]>10 else x+1", "shape", "x.shape[1]", "2 to 10", "12"),
    ("2/1: Eq(x.size()[1], 3)", "shape", "x.shape[1]", "3", "12"),
    (
        "1/1: L['x'].size()[1] == y.size()[0]  # (unknown var s17, please file a bug)",
        "shape",
        "x.shape[1]",
        "x.shape[1] == y.shape[0]",
        "12",
    ),
    ("3/0: k == 2                                    # def g(x,k): return x*k  # g.py:27 in g", "value", "k", "2", "3"),
    ("3/0: L['k'] == 2", "value", "k", "2", "3"),
    ("4/0: flag == False  # def gb(x, flag): …", "value", "flag", "False", "True"),
    ("4/1: name == 'a'  # def s(x, name): …", "value", "name", "'a'", "'b'"),
    ("4/1: name == 'a # b == c'  # def s(x, name): …", "value", "name", "'a # b == c'", "'b'"),
    ("4/1: d['rate'] == 0.5  # return x", "value", "d['rate']", "0.5", "0.25"),
    ("5/0: G['SCALE'] == 2     # def gg(x): return x*SCALE", "guard", "SCALE", "2", "3"),
    ("5/1: G['CFG']['lr'] == 0.1    # def gg(x): …", "guard", "CFG['lr']", "0.1", "0.2"),
    ("7/0: self.step == 0    # return x  # m.py:45 in forward (HINT: …)", "guard", "self.step", "0", "1"),
    ("15/0: n == 1  # def mk(n): return c(lambda x: x*n)", "guard", "n", "1", "2"),
    ("9/0: len(xs) == 2    # def h(xs): return sum(xs)  # h.py:59 in h", "structure", "len(xs)", "2", "3"),
    ("9/0: len(d) != 2", "structure", "len(d)", "2", "1"),
    ("7/2: not self.hist   # return x+len(self.hist)", "structure", "len(self.hist)", "0", "2"),
    (
        "9/1: ___check_type_id(xs, 139681218261824), type=<class 'list'>  # def h(xs): … (HINT: type list)",
        "structure",
        "xs",
        "list",
        "tuple",
    ),
    (
        "3/2: ___check_type_id(k, 139681218253312), type=<class 'float'>  # def g(x,k): … (HINT: type float)",
        "kind",
        "k",
        "float",
        "int",
    ),
    ("3/2: ___check_obj_id(o, 9), type=<class 'Tensor'>  # def …", "kind", "o", "Tensor", "None"),
    ("3/2: ___check_obj_id(flag, 9), type=<class 'bool'>  # def …", "value", "flag", "False", "True"),
    (
        "11/0: ___check_obj_id(f, 139681204991968), type=<class 'builtin_function_or_method'>  # def ap(f,x): …",
        "identity",
        "f",
        "the builtin_function_or_method it was compiled with",
        "cos",
    ),
    (
        "6/0: ___check_obj_id(G['helper'].__code__, 139681211718192), type=<class 'code'>  # def gh(x): …",
        "identity",
        "helper",
        "the code it was compiled with",
        "other code",
    ),
    (
        "6/0: ___check_obj_id(f.__code__, 139681211718192), type=<class 'code'>  # def gh(x): …",
        "identity",
        "f",
        "the code it was compiled with",
        "cos, the code at line 7",
    ),
    ("1/0: ___stack0 == 3  # y = x[:n.item()]  # …", "guard", "(value at the graph break)", "3", "4"),
    (
        "1/0: tensor '___stack1' size mismatch at index 0. expected 3, actual 4",
        "shape",
        "(value 2 at the graph break).shape[0]",
        "3",
        "4",
    ),
    (
        "0/0: 'NoneType' object has no attribute 'size'",
        "guard",
        "step",
        "'NoneType' object has no attribute 'size'",
        "None is there now",
    ),
    ("10/0: not ___dict_contains('z', d)", "structure", "d", "no key 'z'", "key 'z'"),
    ("10/0: KeyError on d['a']", "structure", "d", "key 'a'", "no key 'a'"),
    ("10/0: KeyError on d[3]", "structure", "d", "key 3", "no key 3"),
    ("4/0: o is not None", "kind", "o", "something", "None"),
    (
        '14/0: Duplicate tensors found: ["x", "y"]',
        "aliasing",
        "x",
        "tensors of their own",
        "the same tensor as y",
    ),
    (
        "16/0: BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: "
        "_TorchCompileWrapper(compiler='eager', dynamic=None) (id=0x7f09eb14fed0). New backend: "
        "_TorchCompileWrapper(compiler='aot_eager', dynamic=None) (id=0x7f09eb16b790). If this is unexpected, wrap "
        "your backend in functools.partial (or reuse the same cached backend) to avoid creating a new backend each "
        "time.",
        "context",
        "torch.compile(backend=…)",
        "_TorchCompileWrapper(compiler='eager', dynamic=None)",
        "_TorchCompileWrapper(compiler='aot_eager', dynamic=None)",
    ),
    (
        "torch._dynamo.reset() has discarded the compiled code",
        "context",
        "torch._dynamo.reset()",
        "compiled",
        "compiled code dropped",
    ),
    ("3/0: Cache line invalidated because L['m'] got deallocated", "collected", "m", "alive", "freed"),
    ("3/0: ___from_numpy(k).strange() is odd", "guard", "k", "___from_numpy(k).strange() is odd", "3"),
    ("1/0: (type(k) is float and __math_isnan(k))", "value", "k", "nan", "3"),
    ("0/0: tensor '___from_numpy(a)' size mismatch at index 0. expected 3, actual 4", "shape", "a.shape[0]", "3", "4"),
    ("0/0: list(dict.keys(d))[0] == 'a'", "structure", "d", "key 'a'", "key 'rate'"),
    ("0/0: list(dict.keys(L['e']))[1] == 'a'", "structure", "e", "key 'a'", "another key"),
    ("3/0: not strange(k, 'x')", "guard", "k", "not strange(k, 'x')", "3"),
    ("3/0: strange('x')", "guard", "guard", "strange('x')", "not so"),
    ("3/0: something that nobody knows", "guard", "something", "something that nobody knows", "not so"),
    ("3/0: ", "guard", "guard", "a guard", "not so"),
]


@pytest.mark.parametrize(("text", "code", "path", "was", "now"), TEXTS)
def test_a_guard(text: str, code: str, path: str, was: str, now: str) -> None:
    (cause,) = read_guard(text, Call(NOW, READS, "step")).causes
    assert (cause.code.value, cause.path, cause.was, cause.now) == (code, path, was, now)
    assert cause.evidence == "reported"


def test_several_states_in_one_guard() -> None:
    causes = read_guard("8/3: GLOBAL_STATE changed: grad_mode num_threads ", Call(NOW)).causes
    assert [cause.path for cause in causes] == ["grad_mode", "num_threads"]


@pytest.mark.parametrize(
    ("text", "finite"),
    [("0/0: flag == False", True), ("0/0: o is not None", True), ("0/0: k == 2", False), ("0/0: name == 'a'", False)],
)
def test_what_can_only_take_a_few_states(text: str, finite: bool) -> None:
    assert read_guard(text, Call(NOW)).causes[0].finite is finite


def test_notes() -> None:
    """Size one, and a variable of the enclosing function, are explained."""
    assert "sizes 0 and 1 separately" in (read_guard("0/1: 2 <= x.size()[0]", Call(NOW)).causes[0].note or "")
    assert "enclosing" in (read_guard("0/1: n == 1", Call(NOW)).causes[0].note or "")


def test_the_number_of_the_compilation() -> None:
    assert read_guard("12/3: k == 1", Call(NOW)).compilation == "12/3"
    assert read_guard("k == 1", Call(NOW)).compilation is None


def tensor(*shape: int | None, dtype: str = "float32") -> Leaf:
    return Leaf("x", "tensor", dtype, shape, type_name="Tensor")


def text(value: str) -> Leaf:
    return Leaf("name", "python", value=value, type_name="str")


def event(number: int, *leaves: Leaf, reasons: tuple[str, ...] = (), traced: Signature | None = None) -> TraceEvent:
    return TraceEvent(
        id=number,
        backend="torch",
        function=FunctionId("f"),
        signature=Signature(leaves),
        traced=traced,
        start=float(number),
        object=1,
        graph=f"0/{number}",
        reasons=reasons,
    )


def told(causes: Any) -> list[tuple[str, str, str, str]]:
    return [(cause.code.value, cause.path, cause.was, cause.now) for cause in causes]


def test_the_nearest_decides_not_the_latest() -> None:
    compiled = {"0/0": Signature((tensor(3), text("'a'"))), "0/1": Signature((tensor(3), text("'b'")))}
    now = event(
        2,
        tensor(3, dtype="float64"),
        text("'a'"),
        reasons=("0/1: name == 'b'", "0/0: tensor 'x' dtype mismatch. expected Float, actual Double"),
    )
    assert told(explain_guards(now, compiled)) == [("dtype", "x.dtype", "float32", "float64")]


def test_what_is_new_to_all_of_them_is_a_cause_too() -> None:
    compiled = {"0/0": Signature((tensor(3), text("'a'"))), "0/1": Signature((tensor(3), text("'b'")))}
    now = event(
        2,
        tensor(3, dtype="float64"),
        text("'c'"),
        reasons=("0/1: name == 'b'", "0/0: tensor 'x' dtype mismatch. expected Float, actual Double"),
    )
    assert told(explain_guards(now, compiled)) == [
        ("value", "name", "'b'", "'c'"),
        ("dtype", "x.dtype", "float32", "float64"),
    ]


def test_what_was_none_before_hides_no_size() -> None:
    """None, then a pair that grows: the call differs from the one with None in one place, from the others in two."""

    def pair(size: int) -> Signature:
        parts = [Leaf(f"past[{at}]", "tensor", dtype="float32", shape=(size, 4), type_name="Tensor") for at in (0, 1)]
        return Signature(tuple(parts), (Container("past", "tuple", ("0", "1")),))

    compiled = {"0/0": Signature((Leaf("past", "none"),)), "0/1": pair(1), "0/2": pair(2)}
    reasons = tuple(
        f"0/{size}: tensor 'past[0]' size mismatch at index 0. expected {size}, actual 3" for size in (2, 1)
    )
    now = msgspec.structs.replace(event(3, reasons=(*reasons, "0/0: past is None  # if past:")), signature=pair(3))
    assert ("shape", "past[0].shape[0]") in [each[:2] for each in told(explain_guards(now, compiled))]


def test_without_signatures_it_is_the_latest() -> None:
    now = event(2, tensor(5), reasons=("0/1: name == 'b'", "0/0: tensor 'x' rank mismatch. expected 2, actual 1"))
    assert [cause.path for cause in explain_guards(now, {})] == ["name"]


def test_a_size_that_is_left_open_from_now_on() -> None:
    reason = ("0/0: tensor 'x' size mismatch at index 0. expected 3, actual 5",)
    open_now = Signature((tensor(None, 4),))
    (cause,) = explain_guards(event(1, tensor(5, 4), reasons=reason, traced=open_now), {})
    assert cause.finite
    assert "dynamic from" in (cause.note or "")
    (cause,) = explain_guards(event(1, tensor(5, 4), reasons=reason), {})
    assert not cause.finite


def test_a_number_that_was_left_open_has_its_type() -> None:
    served = Signature((Leaf("k", "python", value=None, type_name="int"),))
    reason = ("0/1: ___check_type_id(k, 94711), type=<class 'int'>",)
    now = event(2, Leaf("k", "python", value="2.5", type_name="float"), reasons=reason)
    assert told(explain_guards(now, {"0/1": served})) == [("kind", "k", "int", "2.5")]


def test_a_history_believes_the_framework() -> None:
    """With reasons an event is a retrace, though nobody saw what was compiled before."""
    history = History()
    explained = history.explain(
        event(4, tensor(5), reasons=("0/0: tensor 'x' size mismatch at index 0. expected 3, actual 5",))
    )
    assert explained.event.phase == "retrace"
    assert told(explained.causes) == [("shape", "x.shape[0]", "3", "5")]
    explained = history.explain(
        event(5, tensor(5, dtype="int32"), reasons=("0/4: tensor 'x' dtype mismatch. expected Float, actual Int",))
    )
    assert [cause.code for cause in explained.causes] == [CauseCode.DTYPE]


def test_an_error_about_none_is_a_view_that_is_none_any_more() -> None:
    text = "0/0: 'NoneType' object has no attribute 'size'"
    (cause,) = read_guard(text, Call(NOW, {"xs[0]._base": "None"}, "step")).causes
    assert (cause.code.value, cause.path, cause.was, cause.now) == ("guard", "xs[0]._base", "a view", "no view")
    assert (cause.note or "").startswith("sometimes a view")


def test_a_value_without_a_name_has_the_place_of_the_graph_break() -> None:
    reads = {"graph break": "train.py:7"}
    (cause,) = read_guard("1/0: ___stack0 == 3", Call(NOW, reads)).causes
    assert cause.note == "it crosses the graph break at train.py:7"
