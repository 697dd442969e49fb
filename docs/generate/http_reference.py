"""The page of the service's operations, from its OpenAPI document."""

import json
from collections.abc import Iterator
from typing import Any

from privge.collect.service.openapi import document

_ACCESS = {"deviceToken": "a device's token", "operatorToken": "the operator's token"}


def page() -> str:
    """Return the reference of all operations as Markdown."""
    content = json.loads(document())
    head = (
        "# HTTP\n\nEvery operation of the service. This page is made from the document that a running service gives "
        "at `/openapi.json`.\n"
    )
    operations = [
        part
        for path, methods in content["paths"].items()
        for method, operation in methods.items()
        for part in _operation(method.upper(), path, operation)
    ]
    schemas = [part for name, schema in content["components"]["schemas"].items() for part in _schema(name, schema)]
    return "\n".join([head, *operations, "## Types\n", *schemas])


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"## `{method} {path}`\n"
    yield f"{operation['summary']}\n"
    schemes = [_ACCESS[name] for scheme in operation.get("security", []) for name in scheme]
    yield f"* Needs {schemes[0] if schemes else 'no token'}."
    for parameter in operation["parameters"]:
        yield f"* `{parameter['name']}` ({parameter['in']}): {parameter['description']}"
    body = operation.get("requestBody", {}).get("content", {})
    yield from (f"* Body: {_kind(media, content)}." for media, content in body.items())
    yield "\n| status | meaning | body |\n|---:|---|---|"
    for status, answer in operation["responses"].items():
        kinds = "; ".join(_kind(media, content) for media, content in answer["content"].items())
        yield f"| {status} | {answer['description']} | {kinds} |"
    yield ""


def _kind(media: str, content: dict[str, Any]) -> str:
    schema = content.get("schema")
    return f"`{media}`" + ("" if schema is None else f", {_type(schema)}")


def _schema(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{schema.get('description', '')}\n"
    fields = schema.get("properties", {})
    if fields:
        yield "| field | type |\n|---|---|"
        yield from (f"| `{field}` | {_type(kind)} |" for field, kind in fields.items())
        yield ""


def _type(schema: dict[str, Any]) -> str:
    """Return a schema in words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        inner = [_type(one) for one in schema.get("prefixItems", [])] or [_type(schema["items"])]
        return f"list of {', '.join(inner)}"
    return str(schema.get("format") or schema.get("type", "anything"))
