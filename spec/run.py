"""Run the vectors with the Python device: what any other client does with them, it does too."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from privge import Campaign
from privge.campaign import Assignment
from privge.device import Memory, Patience, contribute
from privge.device.pace import Pace
from privge.errors import PrivgeError
from privge.perturbation.draw import draw
from privge.wire.codes import encode, report_id
from privge.wire.messages import REPORT_TYPE
from spec.drawing import drawn_with
from spec.make import FOLDER, FORMAT
from spec.outcomes import code_of
from spec.values import read

_AT_ONCE: Callable[[float], None] = lambda _: None  # noqa: E731


def vectors(name: str) -> list[dict[str, Any]]:
    """Return the vectors of one file."""
    document = json.loads((FOLDER / f"{name}.json").read_bytes())
    if document["format"] != FORMAT:
        raise AssertionError(f"the vectors must be in the format {FORMAT}")
    entries: list[dict[str, Any]] = document["vectors"]
    return entries


def differences(vector: dict[str, Any], document: str | None = None) -> tuple[int, list[str]]:
    """Run the cases of a campaign, or of an altered document; return how many there are, and every difference."""
    campaign = Campaign.from_json(vector["document"] if document is None else document)
    found = [] if campaign.id == vector["id"] else ["id"]
    if campaign.assignment is not None:
        campaign = campaign.with_assignment(_with_shards(campaign.assignment, vector["shards"]))
    found += [
        f"indices of {node}" for node, indices in vector["indices"].items() if campaign.indices_of(node) != indices
    ]
    cases = 0
    for person in vector["people"]:
        features, codes = read(person["features"]), ()
        for words, expected in zip(person["words"], person["codes"], strict=True):
            drawn = drawn_with(words, campaign, features, person["node"])
            codes = drawn.report.codes
            cases += 1
            if (list(codes), drawn.missing, drawn.outside) != (expected, person["missing"], person["outside"]):
                found.append(f"{person['node']}, {person['features']}, {words}: {codes} and not {expected}")
        if report_id(encode(codes)) != person["report"]:
            found.append(f"{person['node']}, {person['features']}: id of the report")
    return cases, found


def _with_shards(assignment: Assignment, shards: dict[str, str]) -> Assignment:
    numbers = {digest: number for number, digest in enumerate(assignment.digests)}
    return assignment.with_shards({numbers[digest]: bytes.fromhex(shard) for digest, shard in shards.items()})


def refused_input(vector: dict[str, Any]) -> str | None:
    """Return why a person's features or shard are refused; None if they are not."""
    campaign = Campaign.from_json(vector["document"])
    try:
        if campaign.assignment is not None:
            shard = bytes.fromhex(vector["shard"])
            number = campaign.assignment.shard_of(vector["node"])
            campaign = campaign.with_assignment(campaign.assignment.with_shards({number: shard}))
        draw(campaign, read(vector["features"]), vector["node"])
    except PrivgeError as error:
        return code_of(error)
    return None


def conversation(vector: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Contribute to a service that follows a script; return what came of it, in the words of the vector."""
    with _service(vector["answers"]) as (port, requests):
        address = vector["address"].replace("http://127.0.0.1/", f"http://127.0.0.1:{port}/")
        caps = {f"{'max' if name == 'campaign' else name}_epsilon": cap for name, cap in vector["caps"].items()}
        try:
            done = contribute(
                address,
                vector["features"],
                token=vector["token"],
                folder=folder,
                patience=Patience(attempts=4, pause=0, sleep=_AT_ONCE),
                pace=Pace(least=0.01, sleep=_AT_ONCE),
                **caps,
            )
            outcome: dict[str, Any] = {"drawn": done.drawn, "new": done.new}
            outcome |= {"report": done.report} if "report" in vector else {}
        except PrivgeError as error:
            outcome = {"refused": code_of(error), "status": getattr(error, "status", None)}
    return {**outcome, "requests": requests, "charged": bool(Memory(folder).ledger().draws)}


def _kind(path: str) -> str:
    parts = path.strip("/").split("/")
    return "shard" if parts[1] == "shards" else {3: "campaign", 4: "standing", 5: "report"}[len(parts)]


@contextmanager
def _service(answers: dict[str, Sequence[dict[str, Any]]]) -> Iterator[tuple[int, list[str]]]:
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            kind = _kind(self.path)
            self.rfile.read(int(self.headers.get("content-length") or 0))
            given = answers[kind]
            one = given[min(requests.count(kind), len(given) - 1)]
            requests.append(kind)
            body = body_of(one)
            self.send_response(one["status"])
            self.send_header("Content-Type", REPORT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            if "retry_after" in one:
                self.send_header("Retry-After", one["retry_after"])
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = answer  # noqa: N815 (as the library wants it)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a device hangs up on whoever talks too long
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_port, requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def body_of(answer: dict[str, Any]) -> bytes:
    """Return the bytes of an answer of a script."""
    if "repeat" in answer:
        return b" " * int(answer["repeat"])
    return bytes.fromhex(answer["hex"]) if "hex" in answer else str(answer["text"]).encode()
