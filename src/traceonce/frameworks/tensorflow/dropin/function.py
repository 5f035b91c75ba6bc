"""`Function`: TensorFlow's own, with a dispatch that decides first and asks TensorFlow only where it must."""

from __future__ import annotations

import types
import weakref
from typing import Any

from traceonce.facts.dispatch import Stats
from traceonce.frameworks.tensorflow.dropin import hits
from traceonce.frameworks.tensorflow.dropin.cache import BoundedCache
from traceonce.frameworks.tensorflow.dropin.decisions import Decisions
from traceonce.frameworks.tensorflow.dropin.forms import Path
from traceonce.frameworks.tensorflow.dropin.frames import Unseen, without_ours
from traceonce.frameworks.tensorflow.dropin.graph_facts import has_effects
from traceonce.frameworks.tensorflow.dropin.inputs import unique, variables_among
from traceonce.frameworks.tensorflow.dropin.likeness import Likeness, Marks
from traceonce.frameworks.tensorflow.dropin.parts import (
    Parameter,
    cancellation,
    composite_tensor,
    context,
    eager_function_run,
    errors,
    execute,
    no_tape_is_active,
    ops,
    polymorphic_function,
    profiling,
    run_graph,
    save_context,
    traceback_utils,
)
from traceonce.frameworks.tensorflow.dropin.policy import NotNow, Policy, RunEagerly
from traceonce.frameworks.tensorflow.dropin.refusals import refused_event
from traceonce.frameworks.tensorflow.dropin.runnable import raise_as_tensorflow_does, tell_tapes, tick
from traceonce.frameworks.tensorflow.dropin.tapes import is_accumulating, kind_of_accumulation

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_plain_call = polymorphic_function.Function.__call__
_plain_execute = execute.execute
_saving = save_context._save_context
_graphs = ops._default_graph_stack
_UNSAVED = ("_decisions", "_function_cache", "_bound", "_binders", "_marks", "_likeness")
_TRACED = ("_variable_creation_config", "_no_variable_creation_config", "_created_variables")
# What a graph raises for sizes and values that it is given, or where XLA cannot compile it for them.
OF_THE_DATA = (errors.InvalidArgumentError, errors.UnimplementedError, errors.InternalError, errors.OutOfRangeError)

DEFAULT_POLICY = Policy()


def leave_to_python(function: Any) -> Any:
    """Keep AutoGraph from converting a function of ours that is called in a traced body."""
    function.autograph_info__ = {}
    return function


class Function(polymorphic_function.Function):  # type: ignore[misc]  # TensorFlow is untyped
    """A `tf.function` whose calls are dispatched by `Decisions`; whatever that does not know is TensorFlow's to do."""

    autograph_info__: dict[str, Any] = {}  # noqa: RUF012  # tells AutoGraph to leave __call__ alone

    def __init__(
        self, python_function: Any, name: str, *args: Any, policy: Policy = DEFAULT_POLICY, **kwargs: Any
    ) -> None:
        super().__init__(python_function, name, *args, **kwargs)
        self._policy = policy
        self._start()

    def _start(self) -> None:
        """Begin without traces."""
        self._dead = False
        self._fallbacks = 0
        self._told_hits = 0
        self._bound: dict[int, tuple[weakref.ref[Any], Function]] = {}
        self._binders: dict[Any, Any] = {}
        owner = weakref.ref(self)
        self._marks = Marks(lambda: _note_death(owner))
        self._likeness = Likeness(self._marks)
        policy = self._policy
        self._decisions = Decisions(self, self._likeness, lift=policy.lift)
        self._function_cache = BoundedCache(
            self._likeness,
            policy.keep,
            lambda kind: _permit(owner, kind),
            lambda concrete: _forget(owner, concrete),
            reduce_retracing=bool(self._reduce_retracing),
        )
        self._read_signature()
        hits.count(self)

    def __del__(self) -> None:
        if hits is not None and hasattr(self, "_decisions"):  # the interpreter may be on its way out
            hits.tell(self, wait=0)  # the collector may have come while this thread holds the lock

    def _read_signature(self) -> None:
        parameters = list(self._function_type.parameters.values())
        self._positional = [p.name for p in parameters if p.kind in POSITIONAL]
        self._unnamed = {p.name for p in parameters if p.kind is Parameter.POSITIONAL_ONLY}
        self._keyword_only = sorted(p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY)
        self._variadic = any(p.kind in VARIADIC for p in parameters)
        self._signed = self.input_signature is not None
        simple = not self._keyword_only and not self._variadic
        self._arity = len(self._positional) if simple else -1
        self._forms = {} if self._is_pure else self._decisions.forms

    # --- the hit

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        wide = None
        try:
            here = context._context or context.context()
            local = here._thread_local_data
            graph = _graphs._global_default_graph
            if (
                not local.is_eager
                or eager_function_run.RUN_FUNCTIONS_EAGERLY
                or _graphs.stack
                or execute.execute is not _plain_execute
                or cancellation._active_context is not None
                or _saving._in_save_context
                or profiling()
                or (graph is not None and graph._distribution_strategy_stack)
                or polymorphic_function.Function.__call__ is not _plain_call
            ):
                with Unseen():
                    return self._elsewhere(args, kwargs, is_eager=local.is_eager)
            arguments: Any = args
            if kwargs or len(args) != self._arity:
                arguments = self._bind(args, kwargs)
                if arguments is None:
                    with Unseen():
                        return self._unknown(args, kwargs)
            device = local.device_name
            for form in self._forms.get(tuple(map(type, arguments)), ()):
                flat = form.flatten(arguments, device)
                if flat is None:
                    continue
                found = form.table.get(flat[0])
                if found is None:
                    found = self._decisions.admitting(form, flat[0])
                    if found is None:
                        break
                found.hits += 1
                found.last = tick()
                inputs = flat[1]
                if found.is_wide:
                    wide = found.concrete
                taped = not no_tape_is_active()
                if taped and (found.own_gradients or is_accumulating()):
                    wide = None
                    with Unseen():
                        return self._exactly(args, kwargs)
                if taped and form.has_variables:
                    tell_tapes(variables_among(arguments))
                if form.has_aliases:
                    inputs = unique(inputs)
                if not found.direct:
                    return found.concrete._call_flat(inputs, found.concrete.captured_inputs)
                options = local.function_call_options or here.function_call_options
                attributes = (
                    "executor_type",
                    options._executor_type or "",
                    "config_proto",
                    options._config_proto_serialized,
                )
                if taped:
                    return found.run_under_tape(inputs, here, device, attributes)
                try:
                    outputs = run_graph(
                        here._context_handle, device, found.name, inputs + found.captures, attributes, found.count
                    )
                except Exception as error:
                    raise_as_tensorflow_does(error, found.concrete._inference_function)
                return found.pack(outputs)
            with Unseen():
                return self._miss(arguments, args, kwargs, device)
        except RunEagerly:
            return self._python_function(*args, **kwargs)
        except Exception as error:
            if wide is None or not isinstance(error, OF_THE_DATA):
                if not traceback_utils.is_traceback_filtering_enabled():
                    raise
                raise error.with_traceback(without_ours(error.__traceback__)) from None
            failed = error
        try:  # out of the handler: what is raised now is no consequence of the first error
            return self._after_error(failed, wide, args, kwargs)
        except Exception as error:
            if not traceback_utils.is_traceback_filtering_enabled():
                raise
            raise error.with_traceback(without_ours(error.__traceback__)) from None

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """Positional arguments, then keyword-only ones by name, with defaults: the order of the inputs of a trace."""
        if self._variadic:
            return args if not (kwargs or self._keyword_only or self._default_values) else None
        pattern = (len(args), *kwargs)
        rest = self._binders.get(pattern)
        if rest is None:
            names = self._positional[len(args) :] + self._keyword_only
            fits = len(args) <= len(self._positional) and set(kwargs) <= set(names) - self._unnamed
            if not fits or any(name not in kwargs and name not in self._default_values for name in names):
                return None  # TensorFlow says what is wrong
            rest = self._binders[pattern] = [(n, n in kwargs, self._default_values.get(n)) for n in names]
        return (*args, *[kwargs[name] if given else default for name, given, default in rest])

    # --- everything else

    def _elsewhere(self, args: Any, kwargs: Any, *, is_eager: bool) -> Any:
        """A call inside a graph, or that somebody watches.

        Whoever traces may look at the sizes of what is returned, and differentiate it, long after it was called.
        """
        if not is_eager or is_accumulating() or (self._function_cache.has_own_gradients and not no_tape_is_active()):
            return self._exactly(args, kwargs)
        self._fallbacks += 1
        return super().__call__(*args, **kwargs)

    def _exactly(self, args: Any, kwargs: Any) -> Any:
        """As TensorFlow would: with a trace that is made for this call."""
        self._fallbacks += 1
        with self._function_cache.exactly(kind_of_accumulation()):
            return super().__call__(*args, **kwargs)

    def _after_error(self, error: Exception, wide: Any, args: Any, kwargs: Any) -> Any:
        """A trace that is for more than this call has failed: what would one have done that is made for it?

        It may fail while it is traced, with another error, or not fail. Where the failed one may have had effects, it
        cannot be run in its place; but an error at trace time is still the one to be raised.
        """
        with Unseen():
            if not has_effects(wide):
                return self._exactly(args, kwargs)
            self._decisions.trace_for(args, kwargs)
            raise error

    def _miss(self, arguments: tuple[Any, ...], args: Any, kwargs: Any, device: str) -> Any:
        """No key leads to a trace. TensorFlow makes the call; where a wider trace is wanted, it is there before."""
        if self._dead:
            self._drop_dead()
        decisions, cache = self._decisions, self._function_cache
        call = decisions.call(arguments, device) if not self._is_pure else None
        if call is None:
            return self._unknown(args, kwargs)
        if is_accumulating():
            return self._exactly(args, kwargs)
        self._likeness.look_again()
        first, before = self.tracing_options is None, cache.traces
        if not first:
            for concrete, when in decisions.recently_used():
                cache.used(concrete, when)
            try:
                call, given = decisions.prepare(call)
            except NotNow:
                return self._exactly(args, kwargs)
            if cache.has_own_gradients and not no_tape_is_active():
                return self._exactly(args, kwargs)
            if given is not arguments:
                args, kwargs = self.split(given)
        hits.tell(self)
        try:
            result = super().__call__(*args, **kwargs)
        except OF_THE_DATA as error:
            made, failed = cache.last, error
            if first or cache.wide(made) is None:
                raise
        else:
            failed = None
        if failed is not None:
            return self._after_error(failed, made, *self.split(arguments))
        decisions.remember(call, cache.last)
        if not first and cache.traces > before:
            decisions.lift(call, cache.last)
        return result

    def _unknown(self, args: Any, kwargs: Any) -> Any:
        """A call with arguments that have no key: TensorFlow looks for the trace."""
        if is_accumulating():
            return self._exactly(args, kwargs)
        self._fallbacks += 1
        if self.tracing_options is None or self._is_pure or not self.relaxes:
            return super().__call__(*args, **kwargs)
        cache = self._function_cache
        if not no_tape_is_active() and cache.has_own_gradients:
            return self._exactly(args, kwargs)
        try:
            with cache.before_a_miss(lambda: self._decisions.widen(args, kwargs)):
                return super().__call__(*args, **kwargs)
        except OF_THE_DATA as error:
            made, failed = cache.last, error
            if cache.wide(made) is None:
                raise
        return self._after_error(failed, made, args, kwargs)

    def split(self, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """From the order of `_bind` back to positional and keyword arguments."""
        count = len(arguments) - len(self._keyword_only)
        return arguments[:count], dict(zip(self._keyword_only, arguments[count:], strict=True))

    def path_text(self, path: Path) -> str:
        """How a place among the arguments is called in Python."""
        names = [*self._positional, *self._keyword_only]
        first = names[path[0]] if path[0] < len(names) else f"args[{path[0]}]"
        return first + "".join(f"[{step!r}]" for step in path[1:])

    @property
    def traces(self) -> int:
        """Made to serve calls; a first call that creates variables takes TensorFlow two."""
        return int(self._function_cache.traces) - (bool(self._created_variables) and self._function_cache.traces > 1)

    def stats(self) -> Stats:
        cache, decisions = self._function_cache, self._decisions
        own = Stats(
            traces=self.traces,
            trials=cache.trials,
            kept=len(cache),
            hits=decisions.hits,
            relaxed=decisions.relaxed,
            lifted=decisions.lifted,
            static=decisions.static,
            evicted=cache.evicted,
            fallbacks=self._fallbacks,
            why=tuple(decisions.why),
        )
        return sum((bound.stats() for _, bound in list(self._bound.values())), own)

    @leave_to_python
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with self._function_cache.exactly():
                return super().get_concrete_function(*args, **kwargs)
        except RunEagerly as reached:
            raise reached.error from None

    @property
    def relaxes(self) -> bool:
        return not self._signed and (self._policy.relax or bool(self._reduce_retracing))

    @property
    def tracing_options(self) -> Any:
        return self._no_variable_creation_config if self._created_variables else self._variable_creation_config

    def _drop_dead(self) -> None:
        with self._lock:
            self._dead = False
            self._function_cache.drop_dead()

    def _generate_tracing_options(self, fn: Any, scope_type: Any) -> Any:
        options = super()._generate_tracing_options(fn, scope_type)
        options.reduce_retracing = True  # so that the cache is asked what to trace
        return options

    def _decorate(self, decorator: Any) -> None:
        super()._decorate(decorator)
        self._read_signature()

    def _clone(self, python_function: Any) -> Function:
        clone = type(self)(
            self._python_function if python_function is None else python_function,
            self._name,
            policy=self._policy,
            input_signature=self.input_signature,
            autograph=self._autograph,
            jit_compile=self._jit_compile,
            reduce_retracing=self._reduce_retracing,
            experimental_attributes=self._attributes,
            experimental_autograph_options=self._experimental_autograph_options,
        )
        if self._shared_rendezvous:
            clone._shared_rendezvous = self._shared_rendezvous
        return clone

    def __get__(self, instance: Any, owner: Any) -> Any:
        known = self._bound.get(id(instance))
        if known is not None and known[0]() is instance:
            return known[1]
        if instance is None:
            return self
        is_composite = isinstance(instance, composite_tensor.CompositeTensor)
        if is_composite and instance._type_spec is not None:
            return types.MethodType(self, instance)
        function = polymorphic_function.class_method_to_instance_method(self, instance)
        function._policy = self._policy
        function._start()
        bound, number = self._bound, id(instance)
        bound[number] = (weakref.ref(instance, lambda _: bound.pop(number, None)), function)
        return function

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for name in _UNSAVED:
            state.pop(name, None)
        return dict(state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.pop("_concrete_variable_creation_fn", None)
        for name in _TRACED:
            setattr(self, name, None)
        self._start()


def _note_death(owner: weakref.ref[Function]) -> None:
    function = owner()
    if function is not None:
        function._dead = True


def _permit(owner: weakref.ref[Function], kind: Any) -> None:
    """Rule 6. Traces that are made to save a model are not held against the function."""
    function = owner()
    if function is None or _saving._in_save_context:
        return
    if function._created_variables and function._function_cache.traces == 1:
        return  # the second trace of a first call that creates variables
    policy, made = function._policy, function.traces
    if policy.limit is None or policy.refuse is None or made <= policy.limit:
        return
    error = policy.refuse(refused_event(kind), policy, made)
    if error is not None:
        raise RunEagerly(error) if policy.on_limit == "eager" else error


def _forget(owner: weakref.ref[Function], concrete: Any) -> None:
    function = owner()
    if function is None:
        return
    if getattr(function, "_concrete_variable_creation_fn", None) is concrete and not function._created_variables:
        function._concrete_variable_creation_fn = None  # TensorFlow needs it for the first call alone
    function._decisions.forget(concrete)
