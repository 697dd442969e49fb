"""``--id-column``: one name for all tables, or one for each; wherever ids decide who is who."""

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.cli.ids import IdOptions


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_a_table_has_its_own_name_or_that_of_all_tables_or_id():
    ids = IdOptions(id_columns=("user", "labels=person", "nodes=a=b"), integer_ids=False)
    assert (ids.id_column, ids.column_in("labels"), ids.column_in("features")) == ("user", "person", "user")
    assert ids.column_in("nodes") == "a=b", "a name may have an equals sign, if the table is named"
    assert ids.of("labels").id_column == "person"
    assert IdOptions(id_columns=("labels=person",), integer_ids=False).column_in("features") == "id"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ids")
    people = [f"{number:03}" for number in range(60)]
    edges = [(one, people[(row * step + step) % 60]) for row, one in enumerate(people) for step in (1, 2, 7)]
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges if a != b))
    (folder / "nodes.csv").write_text("id\n" + "\n".join(people) + "\n")
    table = "".join(f"{one},{row % 2},{row % 5 / 4}\n" for row, one in enumerate(people))
    (folder / "features.csv").write_text("user,a,b\n" + table)
    (folder / "labels.csv").write_text("person,team\n" + "".join(f"{one},{'xy'[int(one) % 2]}\n" for one in people))
    (folder / "groups.csv").write_text("member,group\n" + "".join(f"{one},{'xy'[int(one) % 2]}\n" for one in people))
    return folder


def test_embed_reads_nodes_and_features_by_their_own_columns(folder, tmp_path):
    files = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--features", folder / "features.csv")
    arguments = ("embed", *files, "--epsilon", 1, "--k", 1, "-o", tmp_path / "z.parquet")
    assert run(*arguments, "--id-column", "user").exit_code == 3
    result = run(*arguments, "--id-column", "features=user")
    assert result.exit_code == 0, result.stderr
    assert pg.Embedding.load(tmp_path / "z.parquet").ids[7] == "007"


def test_profile_reads_groups_by_their_own_column(folder, tmp_path):
    features = ("--features", folder / "features.csv", "--id-column", "user", "--epsilon", 4, "--k", 1)
    assert run("perturb", *features, "-o", tmp_path / "r.parquet").exit_code == 0
    groups = ("--reports", tmp_path / "r.parquet", "--groups", folder / "groups.csv")
    assert run("profile", *groups, "--id-column", "groups=member").exit_code == 0
    refused = run("profile", *groups, "--id-column", "people=member")
    assert (refused.exit_code, "there is no table 'people' here" in " ".join(refused.stderr.split())) == (2, True)


def test_evaluate_reads_three_tables_by_three_columns(folder, tmp_path):
    files = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--features", folder / "features.csv")
    labels = ("--labels", folder / "labels.csv", "--label-column", "team", "--task", "nodes", "--repeats", 1)
    columns = ("--id-column", "features=user", "--id-column", "labels=person")
    arguments = ("evaluate", *files, *labels, "--head", "paper", "--results", tmp_path / "e")
    result = run(*arguments, *columns)
    assert result.exit_code == 0, result.output
    refused = run(*arguments, "--id-column", "user")
    assert refused.exit_code == 3
    assert "nodes.csv: there is no column 'user'" in refused.stderr


def test_a_file_that_is_not_what_its_option_wants_is_named_and_said_to_be_what(folder, tmp_path):
    graph = ("--graph", folder / "edges.csv", "--reports", folder / "features.csv", "--labels", folder / "labels.csv")
    result = run("classify", *graph, "--id-column", "person", "--label-column", "team", "-o", tmp_path / "p.csv")
    assert result.exit_code == 3
    assert "features.csv: this is not a file of reports, as devices or `privge perturb` make them" in result.stderr
