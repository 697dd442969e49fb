"""Uploads: one report, or many."""

import asyncio
from collections import Counter

import msgspec
from starlette.requests import Request

from privge.collect.service.answers import Answer, json_answer, report_answer
from privge.collect.service.body import Body
from privge.collect.service.problems import Refused, reason_of, result
from privge.collect.service.service import Known, Service
from privge.collect.stores.store import Upload
from privge.wire.bodies import Batch, BatchItem
from privge.wire.codes import report_id
from privge.wire.messages import BATCH_TYPE, REPORT_TYPE
from privge.wire.tokens import InvalidToken

_BREATH = 200  # items of a batch between two looks at other requests


async def put_report(service: Service, request: Request) -> Answer:
    """Store one report; the answer is sent when it is on the disk."""
    try:
        reason = await _put_report(service, request)
    except Exception as error:
        service.metrics.reports(reason_of(error))
        raise
    service.metrics.reports(reason)
    return report_answer(reason)


async def _put_report(service: Service, request: Request) -> str:
    campaign = request.path_params["campaign"]
    grant = service.grant(request, campaign)
    known = await service.campaign_for_reports(campaign)
    async with Body(
        request, REPORT_TYPE,
        limit=known.form.size, seconds=service.limits.body_seconds, room=service.singles, node=grant.node,
    ) as body:  # fmt: skip
        if len(body) != known.form.size:
            raise Refused("length")
        if report_id(body) != request.path_params["report"]:
            raise Refused("digest")
        if not known.form.in_range(body):
            raise Refused("code_range")
        outcome = await service.commit.put(campaign, Upload(grant.node, body))
    return outcome.value


async def post_batch(service: Service, request: Request) -> Answer:
    """Store many reports; each has its own token and its own result. The sender shows one token before the body."""
    campaign = request.path_params["campaign"]
    grant = service.grant(request, campaign)
    known = await service.campaign_for_reports(campaign)
    limits = service.limits
    async with Body(
        request, BATCH_TYPE,
        limit=limits.batch_bytes, seconds=limits.body_seconds, room=service.batches, node=grant.node,
    ) as body:  # fmt: skip
        try:
            items = _decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Refused("batch") from None
        reasons = await _store(service, known, items)
    for reason, count in Counter(reasons).items():
        service.metrics.reports(reason, count)
    return json_answer([result(reason) for reason in reasons])


_decoder = msgspec.msgpack.Decoder(Batch)


async def _store(service: Service, known: Known, items: list[BatchItem]) -> list[str]:
    """Return the reason for each item, in order."""
    async with service.turn:
        reasons = _malformed(known, items)
        uploads = await _verified(service, known, items, reasons)
    outcomes = await service.commit.put_many(known.id, list(uploads.values()), leave=service.limits.requests)
    for position, outcome in zip(uploads, outcomes, strict=True):
        reasons[position] = outcome.value
    return reasons


async def _verified(service: Service, known: Known, items: list[BatchItem], reasons: list[str]) -> dict[int, Upload]:
    """Return what may be stored by its position; the others get their reason."""
    uploads: dict[int, Upload] = {}
    for position, (item, reason) in enumerate(zip(items, reasons, strict=True)):
        if position % _BREATH == _BREATH - 1:
            await asyncio.sleep(0)
        try:
            grant = service.verify(item.token, known.id)
            if reason == "":
                service.rate.take(grant.node, asyncio.get_running_loop().time())
                uploads[position] = Upload(grant.node, item.codes)
        except InvalidToken:
            reasons[position] = "unauthorized"
        except Refused as refused:
            reasons[position] = refused.reason
    return uploads


def _malformed(known: Known, items: list[BatchItem]) -> list[str]:
    """Return "length" or "code_range" for each malformed item, "" for the others."""
    reasons = ["" if len(item.codes) == known.form.size else "length" for item in items]
    right = [position for position, reason in enumerate(reasons) if reason == ""]
    in_range = known.form.rows_in_range([items[position].codes for position in right])
    for position, fits in zip(right, in_range, strict=True):
        if not fits:
            reasons[position] = "code_range"
    return reasons
