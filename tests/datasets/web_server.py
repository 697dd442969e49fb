"""A web server on this machine that misbehaves in the ways that are asked for."""

import operator
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """Answers by path; ``requests`` keeps the path and range of each request."""

    def __init__(self):
        self.routes = {}
        self.requests = []
        self.base = ""

    @property
    def ranges(self):
        return [asked for _path, asked in self.requests]


@contextmanager
def serving():
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.requests.append((self.path, self.headers.get("Range")))
            route = site.routes.get(self.path, error(404))
            with suppress(ConnectionError):
                route(self)

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.closing = threading.Event()
    site.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def start_of(handler):
    asked = handler.headers.get("Range")
    return int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0


def send(handler, data, *, total=None, start=0, announced=None):
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{(total or 0) - 1}/{total}")
    if announced is not None:
        handler.send_header("Content-Length", str(announced))
    handler.end_headers()
    handler.wfile.write(data)


def whole(data, *, ranges=True):
    def answer(handler):
        start = start_of(handler) if ranges else 0
        if start >= len(data) > 0:
            handler.send_error(416)
        else:
            send(handler, data[start:], total=len(data), start=start, announced=len(data) - start)

    return answer


def hanging_up(data, after):
    """Announce everything, send ``after`` bytes more at each request, and hang up."""

    def answer(handler):
        start = start_of(handler)
        send(handler, data[start : start + after], total=len(data), start=start, announced=len(data) - start)

    return answer


def stalling(data, after):
    """Fall silent after some bytes; to whoever asks for the rest, give it."""

    def answer(handler):
        start = start_of(handler)
        if start:
            return whole(data)(handler)
        send(handler, data[:after], announced=len(data))
        handler.wfile.flush()
        return handler.server.closing.wait(10)

    return answer


def endless(handler):
    """Announce no length and never stop."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100_000):
        handler.wfile.write(bytes(2**12))


def error(code):
    return operator.methodcaller("send_error", code)


def redirect(place):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", place)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def in_turn(*answers):
    """Give a different answer each time, and the last one from then on."""
    remaining = list(answers)

    def answer(handler):
        (remaining.pop(0) if len(remaining) > 1 else remaining[0])(handler)

    return answer
