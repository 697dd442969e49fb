"""A curator that lies as it likes learns nothing that epsilon does not pay for; every defect would be seen."""

import sys
import time

import pytest

from privge import Campaign
from privge.device.ledger import Ledger
from privge.device.pace import Pace
from privge.errors import BadData
from privge.perturbation import draw as drawing
from privge.questions import Encoding
from reliability.curator import FALSE_ALARM, chance_of, judge

pytestmark = pytest.mark.alone

SHORT = Pace(least=0.01)


def test_times_that_alternate_are_alike_and_times_apart_are_not():
    for count in range(1, 20):
        assert chance_of(range(count), [time + 0.5 for time in range(count)]) > 0.999
    assert chance_of(range(20), range(20, 40)) < FALSE_ALARM
    assert chance_of([], [1.0]) == 1.0


def test_a_curator_learns_nothing_that_was_not_paid_for():
    verdicts, leaks = judge(244, SHORT)
    assert leaks == []
    assert sum(verdict.campaigns for verdict in verdicts) >= 244
    assert sum(verdict.answered for verdict in verdicts) > 120  # otherwise nothing was tried
    assert verdicts[-1].spent > 0


def test_a_device_that_obeys_refuse_gives_a_value_away(monkeypatch):
    monkeypatch.setattr(Campaign, "check_for_devices", lambda _: None)
    game = "bisect a bound that refuses, control"
    [verdict], leaks = judge(pace=SHORT, only=(game,))
    assert verdict.spent == 0
    assert leaks == [
        f"{game}: the two people behave differently; beliefs 61234 and 23871"
    ]  # to the dollar, for nothing


def test_a_device_that_refuses_unknown_names_gives_its_names_away(monkeypatch):
    values = drawing.values_at

    def strict(campaign, x, indices):
        if isinstance(x, dict) and not set(x) <= set(campaign.names):
            raise BadData("a name that is not asked for")
        return values(campaign, x, indices)

    monkeypatch.setattr(drawing, "values_at", strict)
    _, leaks = judge(pace=SHORT, only=("leave out a name",))
    assert ["behave differently" in leak for leak in leaks] == [True]


def test_a_device_that_sends_before_it_asks_is_seen(monkeypatch):
    from privge.device.memory import Memory

    monkeypatch.setattr(Memory, "charge", lambda _self, _campaign, report: report)  # nothing is entered
    _, leaks = judge(pace=SHORT, only=("close at every moment",))
    assert any("the ledger does not know" in leak for leak in leaks)


def test_work_that_depends_on_the_values_is_seen_in_the_time(monkeypatch):
    """Without slots, and with a law that takes its time for high values, the times give them away."""
    draw = drawing.draw

    def slow(campaign, x, node):
        time.sleep(0.02 * (isinstance(x, dict) and x["salary"] > 50_000))
        return draw(campaign, x, node)

    monkeypatch.setattr(sys.modules["privge.device.contribute"], "draw", slow)
    game = "bisect a bound that clips"
    assert judge(pace=Pace(least=0.08), only=(game,))[1] == []
    _, leaks = judge(pace=Pace(least=1e-6), only=(game,))
    assert ["times of the two people differ" in leak for leak in leaks] == [True]


def test_a_device_that_forgets_rounds_is_seen(monkeypatch):
    monkeypatch.setattr(Ledger, "_check_round", lambda _self, _campaign: None)
    _, leaks = judge(pace=SHORT, only=("ask those who taught",))
    assert sorted(set(leaks)) == ["ask those who taught: 5 campaigns of the round spring got a report"]


def test_a_device_that_answers_only_what_it_has_is_seen(monkeypatch):
    """The defect: a profile with something missing is not answered for."""
    encoded = Encoding.encoded

    def strict(self, people, places=None):
        coordinates, misfits = encoded(self, people, places)
        rehearsed = all(each.absent or each.feature.name == "answered" for each in misfits)
        if not rehearsed and any(each.absent for each in misfits if each.feature.name == "diagnosis"):
            raise BadData("a value is missing")
        return coordinates, misfits

    monkeypatch.setattr(Encoding, "encoded", strict)
    _, leaks = judge(pace=SHORT, only=("single out by huge weights",))
    assert ["behave differently" in leak for leak in leaks] == [True]
