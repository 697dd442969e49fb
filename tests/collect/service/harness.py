"""The service in this process, or as a process of its own; every answer is checked against the OpenAPI document."""

import asyncio
import hashlib
import json
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import msgspec
import numpy as np

from privge.campaign import Campaign
from privge.collect.service import Limits, Settings, create_app
from privge.collect.service.credentials import write_keys
from privge.collect.service.openapi import document
from privge.collect.stores import open_store
from privge.wire.tokens import Key, mint

ADMIN = "operator-" + "0" * 32
KEY = Key("first", b"1" * 32)
FAR = int(time.time()) + 10**6
PATHS = {
    re.compile(re.sub(r"{\w+}", "[^/]+", path) + r"\Z"): each for path, each in json.loads(document())["paths"].items()
}


def campaign_of(**changes):
    return Campaign(**{"dimensions": 20, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 12} | changes)


def report_of(campaign, seed=0):
    codes = np.random.default_rng(seed).integers(0, campaign.law.outputs, campaign.k)
    return codes.astype("<u2").tobytes()


def token_of(node="alice", campaign=None, *, key=KEY, expires=FAR):
    return mint(key, node=node, campaign=campaign, expires=expires)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def reason(self):
        return self.json["type"].removeprefix("urn:privge:")


def check_documented(method, path, status):
    """An answer that the OpenAPI document does not name is a defect."""
    for pattern, operations in PATHS.items():
        if pattern.match(path) and method.lower() in operations:
            assert str(status) in operations[method.lower()]["responses"], f"{method} {path} -> {status}"


class Requests:
    """The requests that tests make, however they are sent (`send`)."""

    campaign: Campaign

    def call(self, method, path, *, body=b"", token=None, content_type=None, headers=()):
        fields = list(headers)
        if token is not None:
            fields.append(("authorization", f"Bearer {token}"))
        if content_type is not None:
            fields.append(("content-type", content_type))
        reply = self.send(method, path, fields, body)
        check_documented(method, path, reply.status)
        return reply

    def put(self, body, token, *, campaign=None, report=None, content_type="application/octet-stream"):
        campaign = campaign or self.campaign.id
        report = report or hashlib.sha256(body).hexdigest()
        path = f"/v1/campaigns/{campaign}/reports/{report}"
        return self.call("PUT", path, body=body, token=token, content_type=content_type)

    def batch(self, items, *, campaign=None, content_type="application/msgpack"):
        body = items if isinstance(items, bytes) else msgspec.msgpack.encode(items)
        path = f"/v1/campaigns/{campaign or self.campaign.id}/reports"
        return self.call("POST", path, body=body, token=token_of("proxy"), content_type=content_type)

    def metrics(self):
        return self.call("GET", "/metrics", token=ADMIN).body.decode()

    def status(self, campaign=None):
        return self.call("GET", f"/v1/campaigns/{campaign or self.campaign.id}/status", token=ADMIN).json

    def add(self, campaign, token=ADMIN):
        return self.call(
            "POST", "/v1/campaigns", body=campaign.to_json().encode(), token=token, content_type="application/json"
        )


class InProcess(Requests):
    """The application under a loop of its own; time stands still unless a test moves it."""

    def __init__(self, folder, *, lifetime_epsilon=None, store=None, campaign=None, now=None, pages=(), **settings):
        self.store = store or open_store(str(folder / "reports.db"), lifetime_epsilon=lifetime_epsilon)
        self.campaign = campaign or campaign_of()
        self.store.add_campaign(self.campaign)
        self.now = time.time() if now is None else now
        settings = {"keys": [KEY], "admin_token": ADMIN, "limits": Limits(rate=1000, burst=1000)} | settings
        self.app = create_app(self.store, Settings(**settings), pages=pages, clock=lambda: self.now)
        self.runner = asyncio.Runner()

    def __enter__(self):
        self.messages = asyncio.Queue()
        self.answers = asyncio.Queue()

        async def start():
            self.life = asyncio.create_task(
                self.app({"type": "lifespan", "asgi": {"version": "3.0"}}, self.messages.get, self.answers.put)
            )
            await self.messages.put({"type": "lifespan.startup"})
            assert (await self.answers.get())["type"] == "lifespan.startup.complete"

        self.runner.run(start())
        return self

    def __exit__(self, *_):
        async def stop():
            await self.messages.put({"type": "lifespan.shutdown"})
            assert (await self.answers.get())["type"] == "lifespan.shutdown.complete"
            await self.life

        self.runner.run(stop())
        self.runner.close()
        self.store.close()

    def send(self, method, path, headers, body):
        return self.runner.run(self.ask(method, path, headers, body))

    async def ask(self, method, path, headers, body, receive=None):
        if not any(name == "content-length" for name, _ in headers) and isinstance(body, bytes) and body:
            headers = [*headers, ("content-length", str(len(body)))]
        chunks = [body] if isinstance(body, bytes) else list(body)
        sent = []

        async def next_chunk():
            return {"type": "http.request", "body": chunks.pop(0) if chunks else b"", "more_body": bool(chunks)}

        async def keep(message):
            sent.append(message)

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
            "raw_path": path.encode(), "root_path": "", "query_string": b"", "scheme": "http",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
            "client": ("203.0.113.77", 5), "server": ("localhost", 80), "state": {},
        }  # fmt: skip
        await self.app(scope, receive or next_chunk, keep)
        if not sent:
            return None
        fields = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], fields, b"".join(message.get("body", b"") for message in sent[1:]))


class Remote(Requests):
    """A real server at an address."""

    def __init__(self, process, host, port, campaign, errors):
        self.process, self.host, self.port, self.campaign, self.errors = process, host, port, campaign, errors

    def send(self, method, path, headers, body):
        connection = HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.request(method, path, body or None, dict(headers))
            answer = connection.getresponse()
            fields = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, fields, answer.read())
        finally:
            connection.close()

    def log(self):
        return self.errors.read_text()


@contextmanager
def running(folder: Path, *options, store="reports.db", environment=None, campaign=None):
    """Run `privge serve` on a free port with one campaign in its store; stop it by SIGTERM."""
    campaign = campaign or campaign_of()
    write_keys(folder / "keys", [KEY])
    (folder / "admin").write_text(ADMIN)
    (folder / "admin").chmod(0o600)
    command = [sys.executable, "-m", "privge", "serve", "--keys-file", "keys", "--admin-token-file", "admin",
               "--port", "0", *(("--store", store) if store else ()), *options]  # fmt: skip
    errors = folder / "errors"
    with errors.open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
    try:
        line = process.stdout.readline()
        assert line.startswith("Listening on "), errors.read_text()
        host, port = line.rsplit("/", 1)[1].strip().split(":")
        server = Remote(process, host, int(port), campaign, errors)
        if "--tls-cert" not in options:
            assert server.add(campaign).status == 201
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()
