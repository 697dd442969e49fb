"""The page for people at ``/``: what this service is and what it answers, without anything from elsewhere."""

from functools import cache
from html import escape
from importlib.resources import files
from inspect import getdoc
from string import Template

from privge.collect.service.problems import REASONS
from privge.collect.service.routes.operations import OPERATIONS

_WHO = {"public": "anybody", "node": "a device", "operator": "the operator"}


@cache
def html() -> str:
    """Return the page."""
    template = Template(files("privge.collect.service").joinpath("page.html").read_text(encoding="utf-8"))
    routes = (
        f"<tr><td><code>{operation.method} {escape(operation.path)}</code><td>{_WHO[operation.access]}"
        f"<td>{escape((getdoc(operation.handler) or '').partition(chr(10))[0])}"
        for operation in OPERATIONS
    )
    answers = (
        f"<tr><td>{reason.status}<td><code>{name}</code><td>{escape(reason.detail)}" for name, reason in REASONS.items()
    )
    return template.substitute(routes="\n".join(routes), answers="\n".join(answers))
