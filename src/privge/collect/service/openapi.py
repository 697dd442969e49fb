"""The OpenAPI 3.1 document, made from the table of routes and the wire types."""

import re
from functools import cache
from importlib.metadata import version
from inspect import getdoc

import msgspec

from privge.collect.service.problems import REASONS
from privge.collect.service.routes.operations import OPERATIONS, Operation
from privge.wire.bodies import Problem, TokenPayload
from privge.wire.messages import OPERATOR_HEADER, PROBLEM_TYPE

_ANYTIME = ("busy", "unavailable", "internal")
_SCHEMES = {"node": "deviceToken", "operator": "operatorToken"}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_OPERATOR_NAME: dict[str, object] = {
    "name": OPERATOR_HEADER,
    "in": "header",
    "required": False,
    "description": "Who acts: written down in the store's log, and not checked.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9 ._@+-]{0,63}$"},
}
_PARAMETERS = {
    "campaign": "Id of a campaign: the SHA-256 of its canonical document.",
    "report": "SHA-256 of the body.",
    "shard": "Id of a shard of an assignment: its SHA-256.",
}


@cache
def document() -> bytes:
    """Return the document as JSON."""
    types = [kind for operation in OPERATIONS for kind in _types(operation)]
    schemas, components = msgspec.json.schema_components(
        [*types, Problem, TokenPayload], ref_template="#/components/schemas/{name}"
    )
    of = dict(zip(map(repr, [*types, Problem, TokenPayload]), schemas, strict=True))
    paths: dict[str, dict[str, object]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, of)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "privge collection",
                "version": version("privge"),
                "summary": "Takes one private report from each node, and forgets it on request.",
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {
                    "deviceToken": {"type": "http", "scheme": "bearer", "description": "Minted by the platform."},
                    "operatorToken": {"type": "http", "scheme": "bearer", "description": "Of the operator."},
                },
            },
        }
    )


def _types(operation: Operation) -> list[object]:
    kinds = (operation.answer, operation.body[1] if operation.body else None)
    return [kind for kind in kinds if kind is not None]


def _operation(operation: Operation, of: dict[str, dict[str, object]]) -> dict[str, object]:
    described: dict[str, object] = {
        "operationId": operation.handler.__name__,
        "summary": (getdoc(operation.handler) or "").partition("\n")[0],
        "parameters": _parameters(operation),
        "responses": _responses(operation, of),
    }
    if operation.access != "public":
        described["security"] = [{_SCHEMES[operation.access]: []}]
    if operation.body is not None:
        described["requestBody"] = {"required": True, "content": _content(*operation.body, of)}
    return described


def _parameters(operation: Operation) -> list[dict[str, object]]:
    in_path: list[dict[str, object]] = [
        {"name": name, "in": "path", "required": True, "description": _PARAMETERS[name], "schema": _HASH}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    return in_path + ([_OPERATOR_NAME] if operation.access == "operator" else [])


def _responses(operation: Operation, of: dict[str, dict[str, object]]) -> dict[str, object]:
    responses: dict[str, object] = {
        str(status): {"description": "Done.", "content": _content(operation.answer_type, operation.answer, of)}
        for status in operation.success
    }
    texts: dict[int, list[str]] = {}
    for name in (*operation.refusals, *_ANYTIME):
        texts.setdefault(REASONS[name].status, []).append(f"`{name}`: {REASONS[name].detail}")
    for status, lines in sorted(texts.items()):
        content = _content(PROBLEM_TYPE, Problem, of)
        responses[str(status)] = {"description": " ".join(lines), "content": content}
    return responses


def _content(media_type: str, kind: object, of: dict[str, dict[str, object]]) -> dict[str, object]:
    return {media_type: {} if kind is None else {"schema": of[repr(kind)]}}
