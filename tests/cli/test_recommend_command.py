"""``privge recommend`` as a new user types it, and ``privge similar`` that says who is a friend already."""

import json
from datetime import date

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.collect.stores import Upload, open_store
from privge.datasets import social_network

NETWORK = social_network(people=300, communities=3, degree=6, homophily=0.8, seed=4)
GRAPH = NETWORK.graph
ENDS = list(zip(*(column.to_pylist() for column in GRAPH.to_edges().columns), strict=True))
FEATURES = NETWORK.features[:, :4]
ANN = str(GRAPH.ids[np.argmax(GRAPH.degrees)])


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def told(*arguments):
    result = run("recommend", *arguments, "--threads", 1, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def friends_of(node):
    return {other for pair in ENDS for other in pair if node in pair} - {node}


def campaign():
    return pg.Campaign(dimensions=4, low=0, high=1, mechanism="multibit", epsilon=1.0, k=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recommend")
    (folder / "friends.csv").write_text("person;friend\n" + "".join(f"{a};{b}\n" for a, b in ENDS))
    known = np.flatnonzero(GRAPH.degrees)
    reports = campaign().simulate(NETWORK.features[known][:, :4], ids=GRAPH.ids[known], seed=1)
    reports.to_parquet(folder / "reports.parquet")
    pg.embed(pg.as_graph(folder / "friends.csv", source="person", target="friend"), reports).save(folder / "z.parquet")
    return folder


@pytest.fixture
def graph(folder):
    return ("--graph", folder / "friends.csv", "--source", "person", "--target", "friend")


def test_one_command_recommends_new_friends_from_a_file_with_its_own_names(graph):
    result = run("recommend", *graph, "--node", ANN, "--count", 3, "--threads", 1)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"{ANN} ({len(friends_of(ANN))} friends)"
    shown = [line.split()[1] for line in lines[1:4]]
    assert len(set(shown)) == 3
    assert not friends_of(ANN) & set(shown)
    assert any("graph alone: personalized PageRank" in line for line in lines)
    assert any("structure: what is recommended" in line for line in lines)
    assert any("queries get a recommendation" in line for line in lines)  # a person may be in several


@pytest.mark.parametrize(
    "vectors", [("--reports", "reports.parquet"), ("--embedding", "z.parquet")], ids=["reports", "z"]
)
def test_vectors_are_judged_beside_their_control(folder, graph, vectors):
    answer = told(*graph, vectors[0], folder / vectors[1], "--node", ANN)
    assert answer["vectors"].keys() == {"gain", "error", "queries", "used"}
    scores = answer["evaluation"]["scores"]
    assert {"vectors", "fused, shuffled", "fused, structure-only", "structure", "fused"} <= scores.keys()
    assert scores["vectors, no privacy"] is scores["fused, no privacy"] is None, "nobody gave the true features"
    if not answer["vectors"]["used"]:
        assert scores["fused"] == scores["structure"]


def test_true_features_are_the_control_no_privacy_and_without_them_it_is_not_at_hand(folder, graph):
    vectors = (*graph, "--reports", folder / "reports.parquet", "--node", ANN)
    rows = [f"{node},{','.join(map(str, row))}" for node, row in zip(GRAPH.ids, FEATURES, strict=True)]
    (folder / "true.csv").write_text("id,a,b,c,d\n" + "\n".join(rows) + "\n")
    scores = told(*vectors, "--features", folder / "true.csv")["evaluation"]["scores"]
    assert scores["vectors, no privacy"]["auc"] > scores["vectors, structure-only"]["auc"]
    result = run("recommend", *vectors, "--threads", 1)
    line = next(line for line in result.stdout.splitlines() if "vectors, no privacy" in line)
    assert "not at hand" in line
    marked = [line.split(":")[0].strip() for line in result.stdout.splitlines() if ": what is recommended" in line]
    assert marked == ["fused"], "which score of the table recommends"
    assert "held-out friends are" in result.stdout
    assert " likely (" in result.stdout
    refused = run("recommend", *graph, "--node", ANN, "--features", folder / "true.csv")
    assert refused.exit_code == 2
    assert "--features has no effect without --reports or --store" in refused.stderr


def random_edges(path, people=400, edges=1600):
    generator = np.random.default_rng(6)
    ends = {tuple(sorted(pair)) for pair in generator.integers(0, people, (edges, 2)).tolist() if len(set(pair)) == 2}
    path.write_text("source,target\n" + "".join(f"p{a},p{b}\n" for a, b in sorted(ends)))
    return path


def test_what_is_no_better_than_chance_is_said_not_to_be_used(tmp_path):
    graph = ("--graph", random_edges(tmp_path / "random.csv"), "--threads", 1)
    result = run("recommend", *graph, "--node", "p1")
    assert result.exit_code == 0, result.stderr
    rows = [line.split("  ")[1] for line in result.stdout.splitlines() if " ± " in line and line.startswith("  ")]
    assert rows[:2] == ["at random: ten of everybody", "popularity: most friends"]
    assert result.stdout.splitlines()[-1].endswith(": nothing that can be told from chance: do not use these.")
    answer = told(*graph[:2], "--node", "p1")
    assert "do not use these" in answer["conclusions"][0]
    leads = answer["evaluation"]["leads"]
    assert leads.keys() == {"at random", "most friends"} <= answer["evaluation"]["scores"].keys()
    assert not leads["at random"]["told"]


def test_what_finds_hidden_friends_is_said_to_be_better_than_both(tmp_path):
    circles = [(c, a, b) for c in range(40) for a in range(8) for b in range(a) if (a + b + c) % 3]
    (tmp_path / "circles.csv").write_text("source,target\n" + "".join(f"p{c}-{a},p{c}-{b}\n" for c, a, b in circles))
    graph = ("--graph", tmp_path / "circles.csv", "--node", "p1-1")
    answer = told(*graph)
    assert answer["conclusions"][0].endswith(": better than both")
    low, high = answer["evaluation"]["leads"]["most friends"]["interval"]
    assert 0 < low < high
    nothing = told(*graph, "--no-evaluate")["conclusions"]
    assert nothing == [
        "nothing here was judged by held-out edges, so it is not known whether this is better than chance"
    ]


def test_everybody_goes_into_a_file_and_blocked_and_erased_do_not(folder, graph):
    first = told(*graph, "--node", ANN, "--no-evaluate")["recommendations"]
    blocked, left = first[0]["recommended"], first[1]["recommended"]
    (folder / "blocked.csv").write_text(f"person,friend\n{blocked},{ANN}\n")
    (folder / "left.csv").write_text(f"id\n{left}\n")
    excluded = ("--blocked", folder / "blocked.csv", "--erased", folder / "left.csv")
    answer = told(*graph, *excluded, "-o", folder / "all.parquet", "--no-evaluate")
    table = pq.read_table(folder / "all.parquet").to_pylist()
    assert (answer["people"], answer["recommendations"]) == ((GRAPH.degrees > 0).sum(), len(table))
    assert answer["evaluation"] is None
    pairs = {(line["node"], line["recommended"]) for line in table}
    assert not pairs & {(ANN, blocked), (blocked, ANN)}
    assert left not in {node for pair in pairs for node in pair}
    assert not pairs & {*ENDS, *((b, a) for a, b in ENDS)}


def test_it_is_said_who_everybody_is(folder, graph):
    everybody = ("recommend", *graph, "-o", folder / "who.parquet", "--no-evaluate", "--threads", 1)
    with_edges = int((GRAPH.degrees > 0).sum())
    (folder / "all.csv").write_text("id\n" + "\n".join([*GRAPH.ids.tolist(), "newcomer"]) + "\n")
    lonely = GRAPH.nodes + 1 - with_edges
    for nodes, count, without, hint in (
        ((), with_edges, 0, "; whoever has no edge is not among them: give the table of everybody by --nodes."),
        (("--nodes", folder / "all.csv"), GRAPH.nodes + 1, lonely, "."),
    ):
        lines = run(*everybody, *nodes).stdout.splitlines()
        assert f"The graph has {count:,} people, {without:,} of them without friends{hint}" in lines
        assert set(pq.read_table(folder / "who.parquet")["node"].to_pylist()) <= {*GRAPH.ids.tolist(), "newcomer"}
        assert f"for {count:,} people are in" in lines[0]


def test_a_blocked_pair_that_is_not_understood_is_refused(folder, graph):
    (folder / "strange.csv").write_text(f"{ANN},somebody\n")
    result = run("recommend", *graph, "--node", ANN, "--blocked", folder / "strange.csv")
    assert result.exit_code == 3
    assert "strange.csv" in result.stderr


def test_people_of_a_table_are_asked_for_by_name(folder, graph):
    people = [ENDS[5][0], ENDS[0][1]]
    (folder / "people.csv").write_text("id\n" + "\n".join(people) + "\n")
    told(*graph, "--people", folder / "people.csv", "--count", 2, "--no-evaluate", "-o", folder / "some.csv")
    assert pa_csv.read_csv(folder / "some.csv")["node"].to_pylist() == np.repeat(people, 2).tolist()


def test_somebody_of_a_table_who_is_not_in_the_graph_is_named_by_the_line(folder, graph):
    (folder / "strangers.csv").write_text(f"id\n{ANN}\nstranger\n")
    result = run("recommend", *graph, "--people", folder / "strangers.csv", "-o", folder / "strangers.parquet")
    assert result.exit_code == 3
    assert "strangers.csv, line 3: this node is not in the graph; 1 of 2 are not" in result.stderr
    assert "stranger " not in result.stderr.replace("strangers.csv", "")


def test_an_unknown_node_is_named_with_ids_close_to_it_and_nothing_is_written(folder, graph):
    result = run("recommend", *graph, "--node", ANN.upper(), "-o", folder / "none.parquet")
    assert result.exit_code == 3
    assert f"close to it: {ANN}" in result.stderr
    assert not (folder / "none.parquet").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give --node or --people"),
        (("--node", "a", "--people", "p.csv"), "not both"),
        (("--node", "a", "--reports", "r", "--embedding", "z"), "one of them"),
        (("--node", "a", "--alpha", "0.2"), "--alpha has no effect"),
        (("-o", "r.txt"), "must end in .parquet or .csv"),
    ],
)
def test_what_does_not_go_together_is_refused_before_the_work(graph, options, said):
    result = run("recommend", *graph, *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_whoever_was_erased_from_the_store_is_left_out(folder, graph):
    store = open_store(f"sqlite:///{folder / 'app.db'}", create=True)
    try:
        reports = pg.Reports.from_parquet(folder / "reports.parquet")
        store.add_campaign(reports.campaign)
        uploads = [
            Upload(node, codes.astype("<u2").tobytes())
            for node, codes in zip(reports.ids.tolist(), reports.codes, strict=True)
        ]
        store.put(reports.campaign.id, uploads, day=date(2026, 1, 1))
        erased = told(*graph, "--node", ANN, "--no-evaluate")["recommendations"][0]["recommended"]
        store.erase(erased)
    finally:
        store.close()
    answer = told(*graph, "--store", f"sqlite:///{folder / 'app.db'}", "--node", ANN, "--no-evaluate", "--count", 100)
    assert erased not in {line["recommended"] for line in answer["recommendations"]}
    assert answer["vectors"] is not None


def similar(folder, *options):
    result = run("similar", folder / "z.parquet", "--node", ANN, "--count", 50, *options)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_similar_marks_friends_and_leaves_them_out_if_asked(folder, graph):
    lines = similar(folder, *graph).splitlines()
    marked = {line.split()[1] for line in lines if line.endswith("(a friend already)")}
    assert marked
    assert marked == friends_of(ANN) & {line.split()[1] for line in lines}
    new = json.loads(similar(folder, *graph, "--new", "--json"))["similar"]
    assert len(new) == 50
    assert not friends_of(ANN) & {each["node"] for each in new}
    assert not any(each["friend"] for each in new)
    assert "friend" not in similar(folder), "nothing is said of friends that nobody knows"


def test_similar_needs_a_graph_to_know_who_is_new(folder):
    result = run("similar", folder / "z.parquet", "--node", ANN, "--new")
    assert result.exit_code == 2
    assert "--new has no effect without --graph" in result.stderr


def test_whoever_has_no_friends_is_told_that_popular_people_are_shown(folder, graph):
    (folder / "nodes.csv").write_text("id\n" + "\n".join([*GRAPH.ids.tolist(), "newcomer"]) + "\n")
    nodes = ("--nodes", folder / "nodes.csv", "--node", "newcomer", "--no-evaluate", "--threads", 1)
    result = run("recommend", *graph, *nodes)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("newcomer has no friends in the graph; here are popular people\n")
