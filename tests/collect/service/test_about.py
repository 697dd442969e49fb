import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from collect.service.harness import InProcess, report_of, token_of
from privge.collect.service.problems import REASONS

DOCUMENT = "/openapi.json"


def test_health_and_readiness(service):
    assert service.call("GET", "/healthz").json == {"status": "alive"}
    assert service.call("GET", "/readyz").json == {"status": "ready"}


def test_metrics_count_by_outcome_and_time_and_are_well_formed(service):
    report = report_of(service.campaign)
    for _ in range(3):
        service.put(report, token_of())
    text = service.metrics()
    route = "/v1/campaigns/{campaign}/reports/{report}"
    counted = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert counted["privge_requests_total", "PUT", route, "200"] == 2
    assert counted["privge_reports_total", "stored"] == 1
    assert counted["privge_request_seconds_count", route] == 3
    buckets = [value for (name, *labels), value in counted.items() if name.endswith("_bucket") and route in labels]
    assert len(buckets) == 14
    assert buckets == sorted(buckets)
    assert buckets[-1] == 3
    sample = re.compile(r'[a-z_]+(\{([a-z]+="[^"\\\n]*",?)+\})? [0-9.e+-]+')
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line), line


def test_workers_add_up_their_counters(tmp_path):
    from privge.collect.service.metrics import Metrics

    shared = tmp_path / "shared"
    shared.mkdir()
    mine, other = Metrics(shared), Metrics(shared)
    other.reports("stored", 5)
    other.publish()
    (shared / next(iter(shared.iterdir())).name).rename(shared / "1")  # as if of another process
    mine.reports("stored", 2)
    mine.publish()
    assert b'privge_reports_total{outcome="stored"} 7.0\n' in mine.text()


def resolve(document, reference):
    for part in reference.removeprefix("#/").split("/"):
        document = document[part]
    return document


def references(part):
    if isinstance(part, dict):
        yield from ([part["$ref"]] if "$ref" in part else [])
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from references(each)


def test_the_openapi_document_is_whole(service):
    document = service.call("GET", DOCUMENT).json
    assert document["openapi"] == "3.1.0"
    assert {"title", "version"} <= set(document["info"])
    for reference in references(document):
        assert resolve(document, reference)
    names = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert method in ("get", "put", "post", "delete")
            names.append(operation["operationId"])
            assert operation["summary"]
            named = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
            assert named == re.findall(r"{(\w+)}", path)
            assert all(response["description"] for response in operation["responses"].values())
            for requirement in operation.get("security", []):
                assert set(requirement) <= set(document["components"]["securitySchemes"])
    assert len(names) == len(set(names)) == 18


def test_every_reason_is_documented_on_some_route(service):
    text = service.call("GET", DOCUMENT).body.decode()
    successes = {"stored", "same", "ok"}
    elsewhere = {
        "no_route",
        "method",
        "form",
        "stale_form",
        "other_site",
        "no_operator",
    }  # of what is not in the document
    for reason in set(REASONS) - successes - elsewhere:
        assert f"`{reason}`" in text


def test_the_page_needs_nothing_from_elsewhere(service):
    reply = service.call("GET", "/")
    page = reply.body.decode()
    assert reply.headers["content-type"].startswith("text/html")
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert not re.search(r'(src|href)\s*=\s*"?(https?:)?//', page)
    assert "<script" not in page
    assert "/v1/me" in page
    assert "$" not in page


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/campaigns/", "/healthz/", "/v1/me/x", "//"])
def test_what_is_not_there_is_a_problem(service, path):
    reply = service.call("GET", path)
    assert (reply.status, reply.reason) == (404, "no_route")


@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/me"), ("PATCH", "/healthz"), ("OPTIONS", "/"), ("X", "/")])
def test_a_wrong_method_names_the_right_ones(service, method, path):
    reply = service.call(method, path)
    assert (reply.status, reply.reason) == (405, "method")
    assert "GET" in reply.headers["allow"]


def test_head_is_get_without_a_body(service):
    reply = service.call("HEAD", "/healthz")
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", "18")


def test_a_page_of_an_allowed_origin_may_talk_to_the_service_and_no_other(tmp_path):
    with InProcess(tmp_path, origins=("https://example.org",)) as service:
        path = f"/v1/campaigns/{service.campaign.id}/reports/{'0' * 64}"
        asked = [
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "authorization,content-type"),
        ]
        allowed = service.call("OPTIONS", path, headers=[("origin", "https://example.org"), *asked])
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (200, "https://example.org")
        refused = service.call("OPTIONS", path, headers=[("origin", "https://elsewhere.org"), *asked])
        assert (refused.status, "access-control-allow-origin" in refused.headers) == (400, False)


def test_without_allowed_origins_no_page_may(service):
    reply = service.call("GET", "/healthz", headers=[("origin", "https://example.org")])
    assert "access-control-allow-origin" not in reply.headers


def test_what_is_too_old_is_deleted_without_being_asked(tmp_path):
    import asyncio

    from collect.service.harness import campaign_of

    campaign = campaign_of(closes="2020-01-01T00:00:00Z", retention_days=1)
    from privge.collect.stores import Upload, open_store

    store = open_store(str(tmp_path / "old.db"))
    store.add_campaign(campaign)
    from datetime import date

    store.put(campaign.id, [Upload("alice", report_of(campaign))], day=date(2019, 12, 31))
    with InProcess(tmp_path, store=store, campaign=campaign, summary_seconds=0.05) as service:
        service.runner.run(asyncio.sleep(0.5))
        assert "privge_retired_total 1" in service.metrics()
        assert json.loads(service.call("GET", "/v1/me", token=token_of()).body)["holdings"][0]["codes"] is None
