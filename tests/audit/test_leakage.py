"""Attribute inference: an embedding of clean features adds to the graph, one of noise does not."""

import pytest

import privge as pg
from privge.audit import leakage
from privge.datasets.synthetic import social_network
from privge.errors import BadData

WORLD = social_network(400, 3, homophily=0.3, seed=2)
ATTRIBUTE = (WORLD.graph.ids, WORLD.labels)


def embedding_of(mechanism):
    dimensions = WORLD.features.shape[1]
    campaign = pg.Campaign(dimensions=dimensions, low=0, high=1, mechanism=mechanism, k=dimensions)
    reports = campaign.simulate(WORLD.features, ids=WORLD.graph.ids.tolist(), seed=0)
    return pg.embed(WORLD.graph, reports, alpha=0.8)


def test_clean_features_add_to_what_the_graph_says_and_noise_does_not():
    clean, noise = (leakage(embedding_of(name), ATTRIBUTE, WORLD.graph, splits=2) for name in ("none", "structure"))
    assert clean.lift > 10
    assert abs(noise.lift) < 10  # two splits of 100 people: a standard deviation of about 4 points
    assert clean.graph == noise.graph
    assert clean.majority < 50
    assert any("may be chance" in line for line in noise.words()) or abs(noise.lift) > 2 * noise.error


def test_without_a_graph_the_guess_is_the_baseline():
    found = leakage(embedding_of("none"), ATTRIBUTE, splits=2)
    assert (found.graph, found.both) == (None, None)
    assert found.lift == pytest.approx(found.embedding - found.majority)


def test_too_few_people_are_bad_data():
    with pytest.raises(BadData, match="at least 20"):
        leakage(embedding_of("none"), (WORLD.graph.ids[:5], WORLD.labels[:5]))
