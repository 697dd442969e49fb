"""Bytes that are no requests of ours: nothing is answered with 5xx, and nothing of them is kept or logged."""

import base64
import json
import random
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from privge.campaign import Campaign
from privge.errors import BadData
from privge.wire.bodies import Batch
from privge.wire.tokens import InvalidToken, Verifier, mint, signed
from reliability.client import send
from reliability.people import ADMIN, CAMPAIGN, KEY, Crowd, batch, post, put
from reliability.server import Server

TEXT = "sentinel8d1f60c2"
MARK = b"\xff" * 4 + TEXT.encode()  # 0xffff is no code of the law, so a report with the mark is never valid


@dataclass
class Fuzzed:
    """What bad requests were answered, and where their bytes turned up."""

    counts: Counter[int] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    well: bool = True

    def __str__(self) -> str:
        failed = sum(count for status, count in self.counts.items() if status >= 500)
        where = ", ".join(self.leaks) or "nowhere"
        return f"{sum(self.counts.values()):,} requests: {failed} × 5xx; bytes of bodies found {where}"

    @property
    def kept(self) -> bool:
        """Whether nothing failed and nothing was kept."""
        return self.well and not self.leaks and not any(status >= 500 for status in self.counts)


def spoiled_requests(folder: Path, *, requests: int, seed: int = 0) -> Fuzzed:
    """Send good requests with parts changed, cut, repeated or replaced, all with a mark in them, over real sockets."""
    chosen, crowd, result = random.Random(seed), Crowd(), Fuzzed()
    options = ("--rate", "1e9", "--burst", "1000000000", "--body-seconds", "1", "--head-seconds", "1")
    with Server(folder, *options) as server:
        left = requests
        while left > 0:
            people = crowd.take(20)
            count = min(2_000, left)
            sent = send(server.port, [_spoil(chosen, people) for _ in range(count)], 32, patience=count)
            result.counts += sent.counts
            left -= count
        after = send(server.port, [crowd.take(1)[0].single])
        result.well = after.statuses == [201] and server.status("/readyz") == 200 and not server.damage()
        result.leaks = find_marks(folder)
    result.leaks += [leak for leak in find_marks(folder) if leak not in result.leaks]
    return result


def find_marks(folder: Path) -> list[str]:
    """Return the files in which the mark is, in any form that a log or a store might give it."""
    forms = [
        TEXT.encode(),
        TEXT.encode().hex().encode(),
        base64.b64encode(TEXT.encode())[:-4],
        str(list(MARK))[1:-1].encode(),
    ]
    files = [file for file in folder.rglob("*") if file.is_file() and file.name not in ("keys", "admin")]
    return [file.name for file in files if any(form in file.read_bytes() for form in forms)]


def _spoil(chosen: random.Random, people: list) -> bytes:  # noqa: PLR0911 (one for each kind)
    person = chosen.choice(people)
    match chosen.randrange(8):
        case 0:  # a report of the right length with impossible codes, and its true digest
            start = chosen.randrange(len(person.codes) - len(MARK))
            return put(person.token, person.codes[:start] + MARK + person.codes[start + len(MARK) :])
        case 1:  # of any length
            return put(person.token, MARK + chosen.randbytes(chosen.randrange(80)))
        case 2:  # a token with the mark in it, signed or not
            token = mint(KEY, node=TEXT, campaign=chosen.choice((None, "0" * 64)), expires=chosen.choice((0, 2**62)))
            return put(_change(chosen, token.encode()).decode("latin-1").replace("\r", "").replace("\n", ""), MARK)
        case 3:  # a batch with bad items
            bad = Crowd().person(TEXT, MARK + chosen.randbytes(chosen.randrange(60)))
            return batch([person, bad, bad])
        case 4:  # a batch whose bytes are changed
            body = _change(chosen, msgspec.msgpack.encode([(person.token, MARK + person.codes)] * 3))
            return post(person.token, len(body)) + body
        case 5:  # no batch at all
            value = chosen.choice(({TEXT: MARK}, [MARK], [[TEXT, 1]], TEXT, [[1, MARK]], None, [[TEXT, MARK, 1]]))
            body = msgspec.msgpack.encode(value) * chosen.randrange(1, 3)
            return post(person.token, len(body)) + body
        case 6:  # a campaign that is none
            document = _change(chosen, CAMPAIGN.to_json().replace("{", f'{{"{TEXT}":1,', 1).encode())
            return _publish(document)
        case _:  # strange paths and methods
            method = chosen.choice(("GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"))
            path = chosen.choice((f"/v1/campaigns/{TEXT}", f"/{TEXT}/%00%ff", f"/v1/me?{TEXT}=1", "/v1/me/../" + TEXT))
            return f"{method} {path} HTTP/1.1\r\nhost: {TEXT}\r\ncookie: {TEXT}\r\ncontent-length: 0\r\n\r\n".encode()


def _change(chosen: random.Random, good: bytes) -> bytes:
    body = bytearray(good)
    for _ in range(chosen.randint(1, 4)):
        start = chosen.randrange(max(1, len(body)))
        body[start : start + chosen.randrange(4)] = chosen.randbytes(chosen.randrange(4))
    return bytes(body)


def _publish(document: bytes) -> bytes:
    return (
        f"POST /v1/campaigns HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {ADMIN}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(document)}\r\n\r\n"
    ).encode() + document


def follow_schema(folder: Path, *, examples: int) -> tuple[str, bool]:
    """Let schemathesis make requests from the OpenAPI document, as a person and as the operator."""
    options = ("--rate", "1e9", "--burst", "1000000000")
    with Server(folder, *options) as server:
        document = json.loads(server.call("GET", "/openapi.json")[1])
        _name_campaign(document)
        (folder / "openapi.json").write_text(json.dumps(document))
        person = Crowd().person("alice", b"")
        outputs = [_schemathesis(server, folder, token, examples) for token in (person.token, ADMIN)]
        leaks = [file for file in (server.log,) if "schemathesis" in file.read_text().lower()]
        well = server.status("/readyz") == 200
    cases = sum(
        int(number.replace(",", "")) for text, _ in outputs for number in re.findall(r"([\d,]+) generated", text)
    )
    failed = sum(code != 0 for _, code in outputs)
    return (
        f"{cases:,} requests from the OpenAPI document: {'a 5xx' if failed else 'no 5xx'}",
        not failed and not leaks and well,
    )


def _name_campaign(document: dict) -> None:
    """Let half of the requests be about the campaign that exists; leave out msgpack: schemathesis cannot write it."""
    for route in ("reports", "ask"):
        del document["paths"][f"/v1/campaigns/{{campaign}}/{route}"]["post"]
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation["parameters"]:
                if parameter["name"] == "campaign":
                    parameter["schema"] = {"anyOf": [{"const": CAMPAIGN.id}, parameter["schema"]]}


def _schemathesis(server: Server, folder: Path, token: str, examples: int) -> tuple[str, int]:
    command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", f"http://127.0.0.1:{server.port}",
               "--header", f"Authorization: Bearer {token}", "--checks", "not_a_server_error",
               "--max-examples", str(examples), "--no-color", "--seed", "1"]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=1800)
    (folder / f"schemathesis-{len(token)}").write_text(done.stdout + done.stderr)
    return done.stdout, done.returncode


def decoders(*, examples: int) -> str:
    """Give the decoders of tokens, batches and campaigns whatever hypothesis thinks of; each input so many times.

    A decoder returns something or raises what its route answers with 4xx; anything else ends the run with an error.
    """
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    from collect.service.test_decoders import spoiled, values

    verifier, person = Verifier([KEY]), Crowd().take(1)[0]
    item = msgspec.msgpack.encode([(person.token, person.codes)])
    campaign = CAMPAIGN.to_json().encode()
    run = settings(max_examples=examples, deadline=None, database=None, derandomize=True,
                   suppress_health_check=list(HealthCheck), phases=[Phase.generate])  # fmt: skip
    seen = 0

    def check(decode, expected, inputs):
        @run
        @given(inputs)
        def no_surprise(data):
            nonlocal seen
            seen += 1
            with suppress(*expected):
                decode(data)

        no_surprise()

    packed, written = values.map(msgspec.msgpack.encode), values.map(msgspec.json.encode)
    payloads = st.binary() | written | spoiled(b'{"node":"a","campaign":null,"expires":9999999999,"key":"first"}')
    tokens = (
        payloads.map(lambda payload: signed(KEY, payload))
        | st.text()
        | spoiled(person.token.encode()).map(lambda data: data.decode("latin-1"))
    )
    check(lambda token: verifier.verify(token, now=0), (InvalidToken,), tokens)
    batches = st.binary() | packed | spoiled(item)
    check(msgspec.msgpack.Decoder(Batch).decode, (msgspec.DecodeError, UnicodeDecodeError, RecursionError), batches)
    check(Campaign.from_json, (BadData, TypeError, ValueError), st.binary() | written | spoiled(campaign))
    return f"{seen:,} inputs to the decoders"
