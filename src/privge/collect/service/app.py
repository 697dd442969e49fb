"""The application: `create_app` puts store, settings and routes together. Nothing happens on import."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privge.collect.service.answers import Answer
from privge.collect.service.body import drain
from privge.collect.service.problems import Refused, problem, refusal
from privge.collect.service.routes.operations import OPERATIONS, Operation
from privge.collect.service.service import Service
from privge.collect.service.settings import Settings
from privge.collect.stores.store import Store
from privge.errors import Busy, StoreUnavailable

logger = logging.getLogger(__name__)

_ALWAYS = ("/healthz", "/readyz", "/metrics")  # answered however much there is to do


def create_app(
    store: Store,
    settings: Settings,
    *,
    pages: Sequence[Operation] = (),
    close_store: bool = False,
    clock: Callable[[], float] = time.time,
) -> ASGIApp:
    """Return the service as an ASGI application; its life begins and ends with the lifespan messages.

    Parameters
    ----------
    store
        Where reports go.
    settings
        Keys, limits and the rest.
    pages
        What is answered besides: pages for people, which live in a layer above this one (`privge.pages`).
    close_store
        Close the store when the application ends.
    clock
        Unix seconds; the only clock by which tokens expire and campaigns open and close.
    """
    service = Service(store, settings, clock)
    operations: defaultdict[str, dict[str, Operation]] = defaultdict(dict)
    for operation in (*OPERATIONS, *pages):
        operations[operation.path][operation.method] = operation
    routes = [
        Route(path, _Endpoint(service, path, methods), methods=None, include_in_schema=False)
        for path, methods in operations.items()
    ]

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        housekeeping = asyncio.create_task(service.run())
        try:
            yield
        finally:
            await service.stop()
            housekeeping.cancel()
            if close_store:
                store.close()

    router: ASGIApp = Router(routes, redirect_slashes=False, default=_Endpoint(service, "other", {}), lifespan=lifespan)
    if not settings.origins:
        return router
    return CORSMiddleware(
        router,
        allow_origins=settings.origins,
        allow_methods=("GET", "PUT", "DELETE"),
        allow_headers=("authorization", "content-type"),
        expose_headers=("retry-after",),
    )


class _Endpoint:
    """Answers one path: calls the handler, turns what it raises into a problem, counts, and lets nothing out."""

    def __init__(self, service: Service, route: str, operations: dict[str, Operation]) -> None:
        self._service = service
        self._route = route
        self._operations = operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        service = self._service
        start = time.perf_counter()
        service.under_way += 1
        try:
            reason, response = await self._answer(Request(scope, receive))
            response.headers.setdefault("x-content-type-options", "nosniff")  # it is of the type that it states
            if scope["method"] == "HEAD":
                send = _without_body(send)
            await response(scope, receive, send)
            self._count(scope["method"], response.status_code, reason, time.perf_counter() - start)
        except Exception:  # the connection broke while the answer was sent
            logger.exception("unsent")
            self._count(scope["method"], 499, "internal", time.perf_counter() - start)
        finally:
            service.under_way -= 1

    async def _answer(self, request: Request) -> Answer:
        try:
            operation = self._operation(request.method)
            if operation.body is not None or self._route in _ALWAYS:  # a body takes its place itself, once it is there
                return await operation.handler(self._service, request)
            with self._service.singles.place():
                return await operation.handler(self._service, request)
        except Exception as error:
            refused = refusal(error, self._service.limits.retry_seconds)
            if isinstance(error, StoreUnavailable) and not isinstance(error, Busy):
                self._service.readiness.doubt()
            if refused.reason == "internal":
                logger.exception("internal", extra={"fields": {"route": self._route}})
            if not await drain(request):
                refused.headers.setdefault("connection", "close")
            return Answer(refused.reason, problem(refused))

    def _operation(self, method: str) -> Operation:
        operation = self._operations.get("GET" if method == "HEAD" else method)
        if operation is not None:
            return operation
        if not self._operations:
            raise Refused("no_route")
        allowed = sorted({*self._operations, *(["HEAD"] if "GET" in self._operations else [])})
        raise Refused("method", headers={"allow": ", ".join(allowed)})

    def _count(self, method: str, status: int, reason: str, seconds: float) -> None:
        known = method if method in ("GET", "HEAD", "PUT", "POST", "DELETE") else "other"
        self._service.metrics.request(self._route, known, status, seconds)
        self._service.summary.add(self._route, known, status, reason, seconds)


def _without_body(send: Send) -> Send:
    async def send_head(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_head
