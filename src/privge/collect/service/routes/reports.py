"""Uploads: one report, or many."""

import asyncio
import hashlib
from collections import Counter

import msgspec
import numpy as np
from starlette.requests import Request

from privge.collect.service.answers import Answer, json_answer, report_answer
from privge.collect.service.body import Body
from privge.collect.service.problems import Refused, reason_of, result
from privge.collect.service.service import Known, Service
from privge.collect.stores.store import Upload
from privge.collect.tokens import InvalidToken
from privge.collect.wire import Batch, BatchItem

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
        request, "application/octet-stream",
        limit=2 * known.k, seconds=service.limits.body_seconds, room=service.singles, node=grant.node,
    ) as body:  # fmt: skip
        if len(body) != 2 * known.k:
            raise Refused("length")
        if hashlib.sha256(body).hexdigest() != request.path_params["report"]:
            raise Refused("digest")
        if max(known.codes.unpack(body)) >= known.outputs:
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
        request, "application/msgpack",
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
    reasons = ["" if len(item.codes) == 2 * known.k else "length" for item in items]
    right = [position for position, reason in enumerate(reasons) if reason == ""]
    codes = np.frombuffer(b"".join(items[position].codes for position in right), "<u2").reshape(-1, known.k)
    for row in np.flatnonzero((codes >= known.outputs).any(axis=1)).tolist():
        reasons[right[row]] = "code_range"
    return reasons
