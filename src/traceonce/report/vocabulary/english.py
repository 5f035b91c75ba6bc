"""The words in English. Every remedy here has been run."""

from __future__ import annotations

from traceonce.report.vocabulary import Speech, Vocabulary

COMMON = Vocabulary(
    what={
        "shape": "varies",
        "shape_each": "varies in every trace",
        "shape_grows": "grows by {step} each time",
        "shape_once_smaller": "is smaller once, as in a last, partial batch",
        "rank": "changes its rank",
        "dtype": "changes its dtype",
        "value": "a Python {type}",
        "value_each": "a Python {type}, a new value each time",
        "a_type": "Python",
        "kind": "changes its kind",
        "structure": "changes its structure",
        "spec": "changes in its type specification",
        "identity": "another {type} object",
        "collected": "a {type} object; the earlier one is gone",
        "unequal": "its type never equals itself",
        "aliasing": "is, or is not, the same variable as another argument",
        "new_function": "the same code, in a new function",
        "new_instance": "the method of another object",
        "variable_creation": "variables were created on the first call",
        "context": "the surroundings of the call changed",
        "weak_type": "has a weak dtype in one call and not in another",
        "static_argument": "a static argument, whose value is compiled in",
        "static_argument_each": "a static argument, whose value is compiled in, a new one each time",
        "static_argument_equal": "a static argument: it prints the same, but is another object",
        "sharding": "lies on other devices, or is divided among them in another way",
        "guard": "is not what the compiled code was made for",
        "compile": "compiled again without a trace",
        "backward": "a backward graph was built",
        "fell_back": "is not compiled any more, but runs as plain Python",
        "stale": "read when traced, and changed since: the trace has the old value",
        "confused": "an equal number of another type was served by the same trace",
        "unknown": "the cause is not known",
    },
    remedy={
        "shape": "pass one size in every call, or pad to a few",
        "shape_in_library": "give the library one size: pad, or drop the last, partial batch",
        "rank": "reshape to one rank before the call",
        "dtype": "cast to one dtype before the call",
        "value": "pass a tensor, if the function needs no Python value",
        "kind": "pass the same kind of thing in every call",
        "structure": "keep one structure: the same keys, the same length, list or tuple",
        "spec": "keep this field of the type the same in every call",
        "identity": "pass the same object; if it holds settings only, __eq__ and __hash__ in its class will do, too",
        "collected": "keep one object alive and pass it in every call",
        "unequal": "let __eq__ of that class compare contents",
        "aliasing": "pass the same pattern of variables",
        "new_function": "make the compiled function once, outside the loop or the call",
        "new_function_differs": "make it once, and pass as an argument what differs: {note}",
        "new_function_of_dataset": "each dataset traces its function anew: build it once where it is the same",
        "new_function_of_keras": "each model traces its steps anew: keep one, and put its variables and its "
        "optimizer's back",
        "new_function_in_library": "keep and reuse what the library made it for",
        "new_instance": "reuse one object",
        "new_instance_differs": "reuse one object, and pass as an argument what differs: {note}",
        "variable_creation": "nothing: this happens once",
        "variable_creation_failed": "create the variable once: before the call, or in the first one only",
        "context": "call it in the same surroundings",
        "weak_type": "convert it to one dtype before the call",
        "static_argument": "pass it as an array, if the function needs no Python value",
        "static_argument_equal": "pass the same object, or give its class __eq__ and __hash__ that compare contents",
        "sharding": "put it on the same devices, in the same way, before each call",
        "guard": "keep it the same in every call",
        "compile": "pass the same shapes, on the same devices, in every call",
        "backward": "nothing: this happens once per trace",
        "fell_back": "treat what made it compile so often; a higher limit only delays this",
        "stale": "pass it as an argument",
        "confused": "pass one type in every call",
        "unknown": "please report this with the recording",
    },
    retraced="retraced",
    trace="trace",
)
TENSORFLOW = Vocabulary(
    what={
        "new_function": "the same code, wrapped by tf.function again",
        "compile": "XLA compiled again",
    },
    remedy={
        "shape": "give the dimension as None in an input_signature, or set reduce_retracing=True",
        "shape_relaxed": "give the dimension as None in an input_signature",
        "shape_in_library": "give the library one size: pad, or drop the last, partial batch (drop_remainder=True)",
        "new_function": "make the tf.function once, outside the loop or the call",
        "new_function_in_library": "keep and reuse what the library made it for, or call the library inside one "
        "tf.function of your own",
        "compile": "pad to a few fixed shapes; XLA compiles for every new one",
        "stale": "pass it as an argument, or keep it in a tf.Variable",
    },
)
JAX = Vocabulary(
    what={
        "context": "a setting of JAX that it was traced with changed",
    },
    remedy={
        "shape": "pad to a few sizes, with a mask where the padding would count: JAX compiles for each shape",
        "dtype": "convert it to one dtype before the call: jnp.asarray(x, dtype)",
        "value": "pass an array, if the function needs no Python value",
        "new_function_of_loop": "make the function of the loop once: the loop is traced and compiled for each new one",
        "new_function": "call jax.jit once, on one function, outside the loop or the call",
        "new_function_in_library": "keep and reuse what the library made it for, or call the library inside one "
        "jax.jit of your own",
        "context": "choose the setting once, before the first call",
        "weak_type": "convert it before the call, and name the dtype: jnp.asarray(x, jnp.float32)",
        "static_argument": "pass it as an array, without static_argnums or static_argnames, if the function needs no "
        "Python value",
        "static_argument_equal": "pass the same object, or give its class __eq__ and __hash__ that compare contents, "
        "as those of a frozen dataclass do",
        "sharding": "bring it to one sharding before each call: jax.device_put(x, sharding)",
        "compile": "pass arguments that lie on the same devices in every call: jax.device_put(x, sharding)",
    },
)
TORCH = Vocabulary(
    what={
        "new_instance": "the same code, with another object",
        "shape_of_one": "is 1 in one call and not in another: size 1 is compiled for itself",
        "context": "the state of PyTorch that it was compiled under changed",
        "identity_of_code": "a function with other code",
        "guard_at_break": "another value than in the compiled code",
        "guard__base": "a view of another tensor in one call, and none in another",
        "guard_stride": "lies in memory in another order",
        "guard_device": "lies on another device",
        "guard_requires_grad": "needs gradients in one call and not in another",
    },
    remedy={
        "shape": "let the dimension vary: torch._dynamo.mark_dynamic(x, dim) before the call, or "
        "torch.compile(dynamic=True)",
        "shape_of_one": "keep to sizes of 2 or more; or torch._dynamo.decorators.mark_unbacked(x, dim) before the "
        "call, where the code does not branch on the size",
        "value_of_choice": "each value is a compilation: leave it if there are few, else pass a tensor or a number",
        "value_of_attribute": "keep it in a tensor, as a buffer of the module; for an int, "
        "torch._dynamo.config.allow_unspec_int_on_nn_module = True will do, too",
        "structure": "keep one structure: the same keys in the same order, the same length, list or tuple",
        "new_function": "call torch.compile once, outside the loop or the call",
        "new_function_in_library": "keep and reuse what the library made it for",
        "context": "call it in the same state: gradients, autocast and inference mode on, or off, in every call",
        "guard": "keep it the same in every call; if it has to change, pass it as a tensor",
        "identity": "pass the same object, or use it outside of the compiled function",
        "identity_of_code": "call it outside of the compiled function, or pass a tensor that chooses",
        "guard_at_break": "take the graph break away; where it is Tensor.item(), "
        "torch._dynamo.config.capture_scalar_outputs = True does that",
        "guard__base": "clone() the view before the call, or pass a view in every call",
        "guard_device": "bring it to one device before the call",
        "guard_stride": "bring it into one order before the call: x.contiguous()",
        "guard_requires_grad": "pass it in the same way in every call: x.detach() where no gradient is needed",
        "fell_back": "treat what made it compile so often; raising torch._dynamo.config.recompile_limit only "
        "delays this",
        "fell_back_left_alone": "do outside of it what that call did otherwise: after one call in which PyTorch finds "
        "nothing to compile, it leaves the function alone for good",
    },
    reasons={
        "it keeps being traced as it is called": "it keeps being compiled as it is called",
        "it is traced again and again (its calls are not counted)": "it is compiled again and again (its calls are not "
        "counted)",
        "the same graph is traced again under new function objects": "the same graph is compiled again under new "
        "function objects",
        "it was traced for a good part of its calls": "it was compiled for a good part of its calls",
        "a trace raised an error": "a compilation raised an error",
        "a call was served with a value that the trace was not made for": "a call was served with a value that the "
        "compilation was not made for",
        "traced once": "compiled once",
        "each graph traced once": "each graph compiled once",
        "all traces came early": "all compilations came early",
        "each trace served many calls": "each compilation served many calls",
        "few traces so far": "few compilations so far",
    },
    retraced="recompiled",
    trace="compilation",
)
ENGLISH = Speech(COMMON, {"tensorflow": TENSORFLOW, "jax": JAX, "torch": TORCH})
