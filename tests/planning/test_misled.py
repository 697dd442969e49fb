"""A plan is not misled by wrong labels, a panel or a pilot of something else, few people, or a lack of noise."""

import numpy as np
import pandas as pd
import pytest

import privge as pg
from privge.errors import BadData
from privge.perturbation.raw import raw_features_of
from privge.planning import Controls, Grid, Outlook, plan
from privge.planning.confidence import share_limits
from privge.planning.gain import Asking
from privge.planning.lines import lines_of
from privge.planning.plan import _ceiling
from privge.planning.verdict import verdict_of
from privge.questions import Choice, YesNo
from privge.questions.features import ChoiceFeature, YesNoFeature
from privge.structure import NodeChannel

QUICK = Grid(prior="label propagation", epsilons=(2.0,))


def mixed(network):
    """Return the labels, each beside somebody else's id."""
    shuffled = np.random.default_rng(1).permutation(list(network.labels.values())).tolist()
    return dict(zip(network.labels, shuffled, strict=True))


def test_labels_beside_the_wrong_ids_are_warned_of_in_the_verdict(network):
    honest, wrong = (
        plan(network.graph, network.campaign, each, grid=QUICK) for each in (network.labels, mixed(network))
    )
    assert "right id" in wrong.verdict[0]
    assert "right id" not in " ".join(honest.verdict)


def test_without_labels_the_verdict_claims_nothing_about_what_the_graph_says(network):
    advice = plan(network.graph, network.campaign, grid=QUICK)
    text = " ".join([*advice.verdict, *lines_of(advice)])
    assert "already says" not in text
    assert "Nothing can be said yet" in text
    assert "Lift over the structure" not in text
    assert "processor time" not in text  # nothing was measured
    assert [lift.people for lift in advice.ceilings[0].lifts] == ["everybody"]


def test_a_pilot_of_other_features_is_refused(network):
    other = pg.Campaign(dimensions=8, low=5, high=9, mechanism="laplace", epsilon=9.0)
    ids = network.graph.ids[network.members].tolist()
    reports = other.simulate(np.full((len(ids), 8), 6.0), ids=ids, seed=1)
    with pytest.raises(BadData, match="other features than those that are planned"):
        plan(network.graph, network.campaign, network.labels, pilot=reports, grid=QUICK)


def test_a_panel_on_which_everybody_shows_the_same_is_refused(network):
    ids = network.graph.ids[network.members].tolist()
    for value in (0.0, np.nan):
        panel = raw_features_of(network.campaign, np.full((len(ids), 8), value), ids)
        with pytest.raises(BadData, match="shows the same"):
            plan(network.graph, network.campaign, network.labels, panel=panel, grid=QUICK)


def test_without_noise_features_say_no_more_than_people_of_a_class_have_in_common(network):
    """Next to no noise is not next to no doubt: people of one class differ, too."""
    generator = np.random.default_rng(3)
    ids, rows = network.graph.ids[network.members].tolist(), network.members
    weak = np.clip(0.5 + 0.02 * (network.truth[rows] == 0)[:, None] + 0.3 * generator.standard_normal((200, 8)), 0, 1)
    panel = raw_features_of(network.campaign, weak, ids)
    grid = Grid(prior="label propagation", epsilons=(90.0,))
    advice = plan(network.graph, network.campaign, network.labels, panel=panel, grid=grid)
    ceiling = next(each for each in advice.ceilings if each.epsilon == 90.0)
    features = next(each for each in advice.cells if each.epsilon == 90.0 and each.method == "the paper's features")
    assert features.points < 0.2 * ceiling.points


def test_a_prior_that_few_people_calibrated_does_not_settle_what_can_be_gained():
    """Ten held-out people of whom none is wrong leave open that one in four is."""
    people = 60
    sure = np.tile([0.999, 0.001], (people, 1))
    rows = np.arange(10)
    prior = NodeChannel(np.array([f"p{row}" for row in range(people)]), np.array(["a", "b"]), sure, 1.0)

    def outlook(held):
        controls = Controls(held, 50.0, 100.0, 100.0)
        return Outlook(prior, np.zeros(people, dtype=np.int64), rows, rows, rows, "structure", controls, 0.0)

    asking = Asking.of(sure, 1.0)
    few, many = (_ceiling(asking, asking.warmer(outlook(held).temperature), None, 1.0) for held in (10, 100_000))
    assert few.points == many.points == 0
    assert few.high > 0.5
    assert many.high == 0


def test_what_questions_ask_is_not_called_features(network):
    questions = [YesNo(YesNoFeature("smoker")), Choice(ChoiceFeature("town", values=("a", "b", "c")))]
    campaign = pg.Campaign(questions=questions, epsilon=2.0, k=1)
    advice = plan(network.graph, campaign, grid=QUICK)
    assert advice.campaign.described() == "ε = 2, 1 of 2 questions"
    assert advice.campaign.width == 4


def test_a_class_that_nobody_learnt_from_is_never_found():
    """Held-out people of a class without a learner are wrong for label propagation, whatever column comes next."""
    graph = pg.Graph.from_edges([(f"a{i}", f"a{i + 1}") for i in range(60)])
    labels = [0] * 20 + [2] * 20 + [1] * 20 + [-1]
    train, validation = np.arange(40, dtype=np.int64), np.arange(40, 60, dtype=np.int64)
    controls = Outlook.of(graph, labels, split=(train, validation), prior="label propagation").controls
    assert controls.graph_alone == 0


@pytest.mark.parametrize("worth", [float("nan"), 0.0, -1.0, 101.0])
def test_what_is_wanted_must_be_points(worth):
    with pytest.raises(ValueError, match="worth"):
        Grid(worth=worth)


def test_limits_of_shares_are_those_of_clopper_and_pearson():
    assert share_limits(0.0, 10) == (0.0, pytest.approx(0.3085, abs=1e-4))
    assert share_limits(0.5, 20) == (pytest.approx(0.2720, abs=1e-4), pytest.approx(0.7280, abs=1e-4))


def test_verdicts_need_controls_to_speak_of_the_graph(network):
    advice = plan(network.graph, network.campaign, grid=QUICK)
    assert verdict_of(advice.campaign, 0.5, advice.ceilings, (), None, None) == advice.verdict


def test_a_forecast_is_not_called_worthless_while_it_is_open_how_often_the_graph_is_wrong(network):
    """With 50 labels ten people are held out: no forecast may then be surer than they allow."""
    few = dict(list(network.labels.items())[:50])
    rows = [row for row in network.known if str(network.graph.ids[row]) in few]
    panel = network.panel(np.array(rows))
    grid = Grid(prior="label propagation", epsilons=(0.1, 0.2, 0.5))
    advice = plan(network.graph, network.campaign, few, panel=panel, grid=grid)
    for ceiling in advice.ceilings:
        cells = [cell for cell in advice.cells if cell.epsilon == ceiling.epsilon]
        assert all(cell.high >= cell.points * ceiling.high / max(ceiling.points, 1e-12) - 1e-9 for cell in cells)
        assert ceiling.points > 0 or all(cell.high == ceiling.high for cell in cells)


def test_a_column_of_a_panel_that_cannot_be_read_is_named(network):
    questions = pg.Campaign(questions=[YesNo(YesNoFeature(f"n{place}")) for place in range(8)], epsilon=2.0, k=1)
    values = network.features[network.members].astype(np.float64)
    values[:, 3] = np.nan
    people = pd.DataFrame(values, columns=[f"n{place}" for place in range(8)])
    panel = raw_features_of(questions, people, network.graph.ids[network.members].tolist())
    advice = plan(network.graph, questions, network.labels, panel=panel, grid=QUICK)
    assert any("n3 (200)" in each for each in advice.spent)
    assert not any("n2 (" in each for each in advice.spent)
