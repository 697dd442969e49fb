"""A whole round on the command line, from the plan to the classes, with a mixed table and columns of other names.

Edges have no header, and the ids are in a column that is called ``member`` everywhere.
"""

import json
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.cli.fused import worth
from privge.datasets import social_network
from privge.tasks import Contribution, Fusion
from privge.teaching.judged import Interval, Judged

PEOPLE = 900
TEACH = """
epsilon = 4.0
purpose = "teach"
round = "spring"

[[questions]]
kind = "direction"
[[questions.features]]
kind = "number"
name = "age"
low = 15.0
high = 90.0
[[questions.features]]
kind = "choice"
name = "drinks"
values = ["tea", "coffee", "water"]
[[questions.features]]
kind = "yes-no"
name = "plays"
[[questions.features]]
kind = "yes-no"
name = "sings"
"""


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def table(path, names, rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Files of a small network in which age, drink, play and song say more of the class than the friends do."""
    folder, generator = tmp_path_factory.mktemp("round"), np.random.default_rng(5)
    made = social_network(people=PEOPLE, communities=3, interests=12, degree=4, homophily=0.7, seed=6)
    ids, labels = [f"m{row}" for row in range(PEOPLE)], made.labels
    ends = np.column_stack([np.repeat(np.arange(PEOPLE), made.graph.degrees), made.graph.indices])
    pairs = [(ids[one], ids[other]) for one, other in ends.tolist() if one < other]
    table(folder / "friends.csv", *[pairs[0], pairs[1:]])
    table(folder / "members.csv", ["member"], [[one] for one in ids])
    table(folder / "labels.csv", ["member", "label"], [(ids[row], "abc"[labels[row]]) for row in range(0, PEOPLE, 2)])
    ages = np.clip(generator.normal(25 + 20 * labels, 6), 10, 95).round()
    own = np.where(generator.random(PEOPLE) < 0.8, labels, generator.integers(0, 3, PEOPLE))
    plays = np.where(generator.random(PEOPLE) < 0.85, own == 1, own != 1)
    rows = [
        (
            ids[row],
            "" if row == 3 else ages[row],
            ("tea", "coffee", "water")[own[row]],
            "yes" if plays[row] else "no",
            1,
        )
        for row in range(PEOPLE)
    ]
    table(folder / "profiles.csv", ["member", "age", "drinks", "plays", "sings"], rows)
    (folder / "teach.toml").write_text(TEACH)
    return SimpleNamespace(folder=folder, ids=ids, labels=labels)


@pytest.fixture(scope="module")
def collected(place):
    """Everything up to the answers."""
    folder = place.folder
    profiles = ("--features", folder / "profiles.csv", "--id-column", "member")
    graph = ("--graph", folder / "friends.csv", "--no-header", "--nodes", folder / "members.csv")
    known = ("--labels", folder / "labels.csv", "--id-column", "member", "--epsilon", 4)
    run("teach", "plan", *graph, *known, "--teachers", folder / "teachers.csv", "-o", folder / "plan.parquet")
    members = ("--members", folder / "teachers.csv", "-o", folder / "teach.json")
    run("campaign", "new", "--from", folder / "teach.toml", *members)
    taught = ("--campaign", folder / "teach.json", *profiles, "--seed", 1, "-o", folder / "taught.parquet")
    run("perturb", *taught)
    plan = ("--plan", folder / "plan.parquet")
    run("teach", "question", *plan, "--reports", folder / "taught.parquet", "-o", folder / "question.json")
    run("campaign", "new", "--question", folder / "question.json", "-o", folder / "ask.json")
    asked = ("--campaign", folder / "ask.json", *profiles, "--seed", 2, "-o", folder / "answers.parquet")
    run("perturb", *asked)
    return place


def fuse(place, *options, question="question.json", code=0):
    folder = place.folder
    given = ("--plan", folder / "plan.parquet", "--question", folder / question)
    written = ("--reports", folder / "answers.parquet", "-o", folder / "classes.parquet")
    return run("teach", "fuse", *given, *written, *options, code=code)


def test_both_campaigns_are_of_one_round_and_of_different_people(collected):
    teach, ask = (pg.Campaign.load(collected.folder / name) for name in ("teach.json", "ask.json"))
    assert teach.round == ask.round == "spring"
    assert ask.epsilon == 4
    assert not (teach.assignment.asks(collected.ids) & ask.assignment.asks(collected.ids)).any()


def test_answers_are_better_than_the_structure_for_people_whose_class_is_hidden(collected):
    fuse(collected)
    found = pyarrow.parquet.read_table(collected.folder / "classes.parquet")
    plan = pyarrow.parquet.read_table(collected.folder / "plan.parquet")
    truth = dict(zip(collected.ids, ("abc"[label] for label in collected.labels), strict=True))
    hidden = [row for row, node in enumerate(found["id"].to_pylist()) if collected.ids.index(node) % 2]
    right = np.array([truth[node] for node in found["id"].to_pylist()])[hidden]
    structure = np.array(["abc"[np.argmax(prior)] for prior in plan["prior"].to_pylist()])[hidden]
    assert (np.array(found["class"].to_pylist())[hidden] == right).mean() > (structure == right).mean() + 0.03


def test_accuracy_stands_beside_its_controls_and_ends_in_a_plain_sentence(collected):
    *lines, whom, worth = fuse(collected).stdout.splitlines()
    assert lines[0].split()[-6:] == ["majority", "graph", "alone", "structure", "with", "answers"]
    assert lines[1].startswith("everybody")
    assert worth.startswith("Answers are worth +")
    assert "with 95 % confidence between" in worth
    assert f"of {PEOPLE} people answered" in whom


def test_labels_stand_beside_the_likeliest_classes_and_those_that_differ_are_counted(collected):
    whom = fuse(collected).stdout.splitlines()[-2]
    rows = pyarrow.parquet.read_table(collected.folder / "classes.parquet").to_pylist()
    told = {row["id"]: row["known"] for row in rows if row["known"] is not None}
    assert told == {
        node: "abc"[label]
        for place, (node, label) in enumerate(zip(collected.ids, collected.labels, strict=True))
        if place % 2 == 0
    }
    other = sum(row["known"] not in (None, row["class"]) for row in rows)
    assert other > 0
    assert f"for {other} of the {PEOPLE // 2} labelled people that is not their label" in whom


@pytest.mark.parametrize(
    ("kept", "interval", "begins"),
    [
        (True, (1.0, 3.0), "Answers are worth +2.0 points of accuracy, with 95 % confidence between +1.0 and +3.0"),
        (True, (-1.0, 5.0), "Answers fit the labels of the judges better than chance, and are used with a weight of"),
        (False, (-1.0, 5.0), "Answers add nothing here, and the classes in the file are those of the structure"),
    ],
)
def test_the_sentence_claims_what_the_judges_can_tell(kept, interval, begins):
    added = Contribution(gain=0.1, error=0.05, accuracy=2.0, kept=kept, belief=0.9 if kept else 0.1)
    fusion = Fusion(np.eye(2), np.eye(2), {"answers": 1.0}, {"answers": added})
    row = Judged("everybody", 50, 70.0, 72.0, majority=50.0, graph_alone=60.0, interval=Interval(*interval))
    sentence = worth(fusion, [row])
    assert sentence.startswith(begins)
    assert "+2.0 points" in sentence


def test_members_may_have_their_ids_in_another_column(collected, tmp_path):
    (tmp_path / "who.csv").write_text("person\nm1\nm2\n")
    new = ("campaign", "new", "--from", collected.folder / "teach.toml", "--members", tmp_path / "who.csv")
    refused = run(*new, "-o", tmp_path / "teach.json", code=3)
    assert "there is no column 'id'" in refused.stderr
    run(*new, "--id-column", "person", "-o", tmp_path / "teach.json")
    asked = pg.Campaign.load(tmp_path / "teach.json").assignment.asks(["m1", "m2", "m3"])
    assert asked.tolist() == [True, True, False]


def test_reports_of_teachers_are_no_answers(collected):
    folder = collected.folder
    given = ("--plan", folder / "plan.parquet", "--reports", folder / "taught.parquet")
    refused = run("teach", "fuse", *given, "-o", folder / "none.parquet", code=3)
    assert "people who were not asked; reports of those who taught are no answers" in refused.stderr
    assert not (folder / "none.parquet").exists()


def test_json_has_the_same_numbers(collected):
    found = json.loads(fuse(collected, "--json").stdout)
    everybody = found["judged"][0]
    assert found["kept"]
    assert everybody["count"] == found["judges"]
    assert everybody["fused"] - everybody["structure"] == pytest.approx(everybody["lift"])
    assert everybody["interval"][0] < everybody["lift"] < everybody["interval"][1]
    assert everybody["majority"] < everybody["graph_alone"] < everybody["fused"]
    assert {row["people"] for row in found["judged"]} >= {"everybody", "3 to 10 friends"}


def test_a_question_that_was_edited_after_it_was_asked_is_refused(collected):
    folder = collected.folder
    document = json.loads((folder / "question.json").read_text())
    document["teaching"]["people"] += 1
    (folder / "edited.json").write_text(json.dumps(document))
    refused = fuse(collected, question="edited.json", code=3)
    assert "edited.json: the field 'teaching' is not as it was written" in refused.stderr


def test_answers_to_another_question_are_refused(collected):
    folder = collected.folder
    given = ("--plan", folder / "plan.parquet", "--question", folder / "question.json")
    refused = run("teach", "fuse", *given, "--reports", folder / "taught.parquet", "-o", folder / "no.parquet", code=3)
    assert "question.json: the field 'question' is not what the campaign of these answers asks" in refused.stderr
    assert not (folder / "no.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("campaign", "show", "question.json"), "`privge campaign new --question` makes a campaign of it"),
        (("campaign", "show", "plan.parquet"), "a plan of who teaches and who is asked"),
        (("campaign", "show", "answers.parquet"), "a file of reports"),
        (("campaign", "show", "classes.parquet"), "a table in Parquet, not a document in JSON"),
        (("campaign", "new", "--question", "plan.parquet", "-o", "no.json"), "take it as --plan"),
        (("campaign", "new", "--question", "ask.json", "-o", "no.json"), "this is a campaign"),
    ],
)
def test_a_file_in_the_place_of_another_is_refused_with_what_it_is(collected, monkeypatch, arguments, said):
    monkeypatch.chdir(collected.folder)
    refused = run(*arguments, code=3)
    assert said in refused.stderr
    assert next(name for name in arguments if "." in name) in refused.stderr
