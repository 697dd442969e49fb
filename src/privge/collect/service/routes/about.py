"""About the service itself: health, counters, and what it offers."""

from starlette.requests import Request
from starlette.responses import Response

from privge.collect.service.answers import Answer, json_answer
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service
from privge.wire.bodies import Health
from privge.wire.messages import JSON_TYPE

_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


async def healthz(service: Service, request: Request) -> Answer:  # noqa: ARG001 (all routes are called alike)
    """Say that the process answers."""
    return json_answer(Health("alive"))


async def readyz(service: Service, request: Request) -> Answer:  # noqa: ARG001
    """Say whether a report could be stored now."""
    if service.stopping or not await service.readiness.ask():
        raise Refused("unavailable")
    return json_answer(Health("ready"))


async def metrics(service: Service, request: Request) -> Answer:
    """Return the counters of all workers; to the operator alone, because live counts tell when each report came."""
    service.admit_operator(request)
    service.publish()
    return Answer("ok", Response(service.metrics.text(), 200, media_type="text/plain; version=0.0.4"))


async def openapi(service: Service, request: Request) -> Answer:  # noqa: ARG001
    """Return this description."""
    from privge.collect.service.openapi import document

    return Answer("ok", Response(document(), 200, media_type=JSON_TYPE))


async def page(service: Service, request: Request) -> Answer:  # noqa: ARG001
    """Return a page for people."""
    from privge.collect.service.page import html

    headers = {"content-security-policy": _PAGE_POLICY, "referrer-policy": "no-referrer"}
    return Answer("ok", Response(html(), 200, headers, "text/html"))
