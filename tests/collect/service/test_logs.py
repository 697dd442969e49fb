"""Nothing that came from outside may be in a log, a metric, an error or the trace of a crash."""

import base64
import io
import json
import logging
import time
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pytest

from collect.service.harness import ADMIN, report_of, running, token_of
from privge.collect.service.logs import PrivateFormatter
from privge.collect.service.summary import Summary

NODE = "sentinel-node-4711"
PRIVATE = b"sentinel-value=0.73125"
ADDRESS = "203.0.113.77"
AGENT = "sentinel-agent"


def traces(report, token):
    """Every way in which a planted thing could be written down."""
    codes = np.frombuffer(report, "<u2").tolist()
    return [
        NODE, "sentinel", "4711", "0.73125", ADDRESS, AGENT, token, token.partition(".")[0], token.partition(".")[2],
        ADMIN, report.hex(), base64.b64encode(report).decode().rstrip("="), str(codes), str(codes)[1:-1],
        str(list(report))[1:-1], repr(report)[2:-1], "MTExMTEx",
    ]  # fmt: skip


def plant(server, report, token):
    """Send planted things everywhere that they can be sent; return all error answers."""
    headers = [("user-agent", AGENT), ("x-forwarded-for", ADDRESS), ("cookie", "sentinel=1")]
    path = f"/v1/campaigns/{server.campaign.id}/reports"
    octets = "application/octet-stream"
    replies = [
        server.put(report, token),
        server.put(PRIVATE, token),
        server.put(report, token, report="sentinel"),
        server.put(report, token, campaign="sentinel"),
        server.put(report, token + "x"),
        server.batch([[token, report], [token, PRIVATE], ["sentinel", report]]),
        server.batch(PRIVATE),
        server.call(
            "PUT", f"{path}/sentinel?value=0.73125", body=PRIVATE, token=token, content_type=octets, headers=headers
        ),
        server.call("POST", "/v1/campaigns", body=PRIVATE, token=token, content_type="application/json"),
        server.call("GET", "/sentinel/0.73125", token=token, headers=headers),
        server.call("DELETE", "/healthz?sentinel", token=token),
        server.call("GET", "/v1/me", token=token[:-1]),
    ]
    return [reply for reply in replies if reply.status >= 400]


def assert_clean(texts, report, token):
    for planted in traces(report, token):
        for name, text in texts.items():
            assert planted not in text, f"{planted!r} is in {name}"


def test_a_healthy_server_writes_nothing_down_that_it_was_sent(tmp_path):
    with running(tmp_path, "--summary-seconds", "0.2") as server:
        report, token = report_of(server.campaign, 3), token_of(NODE)
        replies = plant(server, report, token)
        metrics = server.metrics()
    lines = [json.loads(line) for line in server.log().splitlines()]
    assert any(line.get("outcome") == "length" for line in lines)
    assert all(line["route"] in ("other", "/") or "{" in line["route"] or line["route"].count("/") <= 2
               for line in lines if "route" in line)  # fmt: skip
    answers = "\n".join(reply.body.decode() for reply in replies)
    assert_clean({"log": server.log(), "metrics": metrics, "answers": answers}, report, token)


def test_a_server_that_crashes_writes_nothing_down_either(tmp_path, monkeypatch):
    from collect.service import harness

    class Popen(harness.subprocess.Popen):
        def __init__(self, command, **kwargs):
            faulty = str(Path(__file__).with_name("faulty_server.py"))
            super().__init__([command[0], faulty, *command[3:]], **kwargs)

    monkeypatch.setattr(harness.subprocess, "Popen", Popen)
    with running(tmp_path, "--summary-seconds", "0.2") as server:
        report, token = report_of(server.campaign, 3), token_of(NODE)
        replies = plant(server, report, token)
        replies.append(server.call("GET", "/v1/me", token=token))
        assert [reply.status for reply in (replies[0], replies[-1])] == [500, 500]
        time.sleep(1.3)  # housekeeping fails too
        metrics = server.metrics()
        with pytest.raises((OSError, HTTPException)):
            server.call("GET", "/v1/campaigns")  # kills the worker
        deadline = time.monotonic() + 30
        while True:
            with suppress(OSError, HTTPException):
                assert server.call("GET", "/healthz").status == 200
                break
            assert time.monotonic() < deadline, "the worker was not started again"
            time.sleep(0.1)
    log = server.log()
    errors = [line["error"] for line in map(json.loads, log.splitlines()) if "error" in line]
    kinds = {cause["type"] for error in errors for cause in error}
    assert {"RuntimeError", "ValueError", "KeyError"} <= kinds
    assert any("faulty_server.py" in place for error in errors for cause in error for place in cause["at"])
    answers = "\n".join(reply.body.decode() for reply in replies)
    assert_clean({"log": log, "metrics": metrics, "answers": answers}, report, token)


def line_of(logger_name, *args, **kwargs):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PrivateFormatter())
    logger = logging.getLogger(logger_name)
    logger.addHandler(handler)
    try:
        logger.error(*args, **kwargs)
    finally:
        logger.removeHandler(handler)
    return json.loads(stream.getvalue())


def test_what_is_filled_into_a_message_is_left_out():
    line = line_of("privge.collect.stores", "could not store %s", "sentinel")
    assert line["event"] == "could not store %s"
    assert "sentinel" not in json.dumps(line)


def test_of_another_library_only_the_place_is_told():
    line = line_of("psycopg", "connection sentinel failed")
    assert line["event"] == "library"
    assert line["where"].startswith("test_logs:")
    assert "sentinel" not in json.dumps(line)


def test_an_exception_keeps_types_and_places_and_loses_its_words():
    private = "sentinel"
    try:
        try:
            {}[private]
        except KeyError as error:
            raise ValueError(f"about {private}") from error
    except ValueError:
        line = line_of("privge.x", "failed", exc_info=True)
    assert [cause["type"] for cause in line["error"]] == ["ValueError", "KeyError"]
    assert all("test_logs.py" in place for cause in line["error"] for place in cause["at"])
    assert "sentinel" not in json.dumps(line)


def test_requests_are_summed_up_not_listed(caplog):
    summary = Summary()
    for seconds in (0.1, 0.3):
        summary.add("/route", "PUT", 201, "stored", seconds)
    summary.add("/route", "PUT", 409, "different", 0.2)
    with caplog.at_level(logging.INFO):
        summary.write()
        summary.write()
    fields = [record.fields for record in caplog.records]
    assert [(each["count"], each["mean_ms"], each["slowest_ms"]) for each in fields] == [(2, 200, 300), (1, 200, 200)]
