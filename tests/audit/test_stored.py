"""An audited store: what is honest passes, and each thing that must not be there is named."""

import sqlite3
from datetime import date

import numpy as np
import pytest

import privge as pg
from privge.audit import audit_store, read_rejects
from privge.collect.stores import Upload, open_store
from privge.errors import BadData
from privge.questions import Choice, YesNo
from privge.questions.features import ChoiceFeature, YesNoFeature
from privge.wire.codes import encode

DAY = date(2026, 11, 17)
PEOPLE = 2000


def campaign_of(purpose="test", **other):
    stated = {"mechanism": "hds", "epsilon": 1.0, "k": 3, "levels": 65, **other}
    return pg.Campaign(dimensions=12, low=0, high=1, purpose=purpose, **stated)


@pytest.fixture
def store(tmp_path):
    opened = open_store(str(tmp_path / "store.db"), 2.0)
    yield opened
    opened.close()


def fill(store, campaign, *, liars=0, people=PEOPLE):
    store.add_campaign(campaign, by="dave")
    if campaign.questions is None:
        features = np.random.default_rng(0).random((people, campaign.dimensions))
        reports = campaign.simulate(features, ids=list(map(str, range(people))), seed=1)
    else:
        import pandas as pd

        draw = np.random.default_rng(0)
        table = pd.DataFrame(
            {"town": draw.choice(list("abcd"), people), "smoker": draw.choice(["yes", "no"], people)},
            index=list(map(str, range(people))),
        )
        reports = campaign.simulate(table, ids=list(map(str, range(people))), seed=1)
    codes = np.array(reports.codes)
    codes[:liars] = [np.array(campaign.outputs_of(str(node))) - 1 for node in range(liars)] if liars else codes[:0]
    store.put(campaign.id, [Upload(str(i), encode(row)) for i, row in enumerate(codes)], day=DAY)


def test_an_honest_store_passes_and_says_what_is_in_it(store):
    campaign = campaign_of()
    fill(store, campaign)
    found = audit_store(store)
    (one,) = found.campaigns
    assert found.violations == []
    assert (one.reports, one.repeated, one.impossible, one.least_false) == (PEOPLE, 0, 0, 0)
    assert one.envelope.p_value > 1e-3
    assert found.ledger == ((1.0, PEOPLE),)
    assert [(act.kind, act.by) for act in found.trail][-1] == ("published", "dave")


def test_3_percent_of_poisoned_reports_are_flagged_with_a_p_value(store):
    fill(store, campaign_of(), liars=PEOPLE * 3 // 100)
    found = audit_store(store)
    assert found.p_value < 1e-3
    assert any("false" in each for each in found.violations)


@pytest.mark.parametrize(("liars", "flagged"), [(0, False), (600, True)])
def test_answers_to_questions_are_audited(store, liars, flagged):
    questions = [Choice(ChoiceFeature("town", values=tuple("abcd"))), YesNo(YesNoFeature("smoker"))]
    fill(store, pg.Campaign(questions=questions, epsilon=1.0, k=2), liars=liars)
    found = audit_store(store)
    assert found.campaigns[0].impossible == 0
    assert found.campaigns[0].envelope.flagged is flagged


def test_whoever_spent_more_than_the_cap_is_counted(store, tmp_path):
    for purpose in ("first", "second"):
        fill(store, campaign_of(purpose), people=50)
    stricter = open_store(str(tmp_path / "store.db"), 1.5)
    found = audit_store(stricter)
    stricter.close()
    assert found.most_spent == 2.0
    assert "50 nodes have spent more than 1.5" in found.violations


def damaged(tmp_path, *statements):
    with sqlite3.connect(tmp_path / "store.db") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_a_code_that_no_law_gives_is_found(store, tmp_path):
    fill(store, campaign_of(), people=50)
    damaged(tmp_path, "UPDATE reports SET codes = x'ffffffffffff' WHERE sequence = 7")
    assert any("codes" in each for each in audit_store(store).violations)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE reports SET node = '0' WHERE sequence = 7",
        "UPDATE reports SET node = 7 WHERE sequence = 7",
        "UPDATE reports SET node = x'ff' WHERE sequence = 7",
    ],
)
def test_a_node_that_is_no_bytes_of_text_is_found(store, tmp_path, statement):
    """A second report can hide behind the same id written as another type, which no index holds to be the same."""
    fill(store, campaign_of(), people=50)
    damaged(tmp_path, statement)
    assert any("1 nodes cannot be read" in each for each in audit_store(store).violations)


def test_a_second_report_of_a_node_is_found(store):
    """Reports are read, not trusted: a store whose own rules were taken away shows it."""
    fill(store, campaign_of(), people=50)
    honest = store.read

    def twice(campaign, **options):
        for block in honest(campaign, **options):
            yield block
            yield block

    store.read = twice
    assert any("have another" in each for each in audit_store(store).violations)


def test_a_campaign_that_nobody_published_is_found(store):
    fill(store, campaign_of(), people=50)
    acts = store.log()
    store.log = lambda: [act for act in acts if act.kind != "published"]
    assert any("who published" in each for each in audit_store(store).violations)


def test_several_campaigns_share_the_error(store):
    for purpose in ("first", "second"):
        fill(store, campaign_of(purpose), people=300)
    found = audit_store(store)
    assert found.violations == []
    assert len(found.campaigns) == 2


def test_refused_reports_are_read_from_the_counters_of_the_service():
    text = (
        '# HELP privge_reports_total Reports\nprivge_reports_total{outcome="stored"} 12.0\n'
        'privge_reports_total{outcome="different"} 3.0\nprivge_reports_total{outcome="closed"} 1.0\n'
        'privge_requests_total{route="/",method="GET",status="200"} 4.0\n'
    )
    assert read_rejects(text) == {"different": 3, "closed": 1}
    with pytest.raises(BadData, match="counters"):
        read_rejects("nothing of the kind")
