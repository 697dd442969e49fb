"""Codes as they are sent: every code there is, and nothing else."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privge import Campaign
from privge.questions import Choice, ChoiceFeature, Number, NumberFeature
from privge.wire.codes import ReportForm, decode, encode, report_id

FORM = ReportForm(k=3, outputs=58)


@given(st.lists(st.integers(0, 65_535)))
def test_codes_come_back(codes):
    sent = encode(np.array(codes, dtype=np.uint16))
    assert sent == b"".join(code.to_bytes(2, "little") for code in codes)
    assert decode(sent).tolist() == codes


@given(st.lists(st.integers(0, 57), min_size=3, max_size=3))
def test_a_report_is_its_codes_in_order(codes):
    sent = FORM.written(codes)
    assert sent == encode(np.array(codes))
    assert len(sent) == FORM.size
    assert FORM.in_range(sent)
    assert FORM.rows([sent, sent]).tolist() == [codes, codes]


@pytest.mark.parametrize("codes", [(), (1, 2), (1, 2, 3, 4), (1, 2, 58), (-1, 2, 3), (1.0, 2, 3), (True, 2, 3), "123"])
def test_what_is_not_a_report_of_the_campaign_is_not_written(codes):
    with pytest.raises(ValueError, match="3 codes, each from 0 to 57"):
        FORM.written(codes)


def test_the_range_is_seen_alone_and_among_many():
    good, bad = encode([57, 0, 0]), encode([0, 0, 58])
    assert [FORM.in_range(good), FORM.in_range(bad)] == [True, False]
    assert FORM.rows_in_range([good, bad, good]) == [True, False, True]
    assert FORM.rows_in_range([]) == []


def test_a_report_is_named_by_its_hash():
    assert report_id(b"\1\0") == hashlib.sha256(b"\1\0").hexdigest()


def test_each_code_of_a_node_is_below_the_outputs_of_its_own_question():
    """Also where another code of the same report may be higher."""
    place, age = Choice(ChoiceFeature("place", ("de", "fr"))), Number(NumberFeature("age", 0, 100, levels=33))
    campaign = Campaign(questions=[place, age], epsilon=2.0, k=2)
    form, order = ReportForm.of_node(campaign, "alice"), campaign.indices_of("alice")
    low, high = (campaign.questions[number].outputs for number in (0, 1))
    assert sorted(order) == [0, 1]
    for codes, fits in (({0: low - 1, 1: high - 1}, True), ({0: low, 1: 0}, False), ({0: 0, 1: high}, False)):
        report = [codes[number] for number in order]
        assert form.in_range(encode(report)) == fits
        if fits:
            assert form.written(report) == encode(report)
        else:
            with pytest.raises(ValueError, match="a report has 2 codes"):
                form.written(report)
