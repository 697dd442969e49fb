import logging

import numpy as np
import pytest

import privge as pg
from benchmarks.heads import Situation, make
from privge import Embedding
from privge.tasks.classification.controls import answers_of, vectors_of, with_controls

PEOPLE = Situation(0.75, 3, 0.5, 0.4, nodes=200, labelled=0.4)


@pytest.fixture(scope="module")
def world():
    """Vectors that know the class, by id, beside a graph; and those of somebody else."""
    made = make(PEOPLE, 1)
    campaign = pg.Campaign(dimensions=3, low=0, high=1, mechanism="none", k=3)
    reports = campaign.simulate(np.eye(3)[made.labels], ids=made.graph.ids, seed=0)
    vectors = pg.embed(made.graph, reports, alpha=0.9)
    other = Embedding(vectors.ids, np.random.default_rng(1).permutation(vectors.matrix), vectors.provenance)
    labels = {made.graph.ids[row]: int(made.labels[row]) for row in made.train}
    return made.graph, vectors, other, labels


def test_a_control_is_fitted_like_the_answers_and_knows_nothing_of_other_vectors(world, caplog):
    graph, vectors, other, labels = world
    found = pg.classify(vectors, labels, graph=graph, threads=1)
    with caplog.at_level(logging.INFO, "privge"):
        judged = with_controls(found, {"same": vectors, "shuffled": other}, labels)
    assert caplog.messages == [], "that a control learnt nothing is no remark on the answers"
    assert np.array_equal(judged.controls[answers_of("same")], found.held_out)
    assert np.array_equal(judged.controls[vectors_of("same")], found.controls["vectors alone"])
    assert judged.gain(answers_of("same")).points == 0
    for name in (answers_of("shuffled"), vectors_of("shuffled")):
        assert judged.gain(name).interval[0] > 0
    assert np.array_equal(judged.probabilities, found.probabilities)
    balanced = judged.control(answers_of("same"), balanced=True)
    assert balanced == found.estimate(balanced=True), "a control is decided as the answers are"


def test_controls_need_the_graph(world):
    _, vectors, other, labels = world
    with pytest.raises(ValueError, match="graph="):
        with_controls(pg.classify(vectors, labels), {"shuffled": other}, labels)
