"""What all requests for many tokens share."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec
from starlette.requests import Request

from privge.collect.service.problems import Refused
from privge.collect.service.service import Known, Service
from privge.wire.messages import BATCH_TYPE

T = TypeVar("T")

_BREATH = 200  # items of a batch between two looks at other requests


@asynccontextmanager
async def batch_of(
    service: Service, request: Request, decoder: msgspec.msgpack.Decoder[list[T]]
) -> AsyncIterator[tuple[Known, list[T]]]:
    """Read a batch, for which one token is shown before the body; it has its place until the block ends."""
    campaign = request.path_params["campaign"]
    grant = service.grant(request, campaign)
    known = await service.campaign_for_reports(campaign)
    limit = service.limits.batch_bytes
    async with service.body(request, BATCH_TYPE, limit=limit, room=service.batches, node=grant.node) as body:
        try:
            items = decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Refused("batch") from None
        yield known, items


async def in_breaths(items: Sequence[T]) -> AsyncIterator[tuple[int, T]]:
    """Yield items with their positions, and let other requests have their turn now and then."""
    for position, item in enumerate(items):
        if position % _BREATH == _BREATH - 1:
            await asyncio.sleep(0)
        yield position, item
