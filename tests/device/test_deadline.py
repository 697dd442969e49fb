"""A service that never finishes: one deadline holds for a whole exchange, whatever the service does in it."""

import logging
import socket
import ssl
import subprocess
import threading
import time

import pytest

from device.lying_service import (
    ENDLESS,
    LONGEST,
    TIMEOUT,
    deaf,
    dripping_body,
    dripping_header,
    early_hints,
    playing,
    silent,
    slowly_continuing,
)
from privge.device import Patience
from privge.device.address import Address
from privge.device.web import Client
from privge.errors import ServiceRefused, ServiceUnavailable

pytestmark = pytest.mark.alone


def ask(port, *, attempts=1, body=None, scheme="http", sleep=time.sleep):
    address = Address.parse(f"{scheme}://127.0.0.1:{port}/v1/campaigns/{'0' * 64}")
    service = Client(address, Patience(attempts=attempts, timeout=TIMEOUT, sleep=sleep))
    try:
        return service.ask("PUT", "/x", body=body, headers={})
    finally:
        service.close()


@pytest.mark.parametrize("act", ENDLESS, ids=lambda act: act.__name__)
def test_an_exchange_ends_at_its_deadline_whatever_the_service_sends(act):
    with playing(act) as script:
        start = time.monotonic()
        with pytest.raises((ServiceUnavailable, ServiceRefused)):
            ask(script.port)
        assert (time.monotonic() - start) / TIMEOUT < 4


def test_an_exchange_ends_at_its_deadline_though_the_service_takes_a_little_now_and_then():
    with playing(deaf) as script:
        start = time.monotonic()
        with pytest.raises(ServiceUnavailable):
            ask(script.port, body=bytes(50_000_000))
        assert (time.monotonic() - start) / TIMEOUT < 4


def test_a_name_with_many_addresses_has_one_deadline(monkeypatch):
    """A dead name server, or a name with a hundred dead addresses, takes no longer than one address."""
    places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 9)) for _ in range(100)]

    def connect(self, _):
        time.sleep(self.gettimeout())
        raise TimeoutError

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)
    monkeypatch.setattr(socket.socket, "connect", connect)
    start = time.monotonic()
    with pytest.raises(ServiceUnavailable):
        ask(9)
    assert (time.monotonic() - start) / TIMEOUT < 4


def test_a_name_server_that_does_not_answer_has_the_same_deadline(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(LONGEST) and [])
    start = time.monotonic()
    with pytest.raises(ServiceUnavailable):
        ask(9)
    over.set()
    assert (time.monotonic() - start) / TIMEOUT < 4


@pytest.mark.parametrize("host", ["x" * 70 + ".example", "no-such-name.invalid"])
def test_a_name_that_cannot_be_looked_up_is_told_at_once(host):
    service = Client(Address.parse(f"https://{host}/v1/campaigns/{'0' * 64}"), Patience(sleep=pytest.fail))
    with pytest.raises(ServiceUnavailable, match="cannot be reached"):
        service.ask("GET", "/x", headers={})


def test_a_handshake_that_drips_has_the_same_deadline():
    with playing(lambda script, connection: script.repeat(connection, b"\x16")) as script:
        start = time.monotonic()
        with pytest.raises(ServiceUnavailable):
            ask(script.port, scheme="https")
        assert (time.monotonic() - start) / TIMEOUT < 4


def test_heads_are_bounded_in_bytes_long_before_the_deadline():
    sent = []

    def count(_, connection):
        for _ in range(10_000):
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)
            sent.append(25_000)

    with playing(count) as script, pytest.raises((ServiceUnavailable, ServiceRefused)):
        ask(script.port)
    assert sum(sent) < 20_000_000  # what the system's own buffers take, and not 250 MB


def test_an_answer_before_the_answer_is_not_taken_for_it():
    """103 is not the end of an exchange; taken for it, the next request would get the answer to this one."""
    with playing(early_hints) as script:
        with pytest.raises(ServiceUnavailable):
            ask(script.port, attempts=2, sleep=lambda _: None)
        assert script.connections == 2


def test_a_few_continues_before_the_answer_do_no_harm():
    def polite(script, connection):
        connection.recv(65_536)
        connection.sendall(3 * b"HTTP/1.1 100 Continue\r\n\r\n" + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        script.over.wait(LONGEST)

    with playing(polite) as script:
        assert ask(script.port).body == b"ok"


def test_an_answer_over_tls_is_read_within_its_deadline(tmp_path, monkeypatch):
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
               "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]  # fmt: skip
    try:
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs openssl to make a certificate")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusted)

    def secretly(act):
        def play(script, connection):
            with server.wrap_socket(connection, server_side=True) as secret:
                act(script, secret)

        return play

    def answer(script, connection):
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        script.over.wait(LONGEST)

    with playing(secretly(answer)) as script:
        assert ask(script.port, scheme="https").body == b"ok"
    for act in (dripping_header, dripping_body, slowly_continuing, deaf):
        with playing(secretly(act)) as script:
            start = time.monotonic()
            with pytest.raises(ServiceUnavailable):
                ask(script.port, scheme="https", body=bytes(50_000_000) if act is deaf else None)
            assert (time.monotonic() - start) / TIMEOUT < 4


def test_a_body_that_came_too_slowly_is_sent_again():
    def slow_at_first(script, connection):
        connection.recv(65_536)
        status = b"408 Request Timeout" if script.connections == 1 else b"200 OK"
        connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with playing(slow_at_first) as script:
        assert ask(script.port, attempts=2, body=b"x", sleep=lambda _: None).status == 200


def test_a_connection_that_idled_is_made_anew(monkeypatch):
    """The service may be about to close it; the failure would be told to whoever waits, and mean nothing."""
    monkeypatch.setattr("privge.device.web._IDLE", 0.0)

    def once(script, connection):
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        script.over.wait(LONGEST)

    with playing(once) as script:
        service = Client(Address.parse(f"http://127.0.0.1:{script.port}/v1/campaigns/{'0' * 64}"))
        for number in range(1, 4):
            assert service.ask("GET", "/x", headers={}).status == 200
            assert script.connections == number
        service.close()


def test_whoever_waits_is_told_for_what(caplog, monkeypatch):
    monkeypatch.setattr("privge.device.web._SILENCE", TIMEOUT / 5)
    with playing(silent) as script, caplog.at_level(logging.INFO, "privge"), pytest.raises(ServiceUnavailable):
        ask(script.port, attempts=3, sleep=lambda _: None)
    lines = [record.getMessage() for record in caplog.records]
    assert sum("waiting for" in line for line in lines) == 3
    assert sum("trying again" in line for line in lines) == 2
    assert all(f"127.0.0.1:{script.port}" in line for line in lines)


def test_whoever_is_answered_is_told_nothing(caplog):
    def answer(script, connection):
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        script.over.wait(LONGEST)

    with playing(answer) as script, caplog.at_level(logging.INFO, "privge"):
        ask(script.port)
    assert caplog.records == []
