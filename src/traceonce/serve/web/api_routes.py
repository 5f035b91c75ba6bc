"""What the page about the API shows: every route of /openapi.json, grouped by what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Document = Mapping[str, Any]
TAGS = ("recordings", "knowledge", "server", "other")
_METHODS = ("get", "post", "put", "patch", "delete")


class Parameter(NamedTuple):
    """Something to send: in the address, or as the body."""

    name: str
    facts: list[str]
    description: str


class Route(NamedTuple):
    method: str
    path: str
    summary: str
    description: str
    parameters: list[Parameter]
    answers: list[tuple[str, str]]


class Group(NamedTuple):
    """The routes about one thing, as OpenAPI tags them."""

    tag: str
    routes: list[Route]


def group_routes(openapi: Document) -> list[Group]:
    """All routes, by what they are about, in the order in which they are documented."""
    groups: dict[str, list[Route]] = {tag: [] for tag in TAGS}
    for path, methods in openapi.get("paths", {}).items():
        for method in _METHODS:
            if method in methods:
                tag = next((tag for tag in methods[method].get("tags", []) if tag in TAGS), "other")
                groups[tag].append(_route(method, path, methods[method], openapi))
    return [Group(tag, routes) for tag, routes in groups.items() if routes]


def _route(method: str, path: str, operation: Document, openapi: Document) -> Route:
    description = operation.get("description", "")
    return Route(
        method=method.upper(),
        path=path,
        summary=description.partition("\n")[0] or operation.get("summary", ""),
        description=description if "\n" in description else "",
        parameters=[*_parameters(operation), *_body(operation, openapi)],
        answers=[(status, answer.get("description", "")) for status, answer in operation.get("responses", {}).items()],
    )


def _parameters(operation: Document) -> Iterator[Parameter]:
    for parameter in operation.get("parameters", []):
        schema = parameter.get("schema", {})
        facts = [parameter["in"], *_constraints(schema), *(["required"] if parameter.get("required") else [])]
        yield Parameter(parameter["name"], facts, parameter.get("description", ""))


def _body(operation: Document, openapi: Document) -> Iterator[Parameter]:
    body = operation.get("requestBody")
    if body is None:
        return
    for kind, content in body.get("content", {}).items():
        schema = _resolve(content.get("schema", {}), openapi)
        fields = schema.get("properties")
        if not fields:
            yield Parameter("body", [kind], body.get("description", ""))
        for name, field in (fields or {}).items():
            facts = ["body", *_constraints(field), *(["required"] if name in schema.get("required", []) else [])]
            yield Parameter(name, facts, field.get("description", ""))


def _constraints(schema: Document) -> Iterator[str]:
    """What a value may be, in a few words."""
    choices = [choice for choice in schema.get("anyOf", [schema]) if choice.get("type") != "null"]
    for choice in choices:
        if "enum" in choice:
            yield " | ".join(map(str, choice["enum"]))
        elif "type" in choice:
            yield str(choice["type"])
    if schema.get("default") not in (None, ""):
        yield f"default {schema['default']}"


def _resolve(schema: Document, openapi: Document) -> Document:
    """Follow a reference into the components of the document."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    name = str(reference).rpartition("/")[2]
    found: Document = openapi.get("components", {}).get("schemas", {}).get(name, {})
    return found
