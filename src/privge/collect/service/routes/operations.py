"""Every route in one table; the router and the OpenAPI document are made from it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from starlette.requests import Request

from privge.collect import wire
from privge.collect.service.answers import Answer
from privge.collect.service.routes import about, campaigns, people, reports, standing
from privge.collect.service.service import Service

Handler: TypeAlias = Callable[[Service, Request], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked.

    Parameters
    ----------
    method, path, handler
        How it is asked and who answers. The handler's docstring is its description.
    access
        Whose token it needs: a device's (``node``), the operator's, or none.
    body, answer
        Content type and wire type (None: bare bytes or text) of what is sent and of what comes back on success.
    success
        Statuses of success.
    refusals
        Reasons of `problems.REASONS` besides ``internal``, ``busy`` and ``unavailable``, which anything can meet.
    """

    method: str
    path: str
    handler: Handler
    answer: tuple[str, object]
    access: Literal["public", "node", "operator"] = "public"
    body: tuple[str, object] | None = None
    success: tuple[int, ...] = (200,)
    refusals: tuple[str, ...] = ()


_JSON, _PROBLEMS_OF_BODIES = "application/json", ("media_type", "too_large", "too_slow", "incomplete")
_PROBLEMS_OF_BATCHES = ("unknown", "not_open_yet", "batch", "unauthorized", "rate", *_PROBLEMS_OF_BODIES)
_CAMPAIGN = "/v1/campaigns/{campaign}"

OPERATIONS = (
    Operation(
        "PUT", f"{_CAMPAIGN}/reports/{{report}}", reports.put_report, (_JSON, wire.Result), "node",
        ("application/octet-stream", None), (201, 200),
        ("different", "closed", "erased", "over_budget", "unknown", "not_open_yet", "length", "code_range", "digest",
         "unauthorized", "rate", *_PROBLEMS_OF_BODIES),
    ),
    Operation(
        "POST", f"{_CAMPAIGN}/reports", reports.post_batch, (_JSON, list[wire.Result]), "node",
        ("application/msgpack", wire.Batch), refusals=_PROBLEMS_OF_BATCHES,
    ),
    Operation(
        "GET", f"{_CAMPAIGN}/me", standing.get_standing, (_JSON, wire.Standing), "node",
        refusals=("closed", "erased", "over_budget", "unknown", "not_open_yet", "unauthorized", "rate"),
    ),
    Operation(
        "POST", f"{_CAMPAIGN}/ask", standing.post_tokens, (_JSON, list[wire.Result]), "node",
        ("application/msgpack", wire.Tokens), refusals=_PROBLEMS_OF_BATCHES,
    ),
    Operation("GET", _CAMPAIGN, campaigns.get_campaign, (_JSON, None), refusals=("unknown",)),
    Operation(
        "GET", f"{_CAMPAIGN}/status", campaigns.get_status, (_JSON, wire.CampaignStatus), "operator",
        refusals=("unauthorized", "unknown"),
    ),
    Operation("GET", "/v1/campaigns", campaigns.list_campaigns, (_JSON, list[wire.CampaignSummary])),
    Operation(
        "POST", "/v1/campaigns", campaigns.add_campaign, (_JSON, wire.CampaignAdded), "operator", (_JSON, None), (201,),
        ("unauthorized", "operator_name", "campaign", *_PROBLEMS_OF_BODIES),
    ),
    Operation(
        "POST", f"{_CAMPAIGN}/close", campaigns.close_campaign, (_JSON, wire.CampaignStatus), "operator",
        refusals=("unauthorized", "operator_name", "unknown"),
    ),
    Operation("GET", "/v1/me", people.get_me, (_JSON, wire.Me), "node", refusals=("unauthorized", "rate")),
    Operation("DELETE", "/v1/me", people.delete_me, (_JSON, wire.Erasure), "node", refusals=("unauthorized", "rate")),
    Operation("GET", "/healthz", about.healthz, (_JSON, wire.Health)),
    Operation("GET", "/readyz", about.readyz, (_JSON, wire.Health)),
    Operation("GET", "/metrics", about.metrics, ("text/plain", None), "operator", refusals=("unauthorized",)),
    Operation("GET", "/openapi.json", about.openapi, (_JSON, None)),
    Operation("GET", "/", about.page, ("text/html", None)),
)  # fmt: skip
