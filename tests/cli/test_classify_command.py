import csv
import json
import random
from datetime import date

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge import Campaign, Reports
from privge.cli import main
from privge.collect.stores import Upload, open_store

NULLS = [f"{what}, {control}" for what in ("vectors", "answers") for control in ("shuffled", "structure-only")]
TEAMS = ("blue", "green", "red")
SURVEY = """
purpose = "Which team suits whom?"
epsilon = 4.0
k = 1

[[questions]]
kind = "number"
name = "age"
low = 18
high = 99

[[questions]]
kind = "choice"
name = "city"
values = ["Rome", "Paris", "Oslo", "elsewhere"]
otherwise = "elsewhere"

[[questions]]
kind = "yes-no"
name = "sport"
"""


def write(path, *rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a new user has: edges with names of their own, a mixed table with holes, and a few labels."""
    folder, chance = tmp_path_factory.mktemp("platform"), random.Random(1)  # noqa: S311 (made-up people)
    people = [f"u{number:03}" for number in range(200)]
    team = {person: chance.choice(TEAMS) for person in people}
    mates = {name: [person for person in people if team[person] == name] for name in TEAMS}
    pairs = [
        (one, chance.choice(mates[team[one]] if chance.random() < 0.8 else people)) for one in people for _ in "abc"
    ]
    write(folder / "follows.csv", ("follower", "followed"), *pairs)
    cities = dict(zip(TEAMS, ("Oslo", "Paris", "Rome"), strict=True))
    profiles = [
        (one, chance.choice(["", 30, 50]), chance.choice([cities[team[one]], ""]), chance.choice(["yes", "no", ""]))
        for one in people
    ]
    write(folder / "people.csv", ("user", "age", "city", "sport"), *profiles)
    known = chance.sample(people, 40)
    write(folder / "teams.csv", ("user", "team"), *((one, team[one] if one in known else "") for one in people))
    (folder / "survey.toml").write_text(SURVEY)
    arguments = ("--features", folder / "people.csv", "--id-column", "user", "--campaign", folder / "survey.toml")
    assert run("perturb", *arguments, "--seed", 1, "-o", folder / "reports.parquet").exit_code == 0
    return folder


@pytest.fixture(scope="module")
def own(folder):
    """How the graph and the labels are named."""
    graph = ("--graph", folder / "follows.csv", "--source", "follower", "--target", "followed")
    return graph, ("--labels", folder / "teams.csv", "--id-column", "user", "--label-column", "team")


@pytest.fixture(scope="module")
def embedding(folder, own):
    path = folder / "z.parquet"
    assert run("embed", *own[0], "--reports", folder / "reports.parquet", "-o", path).exit_code == 0
    return path


@pytest.fixture(scope="module")
def plain(folder, own):
    """What the reports say by themselves, without controls: what is printed, and the table."""
    options = (*own[0], "--reports", folder / "reports.parquet", *own[1], "--no-controls", "--json")
    result = run("classify", *options, "-o", folder / "plain.parquet")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), pq.read_table(folder / "plain.parquet")


def test_one_command_from_a_new_user_s_files_to_classes(folder, own):
    graph, labels = own
    output = folder / "predicted.parquet"
    result = run("classify", *graph, "--reports", folder / "reports.parquet", *labels, "--abstain", 0.8, "-o", output)
    assert result.exit_code == 0, result.stderr
    table = pq.read_table(output)
    assert table.column_names == ["id", "class", "confidence", "p(blue)", "p(green)", "p(red)"]
    assert table.num_rows == 160
    for words in (
        "these answers",
        "largest class",
        "label propagation",
        "structure channel",
        "vectors alone",
        "macro-F1",
        "expected calibration error",
        "calibrated by number of friends",
        "3 to 10 friends",
        "vectors, shuffled",
        "answers, shuffled",
        "vectors, structure-only",
        "answers, structure-only",
        "no privacy: not at hand",
        "what the reports are worth, by the higher of shuffled and structure-only: ",
        "these answers beside the graph alone (",
        "with --abstain 0.8",
    ):
        assert words in result.stdout
    assert "160 rows have no class" in result.stderr
    sure = np.array(table["confidence"]) >= 0.8
    assert [name is not None for name in table["class"].to_pylist()] == sure.tolist()


def test_true_features_are_a_control_and_change_no_answer(folder, own, plain):
    graph, labels = own
    arguments = ("classify", *graph, "--reports", folder / "reports.parquet", *labels)
    assert set(plain[0]["controls_not_run"]) == {"shuffled", "structure-only", "no privacy"}
    result = run(*arguments, "--features", folder / "people.csv", "-o", folder / "compared.parquet", "--json")
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    assert said["controls_not_run"] == {}
    assert said["controls"]["vectors, no privacy"]["accuracy"] > said["controls"]["vectors, shuffled"]["accuracy"]
    assert len(said["conclusions"]) == 2
    assert pq.read_table(folder / "compared.parquet").equals(plain[1])
    refused = run(*arguments, "--features", folder / "people.csv", "--no-controls", "-o", folder / "no.parquet")
    assert refused.exit_code == 2
    assert "--features has no effect with --no-controls" in refused.stderr


def test_edges_and_labels_alone_are_enough(folder, own, tmp_path, monkeypatch):
    monkeypatch.delenv("PRIVGE_STORE", raising=False)
    graph, labels = own
    result = run("classify", *graph, "--nodes", folder / "people.csv", *labels, "-o", tmp_path / "p.parquet")
    assert result.exit_code == 0, result.stderr
    assert pq.read_table(tmp_path / "p.parquet").num_rows == 160
    assert "costs no epsilon" in result.stdout
    for control in ("largest class", "label propagation", "structure channel"):
        assert control in result.stdout
    assert "vectors" not in result.stdout


def test_without_a_graph_it_is_said_that_controls_cannot_be_had(folder, own, embedding):
    result = run("classify", "--embedding", embedding, *own[1], "-o", folder / "alone.parquet")
    assert result.exit_code == 0, result.stderr
    assert "shuffled, structure-only, no privacy: cannot be had without --graph" in result.stdout


def test_vectors_of_people_who_are_not_in_the_graph_are_counted(folder, own, embedding):
    labels = (folder / "teams.csv").read_text().splitlines()[1:]
    gone = next(line.split(",")[0] for line in labels if not line.endswith(","))
    lines = (folder / "follows.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(line for line in lines if gone not in line.split(",")) + "\n")
    graph = ("--graph", folder / "fewer.csv", *own[0][2:])
    result = run("classify", "--embedding", embedding, *graph, *own[1], "-o", folder / "fewer.parquet")
    assert result.exit_code == 0, result.stderr
    assert "of 200 vectors are of nodes that are not in the graph, and get no class" in result.stderr
    assert "1 of 40 labels are of nodes without a vector" in result.stderr
    assert "shuffled, structure-only, no privacy: cannot be had: the embedding was made from another" in result.stdout


def test_each_table_may_have_its_own_name_for_the_ids(folder, own, tmp_path):
    graph, _ = own
    rows = [line.split(",") for line in (folder / "teams.csv").read_text().splitlines()[1:]]
    write(tmp_path / "teams.csv", ("person", "team"), *rows)
    write(tmp_path / "nodes.csv", ("user",), *([name] for name, _ in rows))
    labels = ("--labels", tmp_path / "teams.csv", "--label-column", "team", "--nodes", tmp_path / "nodes.csv")
    arguments = ("classify", *graph, "--reports", folder / "reports.parquet", *labels, "-o", tmp_path / "p.parquet")
    refused = run(*arguments, "--id-column", "user")
    assert refused.exit_code == 3
    assert "teams.csv: there is no column 'user'" in refused.stderr
    assert "--id-column TABLE=NAME" in refused.stderr
    result = run(*arguments, "--id-column", "user", "--id-column", "labels=person")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith(f"160 nodes without a label are in {tmp_path / 'p.parquet'}")
    assert "by labels held out" in result.stdout
    assert "expect " in result.stdout.splitlines()[-1], "what held-out labels promise, and not probabilities alone"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("label=person",), "there is no table 'label' here; TABLE is one of nodes, features, labels"),
        (("labels=",), "the name of the column is missing"),
        (("labels=a", "labels=b"), "it is given twice for labels"),
        (("a", "b"), "it is given twice for all tables"),
    ],
)
def test_a_column_of_ids_that_cannot_be_is_refused(columns, said):
    given = [part for column in columns for part in ("--id-column", column)]
    result = run("classify", "--embedding", "z.parquet", "--labels", "l.csv", *given, "-o", "p.parquet")
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_store_is_embedded_on_the_fly_and_gives_what_its_reports_give(folder, own, plain, tmp_path):
    graph, labels = own
    reports = Reports.from_parquet(folder / "reports.parquet")
    store = open_store(str(tmp_path / "app.db"))
    store.add_campaign(reports.campaign)
    uploads = [Upload(reports.ids[i], reports.codes[i].astype("<u2").tobytes()) for i in range(len(reports))]
    store.put(reports.campaign.id, uploads, day=date(2027, 1, 1))
    store.close()
    source = ("--store", f"sqlite:///{tmp_path}/app.db")
    result = run("classify", *graph, *source, *labels, "-o", tmp_path / "p.parquet", "--json")
    assert result.exit_code == 0, result.stderr
    assert set(json.loads(result.stdout)["controls"]) > set(NULLS)
    assert pq.read_table(tmp_path / "p.parquet").equals(plain[1])


def test_a_machine_gets_one_object_with_every_control(folder, embedding, own):
    graph, labels = own
    result = run("classify", "--embedding", embedding, *graph, *labels, "-o", folder / "p.csv", "--json")
    told = json.loads(result.stdout)
    assert set(told["controls"]) == {
        "majority class",
        "vectors alone",
        "label propagation",
        "structure channel",
        *NULLS,
    }
    assert told["classes"] == list(TEAMS)
    assert (told["labelled"], told["unlabelled"]) == (40, 160)
    assert 0 <= told["calibration_error"] <= 1
    assert told["interval"][0] <= told["accuracy"] <= told["interval"][1]
    assert (folder / "p.csv").read_text().splitlines()[0].startswith('"id","class","confidence","p(blue)"')


def test_a_model_is_kept_and_used_for_another_embedding_of_the_same_campaign(folder, embedding, own, tmp_path):
    model, output = tmp_path / "model.npz", tmp_path / "p.parquet"
    assert run("classify", "--embedding", embedding, *own[1], "--save", model, "-o", output).exit_code == 0
    result = run("classify", "--embedding", embedding, "--model", model, "-o", output)
    assert result.exit_code == 0, result.stderr
    assert pq.read_table(output).num_rows == 200
    assert "if these nodes are like those" in result.stdout
    assert "answers were right, by labels held out" in result.stdout
    other = tmp_path / "other.parquet"
    assert run("embed", *own[0], "--reports", folder / "reports.parquet", "--alpha", 0.3, "-o", other).exit_code == 0
    refused = run("classify", "--embedding", other, "--model", model, "-o", tmp_path / "no.parquet")
    assert refused.exit_code == 3
    assert "model.npz: the model was learnt from other columns" in refused.stderr
    assert not (tmp_path / "no.parquet").exists()


def test_labels_of_strangers_are_counted_and_not_used(embedding, tmp_path):
    rows = [(f"u{number:03}", TEAMS[number % 3]) for number in range(30)]
    write(tmp_path / "l.csv", ("id", "label"), *rows, ("nobody", "red"), ("x", "blue"))
    arguments = ("classify", "--embedding", embedding, "-o", tmp_path / "p.parquet", "--labels")
    result = run(*arguments, tmp_path / "l.csv")
    assert result.exit_code == 0, result.stderr
    assert "2 of 32 labels are of nodes without a vector" in result.stderr
    write(tmp_path / "none.csv", ("id", "label"), ("nobody", "red"), ("x", "blue"))
    refused = run(*arguments, tmp_path / "none.csv")
    assert refused.exit_code == 3
    assert "none of the 2 labelled nodes is in the embedding" in refused.stderr


@pytest.mark.parametrize("machine", [(), ("--json",)])
def test_abstaining_from_every_answer_is_no_error(embedding, tmp_path, machine):
    chance = random.Random(2)  # noqa: S311 (labels that mean nothing)
    write(tmp_path / "l.csv", ("id", "label"), *((f"u{number:03}", chance.choice("abc")) for number in range(20)))
    arguments = ("--labels", tmp_path / "l.csv", "--abstain", 1, "-o", tmp_path / "p.parquet", *machine)
    result = run("classify", "--embedding", embedding, *arguments)
    assert result.exit_code == 0, result.stderr
    assert '"expected_accuracy": null' in result.stdout or "nobody of them right" in result.stdout
    assert pq.read_table(tmp_path / "p.parquet")["class"].null_count == 180


def test_numbers_as_classes_are_names_too(embedding, tmp_path):
    write(tmp_path / "l.csv", ("id", "label"), *((f"u{number:03}", number % 2) for number in range(30)))
    run("classify", "--embedding", embedding, "--labels", tmp_path / "l.csv", "-o", tmp_path / "p.parquet")
    assert set(pq.read_table(tmp_path / "p.parquet")["class"].to_pylist()) <= {"0", "1"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,group\nu001,a\n", "no column 'label'"),
        ("id,label\nu001,a\nu001,b\n", "line 3: this id appears twice"),
        ("id,label\nu001,a\nu002,b\n", "at least 10 labelled nodes"),
        ("id,label\n" + "".join(f"u{number:03},a\n" for number in range(20)), "two classes"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_and_nothing_is_written(embedding, tmp_path, content, words):
    (tmp_path / "l.csv").write_text(content)
    result = run("classify", "--embedding", embedding, "--labels", tmp_path / "l.csv", "-o", tmp_path / "p.parquet")
    assert result.exit_code == 3
    assert words in result.stderr
    assert not (tmp_path / "p.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "or --embedding"),
        (("--embedding", "z.parquet"), "either --labels"),
        (("--embedding", "z.parquet", "--labels", "l.csv", "--model", "m.npz"), "either --labels"),
        (("--embedding", "z.parquet", "--reports", "r.parquet", "--labels", "l.csv"), "either --embedding"),
        (("--embedding", "z.parquet", "--labels", "l.csv", "--alpha", "0.3"), "no effect"),
        (("--embedding", "z.parquet", "--labels", "l.csv", "--source", "a", "--target", "b"), "without --graph"),
        (("--reports", "r.parquet", "--labels", "l.csv"), "Give --graph, with --reports"),
        (("--graph", "e.csv", "--labels", "l.csv", "--features", "f.csv"), "`privge perturb` first"),
        (("--graph", "e.csv", "--labels", "l.csv", "--alpha", "0.3"), "no effect without --reports"),
        (("--graph", "e.csv", "--labels", "l.csv", "--save", "m.npz"), "no effect without --reports"),
        (("--graph", "e.csv", "--model", "m.npz"), "no effect without --reports"),
        (("--embedding", "z.parquet", "--graph", "e.csv", "--model", "m.npz"), "no effect with --model"),
        (("--embedding", "z.parquet", "--labels", "l.csv", "--save", "m.pkl"), "must end in .npz"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, words, monkeypatch):
    monkeypatch.delenv("PRIVGE_STORE", raising=False)
    result = run("classify", *arguments, "-o", "p.parquet")
    assert result.exit_code == 2
    assert words in result.stderr


def test_the_campaign_asks_mixed_questions(folder):
    assert len(Campaign.load(folder / "survey.toml").questions) == 3
