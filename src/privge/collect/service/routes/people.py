"""What a person may ask: what is stored about me, and its erasure."""

from starlette.requests import Request

from privge.collect.service.answers import Answer, json_answer
from privge.collect.service.service import Service
from privge.wire.bodies import Erasure, Held, Me
from privge.wire.codes import decode


async def get_me(service: Service, request: Request) -> Answer:
    """Return exactly what is stored about the token's node, in the token's campaign or in all."""
    grant = service.grant(request)
    holdings = await service.read(service.store.holdings, grant.node)
    held = [
        Held(
            holding.campaign,
            None if holding.codes is None else decode(holding.codes).tolist(),
            holding.day,
            holding.epsilon,
        )
        for holding in holdings
        if grant.campaign in (None, holding.campaign)
    ]
    return json_answer(Me(grant.node, held), cache_control="no-store")


async def delete_me(service: Service, request: Request) -> Answer:
    """Erase what is stored about the token's node, in the token's campaign or in all."""
    grant = service.grant(request)
    erased = await service.read(service.store.erase, grant.node, campaign=grant.campaign)
    return json_answer(Erasure(list(erased.campaigns)), cache_control="no-store")
