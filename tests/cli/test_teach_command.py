"""The whole way on the command line: plan, teach, ask, fuse; and the simulation with its controls."""

import json
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.cli.simulate import WorldOptions, _stronger
from privge.datasets import social_network
from privge.experiments.two_steps import Summary
from privge.graph import read_graph
from privge.teaching import Plan

TEACH = """
epsilon = 4.0
purpose = "teach"
round = "spring"

[[questions]]
kind = "direction"
[[questions.features]]
kind = "numbers"
count = 12
low = 0.0
high = 1.0
names = [{names}]
"""


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of a small network, half of it labelled, and of everybody's features."""
    folder = tmp_path_factory.mktemp("teach")
    made = social_network(people=800, communities=3, interests=12, degree=5, homophily=0.75, seed=4)
    ids = [f"p{row}" for row in range(800)]
    pairs = np.column_stack([np.repeat(np.arange(800), made.graph.degrees), made.graph.indices])
    edges = "\n".join(f"{ids[a]},{ids[b]}" for a, b in pairs.tolist() if a < b)
    (folder / "edges.csv").write_text(f"source,target\n{edges}\n")
    (folder / "nodes.csv").write_text("id\n" + "\n".join(ids) + "\n")
    labels = [f"{ids[row]},class {made.labels[row]}" for row in range(0, 800, 2)]
    (folder / "labels.csv").write_text("id,label\n" + "\n".join(labels) + "\n")
    names = [f"interest {column}" for column in range(12)]
    rows = [",".join([ids[row], *map(str, made.features[row])]) for row in range(800)]
    (folder / "features.csv").write_text(f"id,{','.join(names)}\n" + "\n".join(rows) + "\n")
    (folder / "teach.toml").write_text(TEACH.format(names=", ".join(f'"{name}"' for name in names)))
    return SimpleNamespace(folder=folder, made=made, ids=ids)


@pytest.fixture(scope="module")
def planned(files):
    folder = files.folder
    graph = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--labels", folder / "labels.csv")
    said = run(
        "teach", "plan", *graph, "--epsilon", 4, "--teachers", folder / "teachers.csv", "-o", folder / "plan.parquet"
    )
    assert "teach" in said.stdout
    return files


def of_people(files, ids, name):
    """Write the features of some people to a file of their own."""
    lines = (files.folder / "features.csv").read_text().splitlines()
    wanted = set(ids)
    kept = [lines[0], *(line for line in lines[1:] if line.split(",")[0] in wanted)]
    (files.folder / name).write_text("\n".join(kept) + "\n")
    return files.folder / name


def test_the_whole_way_ends_in_classes_that_are_better_than_the_structure(planned):
    folder = planned.folder
    plan = Plan.load(folder / "plan.parquet")
    run(
        "campaign",
        "new",
        "--from",
        folder / "teach.toml",
        "--members",
        folder / "teachers.csv",
        "-o",
        folder / "teach.json",
    )
    teachers = of_people(planned, plan.teachers.tolist(), "teachers-features.csv")
    run(
        "perturb",
        "--campaign",
        folder / "teach.json",
        "--seed",
        1,
        "--features",
        teachers,
        "-o",
        folder / "taught.parquet",
    )
    said = run(
        "teach",
        "question",
        "--plan",
        folder / "plan.parquet",
        "--reports",
        folder / "taught.parquet",
        "-o",
        folder / "question.json",
    )
    assert "each by one report with epsilon 4" in said.stdout
    run(
        "campaign",
        "new",
        "--question",
        folder / "question.json",
        "--epsilon",
        4,
        "--round",
        "spring",
        "-o",
        folder / "ask.json",
    )
    ask = pg.Campaign.load(folder / "ask.json")
    assert ask.round == "spring"
    assert ask.assignment.nodes == len(plan.roles.asked)
    asked = of_people(planned, plan.structure.ids[plan.roles.asked].tolist(), "asked-features.csv")
    run(
        "perturb", "--campaign", folder / "ask.json", "--seed", 2, "--features", asked, "-o", folder / "answers.parquet"
    )
    run(
        "teach",
        "fuse",
        "--plan",
        folder / "plan.parquet",
        "--reports",
        folder / "answers.parquet",
        "-o",
        folder / "classes.parquet",
    )
    found = pyarrow.parquet.read_table(folder / "classes.parquet")
    truth = np.array([f"class {label}" for label in planned.made.labels])
    hidden = np.arange(1, 800, 2)
    order = [planned.ids.index(node) for node in found["id"].to_pylist()]
    fused = np.empty(800, dtype=object)
    fused[order] = found["class"].to_pylist()
    alone = np.empty(800, dtype=object)
    alone[[planned.ids.index(node) for node in plan.structure.ids.tolist()]] = plan.structure.predict()
    assert (fused == truth)[hidden].mean() > (alone == truth)[hidden].mean() + 0.02


def test_reports_of_people_who_do_not_teach_are_refused(planned):
    folder = planned.folder
    plan = Plan.load(folder / "plan.parquet")
    stranger = of_people(planned, [plan.structure.ids[plan.roles.asked[0]]], "stranger.csv")
    run(
        "perturb",
        "--campaign",
        folder / "teach.toml",
        "--seed",
        1,
        "--features",
        stranger,
        "-o",
        folder / "strange.parquet",
    )
    refused = run(
        "teach",
        "question",
        "--plan",
        folder / "plan.parquet",
        "--reports",
        folder / "strange.parquet",
        "-o",
        folder / "no.json",
        code=3,
    )
    assert "do not teach in this plan" in refused.output


def test_a_panel_is_said_to_have_no_local_privacy(planned):
    folder = planned.folder
    plan = Plan.load(folder / "plan.parquet")
    labelled = [node for row, node in enumerate(plan.structure.ids.tolist()) if plan.labels[row] >= 0]
    panel = of_people(planned, [node for node in labelled if node in set(plan.teachers.tolist())][:120], "panel.csv")
    said = run(
        "teach",
        "question",
        "--plan",
        folder / "plan.parquet",
        "--panel",
        panel,
        "--campaign",
        folder / "teach.toml",
        "-o",
        folder / "by-panel.json",
    )
    assert "no local privacy" in said.output
    assert "no local privacy" in (folder / "by-panel.json").read_text()
    mixed = of_people(planned, plan.structure.ids[plan.roles.asked[:3]].tolist(), "asked-panel.csv")
    refused = run(
        "teach",
        "question",
        "--plan",
        folder / "plan.parquet",
        "--panel",
        mixed,
        "--campaign",
        folder / "teach.toml",
        "-o",
        folder / "no.json",
        code=3,
    )
    assert "leave them out" in refused.output


def test_options_of_the_short_form_have_no_place_beside_a_question(planned):
    refused = run(
        "campaign",
        "new",
        "--question",
        planned.folder / "question.json",
        "--epsilon",
        4,
        "--low",
        3,
        "-o",
        planned.folder / "no.json",
        code=2,
    )
    assert "--low has no effect with --question" in refused.output


def test_the_simulation_of_own_files_prints_controls_beside_the_lift(files):
    folder = files.folder
    own = (
        "--graph",
        folder / "edges.csv",
        "--nodes",
        folder / "nodes.csv",
        "--features",
        folder / "features.csv",
        "--labels",
        folder / "labels.csv",
        "--campaign",
        folder / "teach.toml",
    )
    lines = run("simulate", "two-step", *own, "--epsilon", 4, "-o", folder / "runs.jsonl").stdout
    for method in ("graph alone", "no privacy", "taught", "other profile", "shuffled labels", "shuffled features"):
        assert method in lines
    records = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    lifts = {record["method"]: record["lift"] for record in records}
    assert lifts["taught"] > max(lifts["other profile"], lifts["shuffled features"])
    assert lifts["no privacy"] > 0


def test_a_simulation_needs_a_place(files):
    assert "Give --dataset, or" in run("simulate", "two-step", code=2).output
    both = run("simulate", "two-step", "--dataset", "demo", "--graph", files.folder / "edges.csv", code=2)
    assert "either --dataset or own files" in both.output


def test_a_simulation_reads_columns_of_any_name_and_says_which_values_do_not_fit(files):
    folder = files.folder
    edges = (folder / "edges.csv").read_text()
    (folder / "friends.csv").write_text(edges.replace("source,target", "one,other"))
    (folder / "people.csv").write_text((folder / "nodes.csv").read_text().replace("id\n", "who\n", 1))
    header, first, *rest = (folder / "features.csv").read_text().splitlines()
    wrong = ",".join([first.split(",")[0], "7", "", *first.split(",")[3:]])
    lines = [header.replace("id,", "who,", 1), wrong, *rest]
    (folder / "odd.csv").write_text("\n".join(lines) + "\n")
    (folder / "classes.csv").write_text((folder / "labels.csv").read_text().replace("id,label", "who,circle", 1))
    own = ("--nodes", folder / "people.csv", "--features", folder / "odd.csv", "--labels", folder / "classes.csv")
    called = ("--source", "one", "--target", "other", "--id-column", "who", "--campaign", folder / "teach.toml")
    tried = ("--epsilon", 4, "--no-nulls", "--label-column", "circle")
    result = run("simulate", "two-step", "--graph", folder / "friends.csv", *own, *called, *tried)
    assert "1 of 9,600 values clipped to 0..1" in result.stderr
    assert "1 of 9,600 values missing" in result.stderr
    assert "of one seed" in result.stdout


def test_labels_may_have_columns_of_their_own_and_those_of_strangers_are_counted(files):
    folder = files.folder
    rows = (folder / "labels.csv").read_text().replace("id,label", "member,role", 1)
    (folder / "roles.csv").write_text(rows + "somebody else,class 0\n")
    graph = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--id-column", "labels=member")
    plan = ("teach", "plan", *graph, "--labels", folder / "roles.csv", "--epsilon", 4, "-o", folder / "roles.parquet")
    assert "there is no column 'label' among its 2" in run(*plan, code=3).stderr
    made = run(*plan, "--label-column", "role")
    assert "roles.csv: 1 of 401 labels are of nodes that are not in the graph" in made.stderr
    (folder / "strangers.csv").write_text("member,role\nx,class 0\ny,class 1\n")
    others = (*plan[:-6], "--labels", folder / "strangers.csv", *plan[-4:])
    assert "none of the 2 labelled nodes is in the graph" in run(*others, "--label-column", "role", code=3).stderr


def test_files_are_read_once_for_all_seeds_and_divided_anew_for_each(files, monkeypatch):
    folder, read = files.folder, []
    monkeypatch.setattr(
        "privge.cli.simulate.read_graph", lambda *given, **more: read.append(1) or read_graph(*given, **more)
    )
    paths = {"graph": "edges.csv", "nodes": "nodes.csv", "features": "features.csv", "labels": "labels.csv"}
    paths["campaign"] = "teach.toml"
    none = dict.fromkeys(("source_column", "target_column", "weight_column", "header", "dataset", "data_dir"))
    own = {f"{name}_path": folder / path for name, path in paths.items()}
    options = WorldOptions(**none, **own, id_columns=(), integer_ids=False, label_column="label")
    first, second = options.worlds(range(3, 5))
    assert read == [1]
    (alone,) = options.worlds(range(4, 5))
    assert second.split.test.tolist() == alone.split.test.tolist() != first.split.test.tolist()


def test_perturb_leaves_out_whom_a_campaign_does_not_ask_and_counts_them(files):
    folder = files.folder
    (folder / "three.csv").write_text("id\np1\np2\np3\n")
    made = ("--from", folder / "teach.toml", "--members", folder / "three.csv", "-o", folder / "three.json")
    run("campaign", "new", *made)
    everybody = ("--features", folder / "features.csv", "--campaign", folder / "three.json")
    result = run("perturb", *everybody, "-o", folder / "three.parquet")
    assert "797 of 800 people are not asked, and do not report" in result.stderr
    assert pg.Reports.from_parquet(folder / "three.parquet").ids.tolist() == ["p1", "p2", "p3"]
    others = of_people(files, ["p4", "p5"], "others.csv")
    asked = ("--features", others, "--campaign", folder / "three.json")
    refused = run("perturb", *asked, "-o", folder / "none.parquet", code=3)
    assert "nobody here is asked in this campaign" in refused.output
    assert not (folder / "none.parquet").exists()


def test_labels_of_one_class_are_refused_in_words(files):
    folder = files.folder
    lines = [f"{node},tea" for node in files.ids[:100]]
    (folder / "one.csv").write_text("id,label\n" + "\n".join(lines) + "\n")
    graph = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--labels", folder / "one.csv")
    result = run("teach", "plan", *graph, "--epsilon", 4, "-o", folder / "one.parquet", code=3)
    assert "at least two classes" in result.output


def test_a_public_control_above_the_structure_is_said_and_a_lower_one_is_not():
    def said(alone):
        lifts = {"graph alone": alone, "taught": 19.0}
        found = [Summary(name, None, None, 0, 1, 60.0, {"everybody": (lift, 0.0)}) for name, lift in lifts.items()]
        return list(_stronger(found))

    (words,) = said(8.0)
    assert words.startswith("graph alone needs nobody's answers and is 8.00 points above")
    assert not said(-5.0)
