"""Embeddings whose alpha or smoother is chosen by Stein's unbiased risk, from reports and their known noise."""

import json

import numpy as np
import pytest

import privge as pg
from privge.datasets import social_network
from privge.embedding.join import Joining, Reading, feature_rows
from privge.embedding.known_noise import known_noise
from privge.embedding.provenance import Provenance
from privge.errors import BadData, NotUpdatable
from privge.propagation import Walk
from privge.questions import Direction, Encoding, NumbersFeature

NETWORK = social_network(800, 4, 12, seed=3)


def reports_of(mechanism="piecewise", epsilon=12.0, k=12, features=NETWORK.features, **changes):
    c = pg.Campaign(dimensions=12, low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, **changes)
    return c.simulate(features, ids=NETWORK.graph.ids, seed=1)


def clean(reports):
    normalised = 2 * NETWORK.features - 1
    return normalised * float(reports.campaign.sampled.gain)


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
@pytest.mark.parametrize(
    ("mechanism", "epsilon", "k"), [("hds", 8.0, 2), ("piecewise", 12.0, 12), ("multibit", 2.0, 1)]
)
def test_the_noise_of_reports_is_that_of_their_law(mechanism, epsilon, k, decoding):
    """The sum of squared differences from the clean features is the sum of the known variances.

    Both are sums over 800 people of independent terms: within five standard errors.
    """
    reports = reports_of(mechanism, epsilon, k)
    rows = feature_rows(NETWORK.graph, reports)
    scale = 1.0 if decoding == "raw" else 1 / float(reports.campaign.sampled.gain)
    known = known_noise(rows * scale, reports.campaign, Reading(decoding))
    wrong = np.square(scale * (rows.toarray() - clean(reports))).sum(axis=1)
    error = np.std(wrong) * np.sqrt(len(wrong))
    slack = 0.0 if mechanism != "multibit" else 12 * 800 * scale**2 * float(reports.campaign.sampled.gain) ** 2
    assert -5 * error < known.noise.rows.sum() - wrong.sum() < 5 * error + slack


def test_two_levels_have_exactly_known_noise():
    reports = reports_of("multibit", 2.0, 1, NETWORK.features > 0.5, levels=2, missing="low")
    rows = feature_rows(NETWORK.graph, reports)
    known = known_noise(rows, reports.campaign, Reading())
    variance = float(reports.campaign.sampled.variance(1.0))
    assert known.noise.rows == pytest.approx(np.full(800, 12 * variance))
    assert known.estimator.endswith("exactly")


def test_features_without_privacy_have_no_noise():
    reports = reports_of("none", None, 12)
    rows = feature_rows(NETWORK.graph, reports)
    known = known_noise(rows, reports.campaign, Reading())
    assert np.abs(known.noise.rows).max() < 1e-3
    centred = clean(reports) - clean(reports).mean(axis=0)
    assert known.spread == pytest.approx(np.square(centred).sum(), rel=1e-3)


def test_alpha_auto_is_the_embedding_with_the_alpha_that_was_chosen():
    reports = reports_of()
    z = pg.embed(NETWORK.graph, reports, alpha="auto", r=0.0)
    run = z.provenance.run
    assert (run.smoothing.smoother, run.smoothing.chosen, run.r) == ("pagerank", "alpha", 0.0)
    assert run.alpha == run.smoothing.parameters["alpha"]
    assert (z.matrix == pg.embed(NETWORK.graph, reports, alpha=run.alpha, r=0.0).matrix).all()
    assert 0 < run.smoothing.predicted_gain < 1


def test_a_smoother_brings_the_reports_nearer_to_the_clean_features():
    reports = reports_of()
    z = pg.embed(NETWORK.graph, reports, smoother="auto", decoding="unbiased")
    target = 2 * NETWORK.features - 1
    about_mean = np.square(target - target.mean(axis=0)).sum()
    error = np.square(z.matrix - target).sum()
    smoothing = z.provenance.run.smoothing
    assert 1 - error / about_mean == pytest.approx(smoothing.predicted_gain, abs=0.05)
    assert error < np.square(reports.decode("unbiased").toarray() - target).sum()
    assert smoothing.predicted_gain > 0.1


@pytest.mark.parametrize("mechanism", ["structure", "hds"])
def test_reports_that_tell_nothing_are_called_so(mechanism, caplog):
    epsilon = None if mechanism == "structure" else 0.1
    z = pg.embed(NETWORK.graph, reports_of(mechanism, epsilon, 1), smoother="auto")
    smoothing = z.provenance.run.smoothing
    assert (smoothing.smoother, smoothing.predicted_gain, smoothing.factor) == (None, 0.0, 0.0)
    assert "these reports tell nothing beyond the graph" in caplog.text
    assert str(smoothing) == "predicted gain 0: these reports tell nothing beyond the graph"


def test_alpha_auto_without_evidence_is_the_default(caplog):
    z = pg.embed(NETWORK.graph, reports_of("structure", None, 1), alpha="auto")
    assert z.provenance.run.alpha == Walk().alpha
    assert "tell nothing" in caplog.text


def test_one_family_can_be_asked_for():
    z = pg.embed(NETWORK.graph, reports_of(), smoother="clusters")
    assert z.provenance.run.engine == "clusters" == z.provenance.run.smoothing.smoother
    with pytest.raises(
        ValueError, match="smoother must be one of auto, pagerank, spectral, clusters, shrinkage, got 'x'"
    ):
        pg.embed(NETWORK.graph, reports_of(), smoother="x")


def test_what_was_chosen_is_written_and_read_again(tmp_path):
    z = pg.embed(NETWORK.graph, reports_of(), smoother="auto")
    z.save(tmp_path / "z.parquet")
    assert pg.Embedding.load(tmp_path / "z.parquet").provenance == z.provenance


def test_an_embedding_that_chose_nothing_is_written_as_ever():
    z = pg.embed(NETWORK.graph, reports_of())
    told = json.loads(z.provenance.to_json())
    assert "smoothing" not in told["run"]
    assert Provenance.from_json(json.dumps(told)) == z.provenance


def test_nothing_can_be_added_to_a_smoother_that_was_chosen():
    reports = reports_of()
    first = reports.take(np.arange(700))
    for options, updatable in (({"alpha": "auto"}, True), ({"smoother": "auto"}, False)):
        z = pg.embed(NETWORK.graph, first, **options)
        if updatable:
            pg.update(z, reports.take(np.arange(700, 800)), graph=NETWORK.graph, reports=first)
        else:
            with pytest.raises(NotUpdatable, match="chosen by its reports"):
                pg.update(z, reports.take(np.arange(700, 800)), graph=NETWORK.graph, reports=first)


def test_the_estimator_takes_auto_too():
    estimator = pg.PrivGE(graph=NETWORK.graph, mechanism="piecewise", epsilon=12.0, k=12, seed=1, smoother="auto")
    estimator.fit(NETWORK.features)
    assert estimator.embedding_.provenance.run.smoothing.smoother is not None
    assert pg.PrivGE(alpha="auto").get_params()["alpha"] == "auto"


def direction_reports(epsilon, features=NETWORK.features):
    encoding = Encoding((NumbersFeature(12, 0, 1),))
    c = pg.Campaign(questions=[Direction(encoding)], epsilon=epsilon)
    return c.simulate(features, ids=NETWORK.graph.ids, seed=1), encoding


def test_whole_profiles_in_one_report_have_exactly_known_noise():
    """The sum of squared errors of 800 unbiased reports is that of the known noise, within five standard errors."""
    reports, encoding = direction_reports(4.0)
    rows = feature_rows(NETWORK.graph, reports, Joining("unbiased"))
    profiles = encoding.coordinates(NETWORK.features).astype(np.float64)
    unit = profiles / np.linalg.norm(profiles, axis=1, keepdims=True)
    wrong = np.square(rows.toarray() - unit).sum(axis=1)
    known = known_noise(rows, reports.campaign, Reading("unbiased"))
    assert known.estimator.endswith("exactly")
    assert abs(known.noise.rows.sum() - wrong.sum()) < 5 * np.std(wrong) * np.sqrt(800)
    assert known.noise.entry == pytest.approx(reports.campaign.noise[0])
    about_mean = np.square(unit - unit.mean(axis=0)).sum()
    assert known.spread == pytest.approx(about_mean, rel=0.2)


def test_whole_profiles_are_smoothed_towards_the_clean_ones():
    reports, encoding = direction_reports(4.0)
    z = pg.embed(NETWORK.graph, reports, smoother="auto", decoding="unbiased")
    profiles = encoding.coordinates(NETWORK.features).astype(np.float64)
    unit = profiles / np.linalg.norm(profiles, axis=1, keepdims=True)
    true = 1 - np.square(unit - z.matrix).sum() / np.square(unit - unit.mean(axis=0)).sum()
    assert true == pytest.approx(z.provenance.run.smoothing.predicted_gain, abs=0.1)
    assert true > 0.1


def test_whole_profiles_of_other_people_tell_nothing_of_the_graph():
    shuffled = NETWORK.features[np.random.default_rng(0).permutation(800)]
    z = pg.embed(NETWORK.graph, direction_reports(2.0, shuffled)[0], smoother="clusters", decoding="unbiased")
    assert z.provenance.run.smoothing.predicted_gain == 0


def test_answers_are_smoothed_without_bias_or_not_at_all():
    with pytest.raises(BadData, match=r"give decoding='unbiased', on the command line --decoding unbiased"):
        pg.embed(NETWORK.graph, direction_reports(2.0)[0], smoother="auto")


def test_labels_are_not_read():
    """The same reports and graph with other labels beside them: there is no way for labels to come in."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'labels'"):
        pg.embed(NETWORK.graph, reports_of(), smoother="auto", labels=NETWORK.labels)
