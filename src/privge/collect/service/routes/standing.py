"""Asking before anything is drawn or sent. Every answer is the one that a new report of the node would get."""

import asyncio

import msgspec
from starlette.requests import Request

from privge.collect.service.answers import Answer, json_answer
from privge.collect.service.problems import Refused, result
from privge.collect.service.routes.batches import batch_of, in_breaths
from privge.collect.service.service import Known, Service
from privge.collect.stores.store import Outcome
from privge.wire.bodies import Standing, Tokens
from privge.wire.codes import decode
from privge.wire.messages import HELD, NOT_ASKED, OPEN
from privge.wire.tokens import InvalidToken

_NEW = {Outcome.STORED: OPEN, Outcome.DIFFERENT: HELD}  # other outcomes are called as they would be for a report
_decoder = msgspec.msgpack.Decoder(Tokens)


async def get_standing(service: Service, request: Request) -> Answer:
    """Say whether a report of the token's node would be stored; if one is, return it, so that nobody draws again."""
    campaign = request.path_params["campaign"]
    grant = service.grant(request, campaign)
    await service.form_of(await service.campaign_for_reports(campaign), grant.node)
    ((outcome, codes),) = await service.read(service.store.ask, campaign, [grant.node])
    reason = _NEW.get(outcome, outcome.value)
    if reason not in _NEW.values():
        raise Refused(reason)
    held = None if codes is None else decode(codes).tolist()
    return json_answer(Standing(reason, held), reason, cache_control="no-store")


async def post_tokens(service: Service, request: Request) -> Answer:
    """Say for each of many tokens whether a report of its node would be stored. One is shown before the body."""
    async with batch_of(service, request, _decoder) as (known, tokens):
        reasons = await _ask(service, known, tokens)
    return json_answer([result(reason) for reason in reasons], cache_control="no-store")


async def _ask(service: Service, known: Known, tokens: list[str]) -> list[str]:
    """Return the reason for each token, in order."""
    reasons = ["unauthorized"] * len(tokens)
    good: dict[int, str | int] = {}
    async with service.turn:
        async for position, token in in_breaths(tokens):
            try:
                grant = service.verify(token, known.id)
                service.rate.take(grant.node, asyncio.get_running_loop().time())
                good[position] = grant.node
            except InvalidToken:
                pass
            except Refused as refused:
                reasons[position] = refused.reason
    if known.asking is not None:
        forms = await service.forms_of(known, known.asking, list(good.values()))
        for position in [position for position, form in zip(good, forms, strict=True) if form is None]:
            reasons[position] = NOT_ASKED
            del good[position]
    standings = await service.read(service.store.ask, known.id, list(good.values()))
    for position, (outcome, _) in zip(good, standings, strict=True):
        reasons[position] = _NEW.get(outcome, outcome.value)
    return reasons
