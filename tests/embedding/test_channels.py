"""Channels: named columns of an embedding, where they come from, and what one person paid for them."""

import json
from dataclasses import replace

import numpy as np
import pytest

import privge as pg
from privge.datasets import social_network
from privge.embedding import answers_channel, structure_channel, together
from privge.embedding.provenance import Provenance
from privge.errors import BadData, NotUpdatable
from privge.questions import Choice, ChoiceFeature

NETWORK = social_network(200, 3, 5, seed=2)
IDS = NETWORK.graph.ids


def reports_of(epsilon, people, purpose=""):
    c = pg.Campaign(dimensions=5, low=0, high=1, mechanism="multibit", epsilon=epsilon, k=1, purpose=purpose)
    return c.simulate(NETWORK.features[people], ids=IDS[people], seed=1)


@pytest.fixture(scope="module")
def parts():
    return {
        "structure": structure_channel(NETWORK.graph),
        "private": pg.embed(NETWORK.graph, reports_of(1.0, np.arange(120))),
        "answers": answers_channel(NETWORK.graph, reports_of(3.0, np.arange(120, 200), "other people")),
    }


@pytest.fixture(scope="module")
def whole(parts):
    return together(parts)


def test_every_column_belongs_to_one_channel(whole, parts):
    assert list(whole.channels) == ["structure", "private", "answers"]
    assert [channel.columns.start for channel in whole.channels.values()][1:] == [
        channel.columns.stop for channel in whole.channels.values()
    ][:-1]
    assert sum(channel.width for channel in whole.channels.values()) == whole.shape[1]
    for name, alone in parts.items():
        assert (whole.matrix[:, whole.channels[name].columns] == alone.matrix).all()


def test_a_channel_alone_is_what_it_was_before(whole, parts):
    for name, alone in parts.items():
        found = whole.channel(name)
        assert (found.matrix == alone.matrix).all()
        assert found.provenance.sources == alone.provenance.sources
        assert list(found.channels) == [name]
    assert whole.channel("private").provenance == parts["private"].provenance


def test_a_channel_that_is_not_there_is_named(whole):
    with pytest.raises(BadData, match="there is no channel 'labels', only structure, private, answers"):
        whole.channel("labels")


def test_an_embedding_of_reports_has_the_one_channel_private(parts):
    channel = parts["private"].channels["private"]
    assert (channel.width, channel.epsilon, channel.source) == (5, 1.0, parts["private"].provenance.source)
    assert parts["private"].channel("private") is parts["private"]


def test_each_channel_says_what_it_costs(whole):
    assert {name: channel.epsilon for name, channel in whole.channels.items()} == {
        "structure": 0.0,
        "private": 1.0,
        "answers": 3.0,
    }


def test_campaigns_that_stand_alone_add_up(whole):
    """Nothing but a round keeps a person from answering both."""
    assert whole.epsilon == 4.0


def test_alternatives_of_one_round_cost_the_larger_of_them(whole):
    teach, ask = (replace(source, round="spring") for source in whole.provenance.sources)
    alone = replace(teach, round=None, epsilon=0.5)
    assert replace(whole.provenance, sources=(teach, ask)).epsilon == 3.0
    assert replace(whole.provenance, sources=(teach, ask, alone)).epsilon == 3.5
    assert replace(whole.provenance, sources=(teach, replace(ask, round="autumn"))).epsilon == 4.0


def test_a_source_that_hides_nothing_has_no_epsilon(whole):
    first, second = whole.provenance.sources
    assert replace(whole.provenance, sources=(first, replace(second, epsilon=None, round="spring"))).epsilon is None


def test_public_data_costs_nothing(parts):
    assert parts["structure"].epsilon == 0.0
    assert parts["structure"].provenance.sources == ()


def test_structure_with_labels_has_a_column_for_each_class():
    labels = dict(zip(IDS[:150].tolist(), [f"group {c}" for c in NETWORK.labels[:150]], strict=True))
    channel = structure_channel(NETWORK.graph, labels)
    assert channel.channels["structure"].names == ("group 0", "group 1", "group 2")
    assert np.exp(channel.matrix).sum(axis=1) == pytest.approx(np.ones(200), abs=1e-3)
    predicted = channel.matrix[150:].argmax(axis=1)
    assert (predicted == NETWORK.labels[150:]).mean() > 0.6


def test_answers_stay_at_their_node(parts):
    reports = reports_of(3.0, np.arange(120, 200), "other people")
    answers = parts["answers"]
    assert (answers.matrix[:120] == 0).all()
    assert answers.matrix[120:] == pytest.approx(reports.decode("unbiased").toarray())
    assert answers.provenance.source.participation == pytest.approx(0.4)


def test_answers_to_a_choice_are_exact_log_likelihoods():
    values = ("blue", "green", "red")
    c = pg.Campaign(questions=[Choice(ChoiceFeature("team", values))], epsilon=2.0)
    people = {"team": np.array(values)[NETWORK.labels[:50]].tolist()}
    reports = c.simulate(people, ids=IDS[:50], seed=1)
    answers = answers_channel(NETWORK.graph, reports)
    assert answers.channels["answers"].names == values
    assert answers.matrix[:50] == pytest.approx(reports.log_likelihood())
    assert np.ptp(answers.matrix[0]) == pytest.approx(2.0, abs=1e-6)  # an answer moves log-odds by epsilon
    assert (answers.matrix[50:] == 0).all()


def test_the_round_of_a_campaign_is_written_down():
    pieces = {}
    for name, epsilon, people in (("private", 1.0, np.arange(100)), ("answers", 4.0, np.arange(100, 200))):
        c = pg.Campaign(dimensions=5, low=0, high=1, mechanism="multibit", epsilon=epsilon, k=1, round="spring")
        reports = c.simulate(NETWORK.features[people], ids=IDS[people], seed=1)
        pieces[name] = (
            pg.embed(NETWORK.graph, reports) if name == "private" else answers_channel(NETWORK.graph, reports)
        )
    whole = together(pieces)
    assert [source.round for source in whole.provenance.sources] == ["spring", "spring"]
    assert whole.epsilon == 4.0
    assert Provenance.from_json(whole.provenance.to_json()) == whole.provenance


@pytest.mark.parametrize("name", ["z.parquet", "z.npy", "z"])
def test_every_format_keeps_the_channels(whole, tmp_path, name):
    whole.save(tmp_path / name)
    again = pg.Embedding.load(tmp_path / name)
    assert again.provenance == whole.provenance
    assert again.channels == whole.channels
    assert (again.channel("answers").matrix == whole.channel("answers").matrix).all()


def test_word2vec_has_all_columns(whole, tmp_path):
    whole.save(tmp_path / "z.vec")
    assert (tmp_path / "z.vec").read_text().split("\n", 1)[0] == f"200 {whole.shape[1]}"


def test_one_channel_is_written_as_ever(parts):
    """A reader of the former version knows these fields and no others."""
    told = json.loads(parts["private"].provenance.to_json())
    assert set(told) == {"sources", "graph", "run", "version"}
    assert "round" not in told["sources"][0]


def test_channels_that_do_not_fit_the_matrix_are_refused(whole):
    with pytest.raises(BadData, match="do not name each of"):
        pg.Embedding(whole.ids, whole.matrix[:, :-1], whole.provenance)


def test_similarity_averages_over_the_channels(whole):
    node, other = IDS[130], IDS[131]
    by_channel = []
    for channel in whole.channels.values():
        rows = whole.matrix[[130, 131]][:, channel.columns].astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        by_channel.append(rows[0] @ rows[1] / lengths.prod() if lengths.all() else 0.0)
    scores = dict(whole.most_similar(node, 199))
    assert scores[other] == pytest.approx(np.mean(by_channel), abs=1e-5)


def test_similarity_by_one_channel_is_that_of_the_channel_alone(whole, parts):
    found = whole.most_similar(IDS[0], 7, channel="structure")
    assert found == parts["structure"].most_similar(IDS[0], 7)
    assert found != whole.most_similar(IDS[0], 7)
    with pytest.raises(BadData, match="no channel 'x'"):
        parts["private"].most_similar(IDS[0], 3, channel="x")


def test_channels_of_other_graphs_are_refused(parts):
    other = social_network(200, 3, 5, seed=5).graph
    with pytest.raises(BadData, match="made from another graph"):
        together({"structure": structure_channel(other), "private": parts["private"]})


def test_a_channel_that_is_several_is_refused(whole, parts):
    with pytest.raises(BadData, match="3 channels already"):
        together({"all": whole, "structure": parts["structure"]})


def test_channels_are_made_anew_and_not_updated(whole):
    first = reports_of(1.0, np.arange(120))
    with pytest.raises(NotUpdatable, match="named channels"):
        pg.update(whole, first.take(np.arange(0)), graph=NETWORK.graph, reports=first)


def test_the_provenance_is_read_as_it_was_written(whole):
    assert Provenance.from_json(whole.provenance.to_json()) == whole.provenance
