"""A service that keeps what it is sent, letter by letter, and stores nothing."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

_HEADERS = ("Authorization", "Content-Type", "Accept")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments):
        pass

    def do_GET(self):
        self._keep(b"")
        name = self.path.rsplit("/", 1)[-1]
        self._answer(200, b'{"reason": "open", "codes": null}' if name == "me" else self.server.documents[name])

    def do_PUT(self):
        self._keep(self._body())
        self._answer(201, b"{}")

    def do_POST(self):
        body = self._body()
        self._keep(body)
        result = {"status": 200, "reason": "open" if self.path.endswith("/ask") else "stored"}
        self._answer(200, json.dumps([result] * len(msgspec.msgpack.decode(body))).encode())

    def _body(self):
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _keep(self, body):
        headers = {name: self.headers[name] for name in _HEADERS if self.headers[name] is not None}
        self.server.requests.append({"method": self.command, "path": self.path, "headers": headers, "body": body})

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def recording(*campaigns):
    """Serve campaigns on this machine; yield the address and the requests, which grow."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads, server.block_on_close = True, False
    server.requests, server.documents = [], {each.id: each.to_json().encode() for each in campaigns}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server.requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
