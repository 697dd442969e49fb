"""``privge profile``: files in, a table, a picture and an object out."""

import json
import operator
from contextlib import closing
from datetime import date

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.collect.stores import Upload, open_store


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    people = 3000
    ids = [f"u{node}" for node in range(people)]
    low = np.repeat([[0.1, 0.5, 0.9], [0.6, 0.5, 0.2], [0.1, 0.1, 0.1]], [1600, 1380, 20], axis=0)
    names = ("a $x$ & <b>", "same", "third")
    c = pg.Campaign(dimensions=3, low=0, high=1, mechanism="multibit", epsilon=2.0, k=1, names=names)
    c.save(folder / "campaign.json")
    c.simulate(low, ids=ids, seed=1).to_parquet(folder / "reports.parquet")
    groups = np.repeat(["north", "south", "tiny"], [1600, 1380, 20])
    rows = "".join(f"{node},{group}\n" for node, group in zip(ids, groups, strict=True))
    (folder / "groups.csv").write_text("id,group\n" + rows)
    starts = {"north": (0, 1600), "south": (1600, 2980), "tiny": (2980, 3000)}
    generator = np.random.default_rng(0)
    edges = [(node, generator.integers(*starts[group])) for node, group in enumerate(groups) for _ in range(4)]
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"u{a},u{b}\n" for a, b in edges if a != b))
    return folder


def test_the_table_says_who_differs_and_what_cannot_be_told(folder):
    done = run("profile", "--reports", folder / "reports.parquet", "--groups", folder / "groups.csv")
    assert done.exit_code == 0, done.output
    assert "4 of 9 means differ from the rest, 2 show no difference, 3 cannot be told" in done.output
    assert "with the groups dealt out at random, 0 would be shown as different" in done.output
    assert any(line.startswith("north") and line.endswith("higher") for line in done.stdout.splitlines())


def test_json_has_every_mean(folder):
    done = run("-q", "profile", "--reports", folder / "reports.parquet", "--groups", folder / "groups.csv", "--json")
    told = json.loads(done.stdout)
    assert (told["cells"], len(told["means"]), told["cannot_be_told"]) == (9, 9, 3)
    north = next(each for each in told["means"] if each["group"] == "north" and each["feature"] == "third")
    assert north["low"] <= 0.9 <= north["high"]
    assert north["finding"] == "higher"
    assert told["missing_values"]["count_as"] == {"every feature": "the middle of its bounds"}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_all_means_are_written_to_a_table(folder, tmp_path, suffix):
    output = tmp_path / f"p{suffix}"
    done = run("profile", "--reports", folder / "reports.parquet", "--groups", folder / "groups.csv", "-o", output)
    assert done.exit_code == 0, done.output
    table = pq.read_table(output) if suffix == ".parquet" else pa_csv.read_csv(output)
    assert table.num_rows == 9
    assert {"group", "feature", "mean", "low", "high", "finding"} <= set(table.column_names)


@pytest.mark.parametrize("name", ["p.html", "p.svg", "p.png"])
def test_a_picture_is_drawn(folder, tmp_path, name):
    picture = tmp_path / name
    done = run(
        "profile", "--reports", folder / "reports.parquet", "--groups", folder / "groups.csv", "--picture", picture
    )
    assert done.exit_code == 0, done.output
    content = picture.read_bytes()
    if name.endswith(".html"):
        assert b"cannot be told" in content
        assert b"a $x$ &amp; &lt;b&gt;" in content  # names are text, never markup
        assert b"dealt out at random" in content
    elif name.endswith(".svg"):
        assert b"<svg" in content
    else:
        assert content.startswith(b"\x89PNG")


def test_communities_of_the_graph_take_the_place_of_groups(folder):
    reports, edges = folder / "reports.parquet", folder / "edges.csv"
    done = run("profile", "--reports", reports, "--communities", "--graph", edges, "--resolution", 0.05, "--json")
    told = json.loads(done.stdout)
    assert {each["group"] for each in told["means"]} == {"community 1", "community 2", "community 3"}
    assert told["differences"] == 4


def test_a_store_is_read_as_a_file_is(folder, tmp_path):
    reports = pg.Reports.from_parquet(folder / "reports.parquet")
    place = str(tmp_path / "s.db")
    with closing(open_store(place)) as store:
        store.add_campaign(reports.campaign)
        codes = [row.astype("<u2").tobytes() for row in reports.codes]
        uploads = [Upload(*each) for each in zip(reports.ids.tolist(), codes, strict=True)]
        store.put(reports.campaign.id, uploads, day=date(2027, 1, 1))
    arguments = ("profile", "--groups", folder / "groups.csv", "--json")
    from_store = json.loads(run(*arguments, "--store", place).stdout)
    from_file = json.loads(run(*arguments, "--reports", folder / "reports.parquet").stdout)
    key = operator.itemgetter("group", "feature")
    for one, other in zip(sorted(from_store["means"], key=key), sorted(from_file["means"], key=key), strict=True):
        assert one["low"] == pytest.approx(other["low"])


def test_a_campaign_alone_says_what_to_expect(folder):
    done = run("profile", "--campaign", folder / "campaign.json", "--groups", folder / "groups.csv")
    assert done.exit_code == 0, done.output
    assert "±6           north (1,600 people)" in done.output  # .98 / (tanh 1 sqrt(1600 / 3))
    assert "tiny (20 people)  cannot be told" in done.output
    told = json.loads(
        run("profile", "--campaign", folder / "campaign.json", "--groups", folder / "groups.csv", "--json").stdout
    )
    assert told["groups"][0]["half_width_most"] == pytest.approx(0.98 / np.tanh(1) / np.sqrt(1600 / 3), rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--reports", "reports.parquet"], "Give either --groups"),
        (["--reports", "reports.parquet", "--groups", "groups.csv", "--communities"], "Give either --groups"),
        (["--reports", "reports.parquet", "--communities"], "--communities needs --graph"),
        (
            ["--reports", "reports.parquet", "--groups", "groups.csv", "--graph", "edges.csv"],
            "no effect without --comm",
        ),
        (["--groups", "groups.csv"], "Give --reports or --store"),
        (["--reports", "reports.parquet", "--groups", "groups.csv", "-o", "p.txt"], "must end in .csv or .parquet"),
        (["--reports", "reports.parquet", "--groups", "absent.csv"], "absent.csv: no such file"),
    ],
)
def test_what_does_not_go_together_is_told(folder, monkeypatch, arguments, told):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PRIVGE_STORE", raising=False)
    done = run("profile", *arguments)
    assert done.exit_code in (2, 3)
    assert told in done.output


def test_without_igraph_the_message_says_how_to_get_it(folder, monkeypatch):
    monkeypatch.setattr("privge._imports.installed.find_spec", lambda name: None if name == "igraph" else object())
    done = run("profile", "--reports", folder / "reports.parquet", "--communities", "--graph", folder / "edges.csv")
    assert done.exit_code == 1
    assert "pip install 'privge[communities]'" in done.output
