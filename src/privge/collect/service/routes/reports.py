"""Uploads: one report, or many."""

import asyncio
from collections import Counter

import msgspec
from starlette.requests import Request

from privge.collect.service.answers import Answer, json_answer, report_answer
from privge.collect.service.problems import Refused, reason_of, result
from privge.collect.service.routes.batches import batch_of, in_breaths
from privge.collect.service.service import Known, Service
from privge.collect.stores.store import Upload
from privge.wire.bodies import Batch, BatchItem
from privge.wire.codes import report_id
from privge.wire.messages import NOT_ASKED, REPORT_TYPE
from privge.wire.tokens import InvalidToken

_decoder = msgspec.msgpack.Decoder(Batch)


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
    form = await service.form_of(known, grant.node)
    size = form.size
    async with service.body(request, REPORT_TYPE, limit=size, room=service.singles, node=grant.node) as body:
        if len(body) != size:
            raise Refused("length")
        if report_id(body) != request.path_params["report"]:
            raise Refused("digest")
        if not form.in_range(body):
            raise Refused("code_range")
        outcome = await service.commit.put(campaign, Upload(grant.node, body))
    return outcome.value


async def post_batch(service: Service, request: Request) -> Answer:
    """Store many reports; each has its own token and its own result. The sender shows one token before the body."""
    async with batch_of(service, request, _decoder) as (known, items):
        reasons = await _store(service, known, items)
    for reason, count in Counter(reasons).items():
        service.metrics.reports(reason, count)
    return json_answer([result(reason) for reason in reasons])


async def _store(service: Service, known: Known, items: list[BatchItem]) -> list[str]:
    """Return the reason for each item, in order."""
    async with service.turn:
        reasons = _malformed(known, items)
        uploads = await _verified(service, known, items, reasons)
        uploads = await _asked(service, known, uploads, reasons)
    outcomes = await service.commit.put_many(known.id, list(uploads.values()), leave=service.limits.requests)
    for position, outcome in zip(uploads, outcomes, strict=True):
        reasons[position] = outcome.value
    return reasons


async def _verified(service: Service, known: Known, items: list[BatchItem], reasons: list[str]) -> dict[int, Upload]:
    """Return what may be stored by its position; the others get their reason."""
    uploads: dict[int, Upload] = {}
    async for position, item in in_breaths(items):
        try:
            grant = service.verify(item.token, known.id)
            if reasons[position] == "":
                service.rate.take(grant.node, asyncio.get_running_loop().time())
                uploads[position] = Upload(grant.node, item.codes)
        except InvalidToken:
            reasons[position] = "unauthorized"
        except Refused as refused:
            reasons[position] = refused.reason
    return uploads


async def _asked(service: Service, known: Known, uploads: dict[int, Upload], reasons: list[str]) -> dict[int, Upload]:
    """Return what answers what its node is asked; the others get their reason."""
    if known.asking is None:
        return uploads
    forms = await service.forms_of(known, known.asking, [upload.node for upload in uploads.values()])
    for position, form in zip(uploads, forms, strict=True):
        if form is None:
            reasons[position] = NOT_ASKED
        elif not form.in_range(uploads[position].codes):
            reasons[position] = "code_range"
    return {position: upload for position, upload in uploads.items() if reasons[position] == ""}


def _malformed(known: Known, items: list[BatchItem]) -> list[str]:
    """Return "length" or "code_range" for each item that no node may send, "" for the others."""
    reasons = ["" if len(item.codes) == known.form.size else "length" for item in items]
    right = [position for position, reason in enumerate(reasons) if reason == ""]
    in_range = known.form.rows_in_range([items[position].codes for position in right])
    for position, fits in zip(right, in_range, strict=True):
        if not fits:
            reasons[position] = "code_range"
    return reasons
