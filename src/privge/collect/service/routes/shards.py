"""Shards: who is asked what. Anybody may read them, as the campaigns that name them; only the operator adds them."""

from starlette.requests import Request

from privge.collect.service.answers import Answer, InPieces, json_answer
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service, is_hash
from privge.wire import paths
from privge.wire.bodies import ShardAdded
from privge.wire.codes import report_id
from privge.wire.limits import MAX_SHARD_BYTES
from privge.wire.messages import REPORT_TYPE


async def get_shard(service: Service, request: Request) -> Answer:
    """Return a shard of an assignment, byte for byte: its SHA-256 is its id."""
    shard = request.path_params["shard"]
    content = await service.read(service.store.shard, shard) if is_hash(shard) else None
    if content is None:
        raise Refused("unknown_shard")
    headers = {"etag": f'"{shard}"', "cache-control": "public, max-age=31536000, immutable"}
    return Answer("ok", InPieces(content, 200, headers, REPORT_TYPE))


async def put_shard(service: Service, request: Request) -> Answer:
    """Keep a shard of a campaign that is about to be added. One that is there changes nothing."""
    by = service.admit_operator(request)
    async with service.body(request, REPORT_TYPE, limit=MAX_SHARD_BYTES, room=service.documents) as body:
        if report_id(body) != request.path_params["shard"]:
            raise Refused("shard")
        shard = await service.read(service.store.add_shard, body, day=service.now.date(), by=by)
    return json_answer(ShardAdded(shard), status=201, location=paths.shard(shard))
