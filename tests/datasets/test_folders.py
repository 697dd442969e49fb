"""Datasets of one's own: joined by names, every kind of column, what does not meet counted, errors that say where."""

import logging

import numpy as np
import pandas as pd
import pytest

from privge.datasets import Dataset, Rules, load
from privge.datasets.catalogue import DATASETS
from privge.datasets.export import write_folder
from privge.datasets.folders import described_in
from privge.errors import BadData, DatasetCorrupt, DatasetMissing
from privge.questions import ChoiceFeature, Encoding, NumberFeature, YesNoFeature

TOML = """
title = "Five people"
[files]
edges = "friends.csv"
features = "people.csv"
labels = "known.csv"
[columns]
source = "who"
target = "whom"
id = "person"
label = "group"
[[features]]
kind = "number"
name = "age"
low = 0
high = 100
[[features]]
kind = "yes-no"
name = "reads"
[[features]]
kind = "choice"
name = "town"
values = ["north", "south", "other"]
"""
FILES = {
    "dataset.toml": TOML,
    "friends.csv": "who,whom,since\nann,bob,2001\nbob,cid,2002\ncid,cid,2003\n",
    "people.csv": "person,town,age,reads,shoe\ndan,south,50,no,1\nann,north,25,yes,2\nbob,,,,3\ncid,mars,200,true,4\n",
    "known.csv": "person,group\nbob,red\nann,blue\neve,red\ndan,\n",
}
ENCODING = Encoding(
    (NumberFeature("age", 0, 100), YesNoFeature("reads"), ChoiceFeature("town", ("north", "south", "other")))
)


def written(folder, **changes):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**FILES, **{name.replace("_", "."): text for name, text in changes.items()}}.items():
        (folder / name).write_text(text)
    return folder


def frame(dataset):
    return pd.DataFrame(dataset.features.toarray(), index=dataset.graph.ids, columns=dataset.names)


def test_rows_are_joined_by_name_and_every_kind_becomes_columns_from_0_to_1(tmp_path):
    data = Dataset.from_folder(written(tmp_path / "five"))
    assert data.graph.ids.tolist() == ["ann", "bob", "cid", "dan"]  # dan has features and no friends
    assert frame(data).round(2).T.to_dict() == {
        "ann": {"age": 0.25, "reads": 1, "town=north": 1, "town=south": 0, "town=other": 0},
        "bob": {"age": 0.5, "reads": 0, "town=north": 0, "town=south": 0, "town=other": 1},
        "cid": {"age": 1, "reads": 1, "town=north": 0, "town=south": 0, "town=other": 1},
        "dan": {"age": 0.5, "reads": 0, "town=north": 0, "town=south": 1, "town=other": 0},
    }
    assert (data.low, data.high, data.name) == (0, 1, "five")
    assert data.encoding == ENCODING
    assert data.people.texts(2).tolist() == ["north", None, "mars", "south"]  # raw, for questions


def test_labels_are_classes_by_name_and_whoever_has_none_is_unknown(tmp_path):
    data = load(str(written(tmp_path / "five")))
    assert data.classes == ("blue", "red")
    assert dict(zip(data.graph.ids.tolist(), data.labels.tolist(), strict=True)) == {
        "ann": 0,
        "bob": 1,
        "cid": -1,
        "dan": -1,
    }


def test_the_order_of_lines_does_not_matter(tmp_path):
    turned = {
        name: "\n".join([text.splitlines()[0], *reversed(text.splitlines()[1:])]) + "\n"
        for name, text in FILES.items()
        if name.endswith(".csv")
    }
    one = load(str(written(tmp_path / "one")))
    two = load(str(written(tmp_path / "two", **turned)))
    assert one.graph.fingerprint == two.graph.fingerprint
    assert (one.features != two.features).nnz == 0
    assert one.labels.tolist() == two.labels.tolist()


def test_what_does_not_meet_is_counted_and_said(tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="privge"):
        load(
            str(
                written(
                    tmp_path / "five",
                    nodes_csv="person\nann\nbob\ncid\nfay\n",
                    dataset_toml=TOML.replace("[columns]", 'nodes = "nodes.csv"\n[columns]'),
                )
            )
        )
    said = caplog.text
    assert "left out the features of 1 ids that are not nodes" in said  # dan
    assert "left out the labels of 2 ids that are not nodes" in said  # dan and eve
    assert "1 of 4 nodes have no features" in said  # fay
    assert "age: 1 of 4" in said  # cid's 200, clipped
    assert "'since' is not used" in said
    assert "'shoe'" in said


def test_nodes_stand_in_the_order_of_their_table(tmp_path):
    text = TOML.replace("[columns]", 'nodes = "nodes.csv"\n[columns]')
    data = load(str(written(tmp_path / "five", nodes_csv="person\ncid\nbob\nann\ndan\n", dataset_toml=text)))
    assert data.graph.ids.tolist() == ["cid", "bob", "ann", "dan"]
    assert frame(data)["age"].round(2).tolist() == [1, 0.5, 0.25, 0.5]


NUMBERS = {
    "dataset_toml": 'missing = "low"\n[files]\nedges = "friends.csv"\nfeatures = "people.csv"\n[columns]\nsource = '
    '"who"\ntarget = "whom"\n',
    "people_csv": "id,a,b\nann,0.5,1\nbob,,0\ncid,1,0.25\n",
}


def test_a_table_of_numbers_needs_no_kinds(tmp_path):
    data = load(str(written(tmp_path / "five", **NUMBERS)))
    assert data.features.toarray().tolist() == [[0.5, 1], [0, 0], [1, 0.25]]
    assert (data.names, data.classes, data.labels.tolist()) == (("a", "b"), (), [-1, -1, -1])


def test_numbers_beyond_bounds_that_nobody_stated_are_refused_and_stated_ones_clip(tmp_path):
    beyond = {**NUMBERS, "people_csv": "id,a,b\nann,0.5,1\nbob,70,0\ncid,1,0.25\n"}
    with pytest.raises(BadData, match=r"1 of 2 columns have values outside 0..1.*'a' \(1 of 3 values\).*dataset.toml"):
        load(str(written(tmp_path / "five", **beyond)))
    stated = {**beyond, "dataset_toml": "high = 10\n" + NUMBERS["dataset_toml"]}
    data = load(str(written(tmp_path / "five", **stated)))
    assert data.features.toarray().max() == data.high == 10


def test_zeros_below_the_lower_bound_are_clipped_too(tmp_path):
    stated = {**NUMBERS, "dataset_toml": "low = 0.2\n" + NUMBERS["dataset_toml"]}
    data = load(str(written(tmp_path / "five", **stated)))
    assert data.features.toarray().min() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("dataset.toml", "[columns]", "[colums]", r"dataset.toml: a dataset has no 'colums' \(is it 'columns'\?\)"),
        ("dataset.toml", 'id = "person"', 'ids = "person"', "dataset.toml: columns has no 'ids'"),
        ("dataset.toml", 'kind = "yes-no"', 'kind = "maybe"', r"dataset.toml: features\[1\]: kind must be one of"),
        ("dataset.toml", "high = 100", "high = -1", r"dataset.toml: features\[0\]: "),
        ("dataset.toml", 'labels = "known.csv"', 'lables = "known.csv"', "dataset.toml: files has no 'lables'"),
        ("dataset.toml", 'features = "people.csv"', "", "dataset.toml: files lacks 'features'"),
        (
            "dataset.toml",
            "title",
            'format = "excel"\ntitle',
            "format must be one of planetoid, musae, synthetic, tables",
        ),
        ("dataset.toml", "title", 'name = "../x"\ntitle', "the name '../x' must be letters"),
        ("dataset.toml", "title", "low = 1\ntitle", "leave out low and high"),
        ("dataset.toml", "title", "= 3\ntitle", "this is not TOML"),
        ("dataset.toml", "people.csv", "peopel.csv", "peopel.csv is not there; put it there, or correct"),
        ("dataset.toml", 'name = "age"', 'name = "Age"', r"people.csv: there is no column for 1 of 3 features: 'Age'"),
        ("friends.csv", "who,whom", "a,b", r"friends.csv, line 1: there is no column 'who'"),
        ("friends.csv", "bob,cid", "bob,", r"friends.csv, line 3: an edge lacks its target"),
        ("people.csv", "bob,", "ann,", r"people.csv, line 4: this id appears twice"),
        ("people.csv", "cid,mars", "cid,mars,1,2", r"people.csv, line 5: 7 fields where the first line has 5"),
        ("known.csv", "group", "grup", "known.csv: there is no column 'group'"),
    ],
)
def test_errors_say_where_and_what(tmp_path, name, old, new, said):
    assert old in FILES[name]
    folder = written(tmp_path / "five", **{name.replace(".", "_"): FILES[name].replace(old, new, 1)})
    with pytest.raises(BadData, match=said):
        load(str(folder))


def test_text_where_numbers_are_expected_says_how_to_state_kinds(tmp_path):
    folder = written(tmp_path / "five", **{**NUMBERS, "people_csv": "id,a\nann,x\nbob,1\n"})
    with pytest.raises(BadData, match=r"people.csv, line 2: feature 'a' is not a number but text.*\[\[features\]\]"):
        load(str(folder))


def test_text_where_a_kind_is_stated_as_a_number_says_which_of_both_to_correct(tmp_path):
    folder = written(tmp_path / "five", people_csv=FILES["people.csv"].replace("ann,north,25", "ann,north,old"))
    with pytest.raises(BadData, match=r"line 3: feature 'age' is text, where \[\[features\]\] state a number"):
        load(folder)


def test_columns_that_are_left_out_are_those_of_the_dataset(tmp_path, caplog):
    load(written(tmp_path / "five"))
    assert "left out 1 column that is not a feature of the dataset: 'shoe'" in caplog.messages


def test_one_na_does_not_make_a_column_of_numbers_vanish(tmp_path):
    folder = written(tmp_path / "five", people_csv=FILES["people.csv"].replace("ann,north,25", "ann,north,NA"))
    with pytest.raises(BadData, match=r"people.csv, line 3: feature 'age' is not a number.*leave the field empty"):
        load(folder)


def test_a_folder_without_a_description_is_no_dataset(tmp_path):
    with pytest.raises(DatasetMissing, match=r"there is no dataset\.toml in this folder"):
        load(tmp_path)
    with pytest.raises(DatasetMissing, match="there is no such folder"):
        load(str(tmp_path / "nowhere"))


def test_a_stated_checksum_is_checked(tmp_path):
    text = TOML.replace('edges = "friends.csv"', f'edges = {{ name = "friends.csv", sha256 = "{"0" * 64}" }}')
    folder = written(tmp_path / "five", dataset_toml=text)
    with pytest.raises(DatasetCorrupt, match=r"friends.csv: the checksum is not that of the published file"):
        load(folder)
    assert (folder / "friends.csv").exists()  # somebody's own files are never removed


def test_the_catalogue_and_folders_are_read_by_the_same_code(tmp_path):
    """The made-up dataset of the catalogue, as a folder with the entry that the catalogue has."""
    (tmp_path / "dataset.toml").write_text('name = "synthetic"\nformat = "synthetic"\n')
    own, listed = load(tmp_path), load("synthetic")
    assert described_in(tmp_path).read.func is DATASETS["synthetic"].read.func
    assert own.graph.fingerprint == listed.graph.fingerprint
    assert (own.features != listed.features).nnz == 0


@pytest.mark.parametrize("make", [lambda tmp_path: load(written(tmp_path / "five")), lambda _: load("synthetic")])
def test_what_was_exported_is_read_again(tmp_path, make):
    data = make(tmp_path)
    write_folder(data, tmp_path / "again")
    again = load(tmp_path / "again")
    assert again.graph.fingerprint == data.graph.fingerprint
    assert (again.features != data.features).nnz == 0
    assert again.features.dtype == data.features.dtype
    assert (again.labels.tolist(), again.classes, again.name) == (data.labels.tolist(), data.classes, data.name)
    assert (again.low, again.high, again.encoding) == (data.low, data.high, data.encoding)


def test_an_export_overwrites_nothing(tmp_path):
    with pytest.raises(BadData, match="is there already"):
        write_folder(load("synthetic"), tmp_path)


def test_frames_are_joined_as_files_are(tmp_path):
    files = load(written(tmp_path / "five"))
    read = {name: pd.read_csv(tmp_path / "five" / name) for name in FILES if name.endswith(".csv")}
    edges = read["friends.csv"].rename(columns={"who": "source", "whom": "target"})
    people = read["people.csv"].rename(columns={"person": "id"})
    known = read["known.csv"].rename(columns={"person": "id", "group": "label"})
    for labels in (known, known.set_index("id")["label"], dict(zip(known["id"], known["label"], strict=True))):
        data = Dataset.from_frames(edges, people, labels, rules=Rules(ENCODING))
        assert data.graph.fingerprint == files.graph.fingerprint
        assert (data.features != files.features).nnz == 0
        assert (data.labels.tolist(), data.classes) == (files.labels.tolist(), files.classes)


def test_frames_of_numbers_need_public_bounds():
    people = pd.DataFrame({"id": ["a", "b"], "age": [20, 70]})
    with pytest.raises(BadData, match=r"state public bounds.*low= and high="):
        Dataset.from_frames([("a", "b")], people)
    data = Dataset.from_frames([("a", "b")], people, rules=Rules(low=0, high=100))
    assert data.features.toarray().tolist() == [[20], [70]]


def test_a_data_of_pytorch_geometric_is_a_dataset():
    torch = pytest.importorskip("torch")

    class Data:  # as much of it as is read
        edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        num_nodes = 4
        x = torch.tensor([[0.0, 1.0], [0.5, 0.0], [1.0, 1.0], [0.0, 0.0]])
        y = torch.tensor([1, 0, -1, 1])

    data = Dataset.from_pyg(Data())
    assert data.features.toarray().tolist() == Data.x.tolist()
    assert (data.labels.tolist(), data.classes, data.graph.edges) == ([1, 0, -1, 1], ("0", "1"), 2)


def test_ids_are_names_whatever_their_type(tmp_path):
    """Edges with numbers in text, features in Parquet with integers: 7 and "7" are one node."""
    pd.DataFrame({"id": [10, 9], "a": [1.0, 0.5]}).to_parquet(tmp_path / "x.parquet")
    (tmp_path / "edges.csv").write_text("source,target\n9,10\n")
    (tmp_path / "dataset.toml").write_text('[files]\nedges = "edges.csv"\nfeatures = "x.parquet"\n')
    data = load(tmp_path)
    found = dict(zip(map(str, data.graph.ids.tolist()), np.asarray(data.features.todense()).ravel(), strict=True))
    assert found == {"9": 0.5, "10": 1.0}


def test_ids_that_never_meet_are_refused(tmp_path):
    text = TOML.replace("[columns]", 'nodes = "nodes.csv"\n[columns]')
    with pytest.raises(BadData, match="none of the 4 ids with features is a node"):
        load(written(tmp_path / "five", dataset_toml=text, nodes_csv="person\nx\ny\n", friends_csv="who,whom\nx,y\n"))
