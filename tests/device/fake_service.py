"""A service on this machine that follows the wire format, keeps reports in memory, and fails in the ways asked for."""

import base64
import hashlib
import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec


class FakeService:
    """``faults`` are used up, one for each request that changes something (``get_faults``: each GET; ``ask_faults``:
    each question for many).

    A fault is None, a status, a status with a Retry-After, ``"drop"`` (commit, then hang up without an answer),
    ``"hang"`` (commit, then say nothing), or a function of the handler.
    """

    def __init__(self):
        self.documents, self.shards, self.stored, self.received = {}, {}, {}, []
        self.faults, self.get_faults, self.ask_faults, self.item_faults = [], [], [], []
        self.requests, self.refusals, self.forgetful = [], {}, False
        self.committed, self.closing = threading.Event(), threading.Event()
        self.lock = threading.Lock()
        self.on_request = lambda: None
        self.base = ""

    def add(self, campaign):
        self.documents[campaign.id] = campaign.to_json().encode()
        if campaign.assignment is not None:
            self.shards |= {
                campaign.assignment.digests[number]: shard for number, shard in campaign.assignment.shards.items()
            }
        return f"{self.base}/v1/campaigns/{campaign.id}"

    def standing(self, campaign, token):
        """What a new report of a token's node would get; ``refusals`` says who is refused, and why."""
        node = str(claims_of(token)["node"])
        if node in self.refusals:
            return self.refusals[node]
        body = None if self.forgetful else self.stored.get((campaign, node))
        if body is None:
            return 200, {"reason": "open", "codes": None}
        return 200, {"reason": "held", "codes": list(memoryview(body).cast("H"))}

    def asked(self, campaign, token):
        """The same for one of many tokens: status and reason."""
        status, body = self.standing(campaign, token)
        return status, body["reason"]

    def put(self, campaign, token, body):
        node = str(claims_of(token)["node"])
        with self.lock:
            self.received.append((campaign, node, body))
            if self.item_faults:
                fault = self.item_faults.pop(0)
                if fault:
                    return fault
            first = self.stored.setdefault((campaign, node), body)
            again = sum(entry[:2] == (campaign, node) for entry in self.received) > 1
        self.committed.set()
        if first != body:
            return 409, "different"
        return (200, "same") if again else (201, "stored")


def claims_of(token):
    payload = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def token_for(node, campaign=None):
    payload = json.dumps({"node": node, "campaign": campaign, "expires": 2**40, "key": "fake"}).encode()
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode() + "." + "c2lnbmF0dXJl"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the device to acknowledge the headers

    def log_message(self, *_arguments):
        pass

    def do_GET(self):
        self.service.on_request()
        self.service.requests.append(("GET", self.path))
        if self._fault(self.service.get_faults):
            return
        if self.path.endswith("/me"):
            status, body = self.service.standing(self.path.split("/")[-2], self.headers["Authorization"][7:])
            self.answer(status, json.dumps(body).encode())
            return
        held = self.service.shards if "/shards/" in self.path else self.service.documents
        document = held.get(self.path.rsplit("/", 1)[-1])
        self.answer(*((404, b"{}") if document is None else (200, document)))

    def do_PUT(self):
        self._change(self._put)

    def do_POST(self):
        if not self.path.endswith("/ask"):
            self._change(self._post)
            return
        self.service.requests.append((self.command, self.path))
        tokens = msgspec.msgpack.decode(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._fault(self.service.ask_faults):
            campaign = self.path.split("/")[-2]
            self.answer(*self._results([self.service.asked(campaign, token) for token in tokens]))

    def _change(self, commit):
        self.service.requests.append((self.command, self.path))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.service.faults.pop(0) if self.service.faults else None
        if fault in ("drop", "hang"):
            commit(body)
            if fault == "hang":
                self.service.closing.wait(20)
            self.close_connection = True
        elif not self._fault([fault]):
            self.answer(*commit(body))

    def _put(self, body):
        campaign, _, report = self.path.split("/")[-3:]
        assert report == hashlib.sha256(body).hexdigest()
        assert self.headers["Content-Type"] == "application/octet-stream"
        status, _ = self.service.put(campaign, self.headers["Authorization"].removeprefix("Bearer "), body)
        return status, b"{}"

    def _post(self, body):
        campaign = self.path.split("/")[-2]
        items = msgspec.msgpack.decode(body)
        return self._results([self.service.put(campaign, token, codes) for token, codes in items])

    def _results(self, results):
        answer = [{"status": status, "reason": reason} for status, reason in results]
        return 200, msgspec.msgpack.encode(answer), {"Content-Type": "application/msgpack"}

    def _fault(self, faults):
        fault = faults.pop(0) if faults else None
        if fault is None:
            return False
        if callable(fault):
            fault(self)
        elif isinstance(fault, tuple):
            self.answer(fault[0], b"{}", {"Retry-After": str(fault[1])})
        else:
            self.answer(fault, json.dumps({"title": "No", "detail": "for a reason"}).encode())
        return True

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving():
    service = FakeService()

    class Bound(Handler):
        def handle(self):
            with suppress(ConnectionError):
                super().handle()

    Bound.service = service
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    server.daemon_threads = True
    server.block_on_close = False
    service.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def redirect(place):
    return lambda handler: handler.answer(307, b"", {"Location": place})


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    for _ in range(100_000):
        handler.wfile.write(bytes(2**12))


def dripping(handler):
    """Send a byte now and then, so that no single read takes long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.service.closing.is_set():
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.02)


def cut_short(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.close_connection = True
