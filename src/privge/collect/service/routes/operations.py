"""Every route in one table; the router and the OpenAPI document are made from it."""

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Literal, TypeAlias

from starlette.requests import Request

from privge.collect.service.answers import Answer
from privge.collect.service.routes import about, campaigns, people, reports, shards, standing
from privge.collect.service.service import Service
from privge.wire import bodies, paths
from privge.wire.messages import BATCH_TYPE, JSON_TYPE, REPORT_TYPE

Handler: TypeAlias = Callable[[Service, Request], Awaitable[Answer]]


Access: TypeAlias = Literal["public", "node", "operator"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked.

    Parameters
    ----------
    method, path, handler
        How it is asked and who answers. The handler's docstring is its description.
    answer, answer_type
        What comes back on success (None: bare bytes or text), and its content type.
    access
        Whose token it needs: a device's (``node``), the operator's, or none.
    body
        Content type and wire type (None: bare bytes) of what is sent.
    success
        Statuses of success.
    refusals
        Reasons of `problems.REASONS` besides ``internal``, ``busy`` and ``unavailable``, which anything can meet.
    """

    method: str
    path: str
    handler: Handler
    answer: object = None
    _: KW_ONLY
    answer_type: str = JSON_TYPE
    access: Access = "public"
    body: tuple[str, object] | None = None
    success: tuple[int, ...] = (200,)
    refusals: tuple[str, ...] = ()


_ID, _SHARD = "{campaign}", "{shard}"
_BODIES = ("media_type", "too_large", "too_slow", "incomplete")
_WHO = ("unauthorized", "rate")
_CAMPAIGN = ("closed", "erased", "over_budget", "other_round", "not_asked", "unknown", "not_open_yet")
_STANDINGS = (*_CAMPAIGN, *_WHO)
_REPORTS = ("different", *_CAMPAIGN, "length", "code_range", "digest", *_WHO, *_BODIES)
_BATCHES = ("unknown", "not_open_yet", "batch", *_WHO, *_BODIES)


_node = partial(Operation, access="node")
_operator = partial(Operation, access="operator")


def _batch(path: str, handler: Handler, body: object) -> Operation:
    """Return what takes many at once and answers each as if it had come alone."""
    return _node("POST", path, handler, list[bodies.Result], body=(BATCH_TYPE, body), refusals=_BATCHES)


OPERATIONS = (
    _node(
        "PUT",
        paths.report(_ID, "{report}"),
        reports.put_report,
        bodies.Result,
        body=(REPORT_TYPE, None),
        success=(201, 200),
        refusals=_REPORTS,
    ),
    _batch(paths.reports(_ID), reports.post_batch, bodies.Batch),
    _node("GET", paths.standing(_ID), standing.get_standing, bodies.Standing, refusals=_STANDINGS),
    _batch(paths.standings(_ID), standing.post_tokens, bodies.Tokens),
    Operation("GET", paths.campaign(_ID), campaigns.get_campaign, refusals=("unknown",)),
    _operator(
        "GET", paths.status(_ID), campaigns.get_status, bodies.CampaignStatus, refusals=("unauthorized", "unknown")
    ),
    Operation("GET", paths.CAMPAIGNS, campaigns.list_campaigns, list[bodies.CampaignSummary]),
    _operator(
        "POST",
        paths.CAMPAIGNS,
        campaigns.add_campaign,
        bodies.CampaignAdded,
        body=(JSON_TYPE, None),
        success=(201,),
        refusals=("unauthorized", "operator_name", "campaign", *_BODIES),
    ),
    _operator(
        "POST",
        paths.closing(_ID),
        campaigns.close_campaign,
        bodies.CampaignStatus,
        refusals=("unauthorized", "operator_name", "unknown"),
    ),
    Operation("GET", paths.shard(_SHARD), shards.get_shard, answer_type=REPORT_TYPE, refusals=("unknown_shard",)),
    _operator(
        "PUT",
        paths.shard(_SHARD),
        shards.put_shard,
        bodies.ShardAdded,
        body=(REPORT_TYPE, None),
        success=(201,),
        refusals=("unauthorized", "operator_name", "shard", *_BODIES),
    ),
    _node("GET", paths.ME, people.get_me, bodies.Me, refusals=_WHO),
    _node("DELETE", paths.ME, people.delete_me, bodies.Erasure, refusals=_WHO),
    Operation("GET", "/healthz", about.healthz, bodies.Health),
    Operation("GET", "/readyz", about.readyz, bodies.Health),
    _operator("GET", "/metrics", about.metrics, answer_type="text/plain", refusals=("unauthorized",)),
    Operation("GET", "/openapi.json", about.openapi),
    Operation("GET", "/", about.page, answer_type="text/html"),
)
