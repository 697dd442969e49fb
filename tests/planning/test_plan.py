"""A plan: its numbers agree with each other and with its verdict, and it reads nothing that is private."""

import json

import numpy as np
import pytest

import privge as pg
from privge.errors import BadData
from privge.planning import Grid, Outlook, plan, standing_of
from privge.planning.lines import lines_of
from privge.planning.page import write_page
from privge.questions import Direction, Encoding

QUICK = Grid(prior="label propagation")


@pytest.fixture(scope="module")
def public(network):
    return plan(network.graph, network.campaign, network.labels, grid=QUICK)


@pytest.fixture(scope="module")
def shown(network):
    return plan(network.graph, network.campaign, network.labels, panel=network.panel(), grid=QUICK)


def test_public_data_alone_give_a_ceiling_and_no_forecast(public):
    assert [each.epsilon for each in public.ceilings] == [0.5, 1, 2, 4]
    assert np.all(np.diff([each.points for each in public.ceilings]) > 0)
    assert public.cells == ()
    assert public.spent == ()
    assert "--panel" in " ".join(public.verdict)


def test_no_forecast_is_above_its_ceiling(shown):
    for ceiling in shown.ceilings:
        most = dict(ceiling.lifts)
        for cell in shown.cells:
            if cell.epsilon == ceiling.epsilon:
                assert all(lift.points <= most[lift.people] + 1e-9 for lift in cell.lifts)
                assert 0 <= cell.low <= cell.points <= cell.high


def test_a_panel_has_a_forecast_for_each_method_and_is_told_what_it_spent(shown):
    methods = {cell.method for cell in shown.cells}
    assert methods == {
        "the paper's features",
        "a choice",
        "a question taught by reports",
        "a question taught by the panel",
    }
    assert len(shown.cells) == 4 * len(methods)
    assert "200 people" in shown.spent[0]
    assert "no local privacy" in shown.spent[0]


def test_whoever_takes_no_part_gains_nothing(network):
    grid = Grid(prior="label propagation", participations=(1.0, 0.25), epsilons=(2.0,))
    made = plan(network.graph, network.campaign, network.labels, panel=network.panel(), grid=grid)
    whole, part = made.ceilings
    assert part.points == pytest.approx(whole.points / 4)
    taught = {cell.participation: cell.points for cell in made.cells if cell.method == "a question taught by reports"}
    assert taught[0.25] <= taught[1.0] / 4 + 1e-9


def test_the_verdict_agrees_with_the_numbers(shown):
    for cell in shown.cells:
        assert cell.standing == standing_of(cell.points, cell.low, cell.high, shown.worth)
    here = [cell for cell in shown.cells if cell.epsilon == 2.0]
    text = " ".join(shown.verdict)
    paper = next(cell for cell in here if cell.method == "the paper's features")
    assert ("nothing" in text) == (paper.standing == "not worth it")
    assert any(cell.standing == "worth it" for cell in here)
    assert "with the panel" in text


def test_the_smallest_epsilon_is_the_first_that_is_worth_it(shown):
    for method, smallest in shown.smallest.items():
        good = [cell.epsilon for cell in shown.cells if cell.method == method and cell.standing == "worth it"]
        assert smallest == (min(good) if good else None)


def test_where_not_even_the_ceiling_is_worth_it_the_verdict_is_not_to_ask(network):
    grid = Grid(prior="label propagation", worth=60.0)
    made = plan(network.graph, network.campaign, network.labels, panel=network.panel(), grid=grid)
    assert made.verdict[0].startswith("Do not ask at ε = 2")
    assert {cell.standing for cell in made.cells} == {"not worth it"}


@pytest.mark.parametrize(
    ("points", "low", "high", "standing"),
    [(2, 1, 3, "worth it"), (2, 0, 4, "not sure"), (0.2, 0.1, 0.4, "not worth it"), (0.4, 0.1, 0.6, "not sure")],
)
def test_standings(points, low, high, standing):
    assert standing_of(points, low, high, 0.5) == standing


def test_shuffled_profiles_of_a_panel_promise_next_to_nothing(network):
    other = np.random.default_rng(0).permutation(network.members)
    panel = network.panel(network.members)
    mixed = type(panel)(panel.ids, network.panel(other).matrix)
    made = plan(network.graph, network.campaign, network.labels, panel=mixed, grid=QUICK)
    ceilings = {each.epsilon: each.points for each in made.ceilings}
    for cell in made.cells:
        assert cell.points < 0.1 * ceilings[cell.epsilon], cell


def test_a_plan_does_not_change_with_labels_that_it_was_not_given(network):
    rows = network.known
    split = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    hidden = [int(label) for label in network.truth]
    other = list(hidden)
    for row in np.setdiff1d(np.arange(len(hidden)), rows):
        other[row] = (other[row] + 1) % 3
    first, second = (
        Outlook.of(network.graph, labels, split=split, prior="label propagation") for labels in (hidden, other)
    )
    np.testing.assert_array_equal(first.prior.probabilities, second.prior.probabilities)
    np.testing.assert_array_equal(first.labels, second.labels)


def test_a_plan_of_the_same_seed_is_the_same(network, shown):
    again = plan(network.graph, network.campaign, network.labels, panel=network.panel(), grid=QUICK)
    assert again.cells == shown.cells
    assert again.verdict == shown.verdict


def test_a_pilot_of_features_has_spent_its_reports_and_is_asked_of_stein(network):
    made = plan(network.graph, network.campaign, network.labels, pilot=network.pilot(), grid=QUICK)
    assert {cell.method for cell in made.cells} == {"the paper's features"}
    assert 0 <= made.recovered <= 1
    assert "ε = 2" in made.spent[0]
    assert "200 people of the pilot" in made.spent[0]


def test_a_pilot_of_directions_forecasts_a_question(network):
    campaign = pg.Campaign(questions=[Direction(Encoding.numbers(8, 0.0, 1.0))], epsilon=8.0)
    rows = network.known
    reports = campaign.simulate(network.features[rows], ids=network.graph.ids[rows].tolist(), seed=1)
    made = plan(network.graph, campaign, network.labels, pilot=reports, grid=QUICK)
    taught = [cell for cell in made.cells if cell.method == "a question taught by reports"]
    assert len(taught) == len(made.ceilings)
    assert taught[-1].points > 0.5


def test_without_labels_there_is_a_ceiling_for_somebody_torn_between_two_classes(network):
    made = plan(network.graph, network.campaign)
    at_two = next(each for each in made.ceilings if each.epsilon == 2.0)
    assert at_two.points == pytest.approx(100 * (np.e**2 / (1 + np.e**2) - 0.5))
    assert made.controls is None


def test_text_json_and_page_say_the_same(shown, tmp_path):
    text = "\n".join(lines_of(shown))
    document = json.loads(json.dumps(shown.to_dict()))
    write_page(shown, tmp_path / "plan.html")
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert document["verdict"] == list(shown.verdict)
    for cell in shown.cells:
        assert f"{cell.points:+.2f}" in text
        assert f"{cell.points:+.2f}" in page
    for control in ("majority", "graph alone", "structure"):
        assert control in text
        assert control in page
    assert "prefers-color-scheme: dark" in page
    assert page.count("<polyline") == 5


def test_bad_input_is_refused(network):
    with pytest.raises(BadData, match="needs known labels"):
        plan(network.graph, network.campaign, panel=network.panel())
    with pytest.raises(BadData, match="at least 50 people"):
        plan(network.graph, network.campaign, dict(list(network.labels.items())[:30]))
    strangers = np.setdiff1d(np.arange(900), network.known)[:60]
    with pytest.raises(BadData, match="have no known label"):
        plan(network.graph, network.campaign, network.labels, panel=network.panel(strangers), grid=QUICK)
    with pytest.raises(BadData, match="at least 40 people"):
        plan(network.graph, network.campaign, network.labels, panel=network.panel(network.members[:20]), grid=QUICK)
    with pytest.raises(BadData, match="at least two classes"):
        plan(network.graph, network.campaign, dict.fromkeys(network.labels, "one"), grid=QUICK)
    with pytest.raises(ValueError, match="participations"):
        Grid(participations=(0.0,))
