"""A whole round through the real service: teachers report, a question is fitted, the others answer it, and it helps."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import privge as pg
from privge.campaign import Assignment
from privge.cli import main
from privge.collect.snapshot import take_snapshot
from privge.collect.stores import open_store
from privge.datasets.synthetic import social_network
from privge.device import contribute
from privge.device.pace import Pace
from privge.errors import NotAsked, SecondDraw, ServiceRefused
from privge.questions import Direction, Encoding, NumberFeature, rounded_model
from privge.structure import node_channel
from privge.wire.tokens import mint
from reliability.people import KEY
from reliability.server import Server

PEOPLE, CLASSES, EPSILON = 900, 3, 3.0
FAST = Pace(least=0.02)


class Round:
    """What a curator and the devices do, by commands and by the device's own code."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.network = social_network(PEOPLE, CLASSES, 12, degree=3, seed=4)
        self.ids = self.network.graph.ids.tolist()
        features = [NumberFeature(name, 0, 1, levels=33) for name in self.network.feature_names]
        self.encoding = Encoding(features)
        self.teachers = np.random.default_rng(0).permutation(PEOPLE)[:500]
        self.asked = np.setdiff1d(np.arange(PEOPLE), self.teachers)

    def publish(self, name, campaign):
        """Write the campaign and its shards, publish both from the files, and return the address."""
        campaign.save(self.folder / f"{name}.json")
        secret = ("--admin-token-file", self.folder / "server" / "admin")
        return run("campaign", "publish", self.folder / f"{name}.json", "--service", self.origin, *secret).strip()

    def submit(self, url, rows, state="proxy"):
        """Report for many people; return what the command says of it."""
        table = {"id": [self.ids[row] for row in rows]}
        table |= dict(zip(self.network.feature_names, self.network.features[rows].T, strict=True))
        path = self.folder / "people.parquet"
        pq.write_table(pa.table(table), path)
        keys = self.folder / "server" / "keys"
        arguments = ("submit", "--campaign", url, "--batch", path, "--keys-file", keys, "--json")
        arguments += ("--state", self.folder / state)
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        return json.loads(result.stdout), result.exit_code

    def contribute(self, url, row, *, folder=None):
        """Report as one person, with the device's own code."""
        token = mint(KEY, node=self.ids[row], expires=2**40)
        values = dict(zip(self.network.feature_names, self.network.features[row].tolist(), strict=True))
        place = folder or self.folder / "devices" / str(row)
        return contribute(url, values, token=token, folder=place, max_epsilon=EPSILON, pace=FAST)

    def reports(self, campaign):
        store = open_store(self.server.store)
        try:
            assert store.verify() == []
            return take_snapshot(store, campaign.id).reports
        finally:
            store.close()


def run(*arguments):
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def fitted(each):
    """Class means of the teachers' decoded reports, as a nearest-mean model."""
    network = each.network
    reports = each.reports(each.teaching)
    rows = [each.ids.index(node) for node in reports.ids.tolist()]
    profiles = reports.decode("unbiased").toarray()
    means = np.array([profiles[network.labels[rows] == label].mean(axis=0) for label in range(CLASSES)])
    classes = [f"community {label}" for label in range(CLASSES)]
    bias = -(means**2).sum(axis=1) / 2
    return rounded_model(each.encoding, means, bias, classes=classes, normalised=True).model


def likeliest(each):
    """What the graph and the teachers' public labels say, without the labels of those who are asked."""
    known = np.full(PEOPLE, -1)
    known[each.teachers] = each.network.labels[each.teachers]
    train, validation = np.sort(each.teachers[:400]), np.sort(each.teachers[400:])
    return node_channel(
        each.network.graph, known, train=train, validation=validation, seed=0, heads=("logistic",)
    ).probabilities


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("round")
    (folder / "server").mkdir()
    with Server(folder / "server", "--rate", "1000", "--burst", "1000") as server:
        each = Round(folder, server)
        members = Assignment.members([each.ids[row] for row in each.teachers], bits=2)
        direction = [Direction(each.encoding)]
        each.teaching = pg.Campaign(questions=direction, epsilon=EPSILON, assignment=members, round="spring")
        each.teach_url = each.publish("teach", each.teaching)
        each.first = each.contribute(each.teach_url, each.teachers[0])
        each.taught, _ = each.submit(each.teach_url, each.teachers[1:])

        each.prior = likeliest(each)
        two = np.sort(np.argsort(-each.prior, axis=1)[:, :2], axis=1)
        assignment = Assignment.of([each.ids[row] for row in each.asked], two[each.asked], bits=3)
        question = [fitted(each)]
        each.asking = pg.Campaign(questions=question, epsilon=EPSILON, assignment=assignment, round="spring")
        each.ask_url = each.publish("ask", each.asking)
        each.second = each.contribute(each.ask_url, each.asked[0])
        each.answered, _ = each.submit(each.ask_url, each.asked[1:])
        yield each


def test_everybody_reports_once_by_their_own_device_or_through_a_proxy(whole):
    assert (whole.first.new, whole.second.new) == (True, True)
    assert (whole.taught["drawn"], whole.taught["outcomes"]) == (499, {"stored": 499})
    assert (whole.answered["drawn"], whole.answered["outcomes"]) == (399, {"stored": 399})
    taught, answered = (set(whole.reports(each).ids.tolist()) for each in (whole.teaching, whole.asking))
    assert (len(taught), len(answered), taught & answered) == (500, 400, set())


def test_the_answers_lift_what_the_graph_knows(whole):
    """The evidence of an answer is its exact log-likelihood, added to the log of the prior."""
    reports = whole.reports(whole.asking)
    rows = [whole.ids.index(node) for node in reports.ids.tolist()]
    labels = whole.network.labels[rows]
    evidence = reports.log_likelihood()
    prior = np.log(np.maximum(whole.prior[rows], 1e-6))
    alone, together = ((table.argmax(axis=1) == labels).mean() for table in (prior, prior + evidence))
    shuffled = evidence[np.random.default_rng(1).permutation(len(rows))]
    assert together > alone + 0.03
    assert ((prior + shuffled).argmax(axis=1) == labels).mean() < together


def test_the_reports_of_teachers_embed_as_any_others(whole):
    embedding = pg.embed(whole.network.graph, whole.reports(whole.teaching))
    assert embedding.matrix.shape == (PEOPLE, 12)
    assert embedding.provenance.source.participation == 500 / PEOPLE


def test_a_teacher_is_never_asked(whole):
    teacher = whole.teachers[0]
    with pytest.raises(NotAsked):
        whole.contribute(whole.ask_url, teacher, folder=whole.folder / "another device")
    with pytest.raises(SecondDraw, match="once in a round"):
        whole.contribute(whole.ask_url, teacher)
    said, code = whole.submit(whole.ask_url, [teacher])
    assert (said["drawn"], said["outcomes"], code) == (0, {"not_asked": 1}, 1)


def test_a_curator_who_asks_a_teacher_all_the_same_is_refused_by_device_proxy_and_service(whole):
    """A third campaign of the round, which names a teacher in its assignment."""
    teacher, other = whole.teachers[0], whole.teachers[1]
    classes = np.array([[0, 1], [0, 1]])
    assignment = Assignment.of([whole.ids[teacher], whole.ids[other]], classes)
    again = pg.Campaign(
        questions=[whole.asking.questions[0]], epsilon=EPSILON, assignment=assignment, round="spring", purpose="again"
    )
    url = whole.publish("again", again)
    with pytest.raises(SecondDraw, match="once in a round"):
        whole.contribute(url, teacher)
    with pytest.raises(ServiceRefused, match="403: The node has reported in another campaign of this round"):
        whole.contribute(url, teacher, folder=whole.folder / "new device")
    said, code = whole.submit(url, [other])
    assert (said["drawn"], said["outcomes"], code) == (0, {"other_round": 1}, 1)
    said, code = whole.submit(url, [other], state="another state")  # which the service must tell
    assert (said["drawn"], said["outcomes"], code) == (0, {"other_round": 1}, 1)
    assert len(whole.reports(again)) == 0
