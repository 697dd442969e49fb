"""The same service as one would write it plainly with FastAPI, pydantic and uvicorn.

The same store, the same durability, the same check of the token; without metrics, limits or timeouts. Every request is
a transaction of its own, or (``group``) takes part in this package's group commit.
"""

import hashlib
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import uvicorn
from fastapi import FastAPI, Header, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Base64Bytes, BaseModel

from privge.collect.commit import GroupCommit
from privge.collect.service.credentials import read_keys
from privge.collect.stores import Upload, open_store
from privge.wire.tokens import InvalidToken, Verifier

STATUS = {"stored": 201, "same": 200, "different": 409}


class Result(BaseModel):
    status: int
    reason: str


class Item(BaseModel):
    token: str
    codes: Base64Bytes


def create(folder, mode):
    store = open_store(str(folder / f"{mode}.db"))
    commit, verifier = GroupCommit(store), Verifier(read_keys(folder / "keys"))
    campaign = store.campaigns()[0].campaign
    app = FastAPI()

    async def put_many(campaign_id, uploads):
        if mode == "group":
            return await commit.put_many(campaign_id, uploads)
        return await run_in_threadpool(store.put, campaign_id, uploads, day=datetime.now(UTC).date())

    def node_of(token):
        try:
            return verifier.verify(token, now=time.time()).node
        except InvalidToken:
            raise HTTPException(401) from None

    def check(codes):
        if len(codes) != 2 * campaign.k or int(np.frombuffer(codes, "<u2").max()) >= campaign.law.outputs:
            raise HTTPException(422)

    @app.put("/v1/campaigns/{campaign_id}/reports/{report}")
    async def put(
        campaign_id: str, report: str, request: Request, response: Response, authorization: Annotated[str, Header()]
    ) -> Result:
        node = node_of(authorization.partition(" ")[2])
        body = await request.body()
        check(body)
        if hashlib.sha256(body).hexdigest() != report:
            raise HTTPException(422)
        outcome = (await put_many(campaign_id, [Upload(node, body)]))[0]
        response.status_code = STATUS[outcome.value]
        return Result(status=response.status_code, reason=outcome.value)

    @app.post("/v1/campaigns/{campaign_id}/reports")
    async def batch(campaign_id: str, items: list[Item]) -> list[Result]:
        uploads = []
        for item in items:
            node = node_of(item.token)
            check(item.codes)
            uploads.append(Upload(node, item.codes))
        outcomes = await put_many(campaign_id, uploads)
        return [Result(status=STATUS[outcome.value], reason=outcome.value) for outcome in outcomes]

    return app


if __name__ == "__main__":
    uvicorn.run(create(Path(sys.argv[1]), sys.argv[3]), port=int(sys.argv[2]), log_level="warning", access_log=False)
