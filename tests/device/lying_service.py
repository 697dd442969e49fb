"""A service that follows a script: it drips, shouts, says 100 Continue for ever, or nothing at all."""

import socket
import threading
import time
from contextlib import contextmanager, suppress

TIMEOUT = 0.5
DRIP = TIMEOUT / 10
LONGEST = 40 * TIMEOUT  # how long a service goes on; without a deadline, so would the device


class Script:
    """A service that does one thing to whoever connects, until the device leaves."""

    def __init__(self, act):
        self.act, self.connections, self.over = act, 0, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def serve(self):
        while not self.over.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._play, args=(connection,), daemon=True).start()

    def _play(self, connection):
        with connection, suppress(OSError):
            self.act(self, connection)

    def repeat(self, connection, part, pause=DRIP):
        end = time.monotonic() + LONGEST
        while time.monotonic() < end and not self.over.wait(pause):
            connection.sendall(part)


@contextmanager
def playing(act):
    script = Script(act)
    thread = threading.Thread(target=script.serve, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.over.set()
        script.listener.shutdown(socket.SHUT_RDWR)
        script.listener.close()
        thread.join()


def silent(script, _):
    script.over.wait(LONGEST)


def dripping_status(script, connection):
    script.repeat(connection, b"H")


def dripping_header(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    script.repeat(connection, b"x")


def dripping_headers(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    script.repeat(connection, b"x: y\r\n")


def dripping_body(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
    script.repeat(connection, b"x")


def dripping_chunks(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    script.repeat(connection, b"1\r\nx\r\n")


def dripping_trailer(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    script.repeat(connection, b"x: y\r\n")


def slowly_continuing(script, connection):
    script.repeat(connection, b"HTTP/1.1 100 Continue\r\n\r\n")


def continuing(script, connection):
    script.repeat(connection, 1_000 * b"HTTP/1.1 100 Continue\r\n\r\n", pause=0)


def shouting_headers(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    script.repeat(connection, b"x: " + 60_000 * b"y" + b"\r\n", pause=0)


def shouting_chunks(script, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    script.repeat(connection, b"1;" + 60_000 * b"y" + b"\r\nx\r\n", pause=0)


def early_hints(script, connection):
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    script.over.wait(LONGEST)


def deaf(script, connection):
    """Take a little of what is sent now and then, so that sending never ends."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and not script.over.wait(DRIP):
        connection.recv(20_000)


ENDLESS = [silent, dripping_status, dripping_header, dripping_headers, dripping_body, dripping_chunks,
           dripping_trailer, slowly_continuing, continuing, shouting_headers, shouting_chunks]  # fmt: skip
