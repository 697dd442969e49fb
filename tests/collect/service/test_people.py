from datetime import UTC, datetime

import numpy as np

from collect.service.harness import campaign_of, report_of, token_of


def test_a_person_sees_exactly_what_is_stored_about_them(service):
    report = report_of(service.campaign)
    service.put(report, token_of())
    service.put(report_of(service.campaign, 1), token_of("bob"))
    reply = service.call("GET", "/v1/me", token=token_of())
    assert reply.json == {
        "node": "alice",
        "holdings": [
            {
                "campaign": service.campaign.id,
                "codes": np.frombuffer(report, "<u2").tolist(),
                "day": datetime.now(UTC).date().isoformat(),
                "epsilon": 1.0,
            }
        ],
    }
    assert reply.headers["cache-control"] == "no-store"


def test_a_person_without_reports_has_nothing_and_erases_nothing(service):
    assert service.call("GET", "/v1/me", token=token_of()).json == {"node": "alice", "holdings": []}
    assert service.call("DELETE", "/v1/me", token=token_of()).json == {"erased": []}


def test_after_erasure_no_codes_remain(service, tmp_path):
    report = report_of(service.campaign, 7)
    service.put(report, token_of())
    assert service.call("DELETE", "/v1/me", token=token_of()).json == {"erased": [service.campaign.id]}
    holdings = service.call("GET", "/v1/me", token=token_of()).json["holdings"]
    assert [holding["codes"] for holding in holdings] == [None]
    assert all(report not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_token_of_one_campaign_shows_and_erases_that_one_only(service):
    second = campaign_of(purpose="another")
    service.store.add_campaign(second)
    for campaign in (service.campaign, second):
        service.put(report_of(campaign), token_of(), campaign=campaign.id)
    scoped = token_of(campaign=second.id)
    assert [each["campaign"] for each in service.call("GET", "/v1/me", token=scoped).json["holdings"]] == [second.id]
    assert service.call("DELETE", "/v1/me", token=scoped).json == {"erased": [second.id]}
    held = {
        each["campaign"]: each["codes"] for each in service.call("GET", "/v1/me", token=token_of()).json["holdings"]
    }
    assert held[second.id] is None
    assert held[service.campaign.id] is not None
