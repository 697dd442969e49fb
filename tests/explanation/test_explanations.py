"""What is said to people is true: odds by enumeration, questions by the ids, consent by the campaign."""

import math
import re
from datetime import UTC, date, datetime

import pytest

import privge as pg
from privge._files.translations import fields
from privge.audit import audit_store
from privge.campaign import Assignment
from privge.collect.stores import Upload, open_store
from privge.errors import BadData, PrivacyViolation
from privge.explanation import LENGTHS, assessment, consent, english, explain, load_strings, odds, write_page
from privge.mechanisms import law_for
from privge.questions import Choice, Direction, Encoding, YesNo
from privge.questions.features import ChoiceFeature, NumberFeature, YesNoFeature
from privge.random import TOTAL
from privge.wire.codes import encode

NAMES = ("age", "income", "town", "sport")


def campaign_of(**other):
    stated = {"names": NAMES, "dimensions": 4, "mechanism": "hds", "epsilon": 1.0, "k": 2, "levels": 33, **other}
    return pg.Campaign(low=0, high=1, purpose="finding groups", **stated)


def test_a_guess_of_50_percent_becomes_at_most_73_at_epsilon_1():
    assert odds(0.5, 1.0).most == pytest.approx(math.e / (1 + math.e))
    assert explain(campaign_of()).sure == "73.1 %"


@pytest.mark.parametrize("before", [0.01, 0.3, 0.5, 0.9])
def test_no_report_of_a_law_moves_a_guess_further_than_is_said(before):
    """Bayes' rule, for every pair of inputs and every code."""
    law, said = law_for("piecewise", 1.0, levels=9), odds(before, 1.0)
    rows = [law.weights(level).tolist() for level in range(9)]
    for mine in rows:
        for other in rows:
            for code in range(law.outputs):
                after = before * mine[code] / (before * mine[code] + (1 - before) * other[code])
                assert said.least - 1e-12 <= after <= said.most + 1e-12


def test_the_two_values_send_telling_codes_as_often_as_is_said():
    law, look = law_for("hds", 1.0, 2, 33), explain(campaign_of()).look
    low, high = law.weights(0), law.weights(32)
    assert look.high_share == high[high > low].sum() / TOTAL
    assert look.low_share == low[high > low].sum() / TOTAL
    assert sum(bar[0] for bar in look.bars) == pytest.approx(1)


@pytest.mark.parametrize("node", ["alice", "bob", "carol"])
def test_a_person_is_told_just_what_their_device_will_answer(node):
    campaign = campaign_of()
    told = explain(campaign, node=node)
    assert list(told.asked) == [NAMES[place] for place in campaign.indices_of(node)]
    assert all(name in told.sections[2][1][1] for name in told.asked)


def test_whoever_is_not_asked_is_told_so():
    campaign = campaign_of(assignment=Assignment.members(["alice"]))
    assert explain(campaign, node="bob").asked is None
    assert "bob is not asked" in " ".join(explain(campaign, node="bob").sections[2][1])


def test_earlier_campaigns_add_up():
    earlier = campaign_of(epsilon=0.5)
    said = " ".join(explain(campaign_of(), earlier=[earlier]).sections[3][1])
    assert "spends 1.5" in said
    assert "Asked again: age" in said


@pytest.mark.parametrize("length", LENGTHS)
def test_consent_says_what_this_campaign_does(length):
    text = consent(campaign_of(), length)
    assert "finding groups" in text
    assert "73.1 %" in text
    assert "{" not in text


def test_consent_follows_the_campaign():
    kept = consent(campaign_of(), "page")
    ends = consent(campaign_of(closes="2030-01-01T00:00:00Z", retention_days=30, epsilon=3.0, round="spring"), "page")
    assert "No time is stated" in kept
    assert "by hand" in kept
    for words in ("30 days", "2030-01-01", "95.3 %", "ε = 3", "spring"):
        assert words in ends
        assert words not in kept
    assert len(consent(campaign_of(), "sentence")) < len(consent(campaign_of(), "paragraph")) < len(kept)


def test_every_kind_of_question_is_explained():
    encoding = Encoding([NumberFeature("age", low=0, high=100)])
    questions = [
        YesNo(YesNoFeature("smoker")),
        Choice(ChoiceFeature("town", values=("Ulm", "Bonn"))),
        Direction(encoding, directions=16),
    ]
    for question in questions:
        told = explain(pg.Campaign(questions=[question], epsilon=1.0))
        assert told.look.high_share > told.look.low_share
        assert "the one question" in told.consent["paragraph"]
    assert "Ulm" in explain(pg.Campaign(questions=[questions[1]], epsilon=1.0)).sections[1][1][0]


def test_a_campaign_that_nobody_answers_is_refused():
    with pytest.raises(PrivacyViolation):
        explain(campaign_of(missing="refuse"))


def test_a_translation_is_taken_whole_or_refused_with_the_text_named(tmp_path):
    from importlib.resources import files

    text = files("privge.explanation").joinpath("english.toml").read_text(encoding="utf-8")
    path = tmp_path / "other.toml"
    path.write_text(text.replace("at most {sure} sure after seeing the whole report", "höchstens {sure} sicher"))
    assert "höchstens 73.1 %" in explain(campaign_of(), strings=load_strings(path)).sections[0][1][0]
    path.write_text(text.replace("again = ", "anew = "))
    with pytest.raises(BadData, match=r"repeated\.again is missing"):
        load_strings(path)
    path.write_text(text.replace("Asked again: {names}", "Asked again: {nobody}"))
    with pytest.raises(BadData, match="nobody"):
        load_strings(path)


def test_no_text_that_people_read_is_in_the_code():
    said = " ".join(sentence for _, sentences in explain(campaign_of()).sections for sentence in sentences)
    blank = {
        section: dict.fromkeys(texts, "") if isinstance(texts, dict) else texts for section, texts in english().items()
    }
    silent = explain(campaign_of(), strings=blank)
    assert len(said) > 100
    assert "".join(sentence for _, sentences in silent.sections for sentence in sentences) == ""
    assert set(silent.consent.values()) == {""}


def test_the_page_holds_pictures_for_light_and_dark_and_no_foreign_html(tmp_path):
    path = tmp_path / "page.html"
    write_page(explain(campaign_of(names=("<b>age", "b", "c", "d")), node="<script>"), path)
    page = path.read_text()
    assert page.count("<svg") == 2
    assert "prefers-color-scheme: dark" in page
    assert "73 %" in page
    assert "<script>" not in page
    assert "<b>" not in page
    assert not re.search(r'(src|href)="', page)


def test_an_assessment_is_filled_from_campaign_and_store(tmp_path):
    campaign = campaign_of()
    store = open_store(str(tmp_path / "store.db"))
    store.add_campaign(campaign)
    store.put(campaign.id, [Upload(str(i), encode([i % 9, 3])) for i in range(40)], day=date(2026, 11, 17))
    store.erase("7")
    text = assessment(campaign, audit_store(store), now=datetime(2026, 11, 17, tzinfo=UTC))
    store.close()
    for words in (campaign.id, "39 reports, 1 erased", "2026-11-17", "0.99999", "73.1 %", "of 6", "To be completed"):
        assert words in text
    assert not re.search(r"(?<!\\)\{", text)
    assert "No store was given" in assessment(campaign)


def test_every_text_names_only_what_is_filled_in():
    names = {
        name
        for texts in english().values()
        if isinstance(texts, dict)
        for text in texts.values()
        for name in fields(text)
    }
    assert "sure" in names


def test_any_purpose_reads_well_in_a_text_of_consent():
    """A purpose may be a question, as in the README: it stands in quotation marks."""
    campaign = pg.Campaign(dimensions=4, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, purpose="Which team?")
    for length in LENGTHS:
        assert "the purpose “Which team?”" in consent(campaign, length)
        assert "1 small numbers" not in consent(campaign, length)
    silent = pg.Campaign(dimensions=4, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
    assert "for a purpose that the campaign does not state" in consent(silent, "sentence")
