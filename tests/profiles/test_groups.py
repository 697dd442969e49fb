"""Public groups: from a table, or from the graph."""

import numpy as np
import pandas as pd
import pytest

import privge as pg
from privge.errors import BadData
from privge.profiles import Groups, find_communities, read_groups


def test_the_largest_group_comes_first():
    groups = Groups.of({"a": "x", "b": "y", "c": "y", "d": None})
    assert groups.names == ("y", "x")
    assert groups.sizes.tolist() == [2, 1]
    assert groups.rows(np.array(["c", "d", "a"], dtype=object)).tolist() == [0, 2, 1]


def test_groups_are_read_by_their_columns(tmp_path):
    (tmp_path / "g.csv").write_text("person,region\n1,07\n2,07\n3,8\n")
    groups = read_groups(tmp_path / "g.csv", group_column="region", id_column="person")
    assert groups.names == ("07", "8")
    assert groups.ids.tolist() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,group\na,x\na,y\n", "line 3: this id appears twice"),
        ("id,label\na,x\n", "there is no column 'group'"),
        ("id,group\na,\n", "nobody is in a group"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_by_its_line(tmp_path, text, told):
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(BadData, match=told):
        read_groups(tmp_path / "g.csv")


def test_whoever_has_no_group_in_the_table_is_in_none_and_counted(tmp_path):
    (tmp_path / "g.csv").write_text("id,group\na,x\nb,\nc,y\nd, \n")
    groups = read_groups(tmp_path / "g.csv")
    assert groups.ids.tolist() == ["a", "c"]
    assert groups.blank == groups.largest(1).blank == 2


def test_the_smaller_groups_can_be_left_out():
    groups = Groups.of({node: f"g{node % 5 if node > 20 else 0}" for node in range(100)}).largest(2)
    assert len(groups) == 2
    assert len(groups.ids) == groups.sizes.sum()


def planted(groups=4, people=30, seed=0):
    generator, edges = np.random.default_rng(seed), []
    for group in range(groups):
        for node in range(people):
            others = generator.choice(people, 6, replace=False)
            edges += [(group * people + node, group * people + other) for other in others if other != node]
        edges.append((group * people, (group * people + people) % (groups * people)))
    return pg.as_graph(np.array(edges))


def test_communities_are_found_and_named_by_size():
    found = find_communities(planted())
    assert len(found) == 4
    assert found.names[0] == "community 1"
    for community in range(4):
        members = found.ids[found.places == community]
        assert len({int(node) // 30 for node in members}) == 1


def test_communities_are_the_same_for_the_same_seed():
    graph = pg.as_graph(np.random.default_rng(1).integers(0, 200, (900, 2)))
    one, two = (find_communities(graph, seed=3) for _ in range(2))
    assert np.array_equal(one.places, two.places)
    assert np.array_equal(one.ids, two.ids)


@pytest.mark.parametrize("near", [20_000, 100], ids=["by id", "neighbours brought close"])
@pytest.mark.parametrize("weighted", [False, True])
def test_communities_do_not_depend_on_the_order_of_rows(near, weighted, monkeypatch):
    monkeypatch.setattr("privge.structure.order.NEAR", near)
    generator = np.random.default_rng(1)
    edges, names = generator.integers(0, 300, (900, 2)), np.array([f"usr_{node}" for node in range(300)])
    weights = generator.integers(1, 5, 900) * 1.0
    found = []
    for turn in range(4):
        order, nodes = (generator.permutation(count) if turn else np.arange(count) for count in (900, 300))
        table = {"source": names[edges[order, 0]], "target": names[edges[order, 1]]}
        more = {"weight": weights[order]} if weighted else {}
        graph = pg.as_graph(pd.DataFrame({**table, **more}), weight=weighted, nodes=names[nodes])
        groups = find_communities(graph, smallest=2)
        found.append({node: groups.names[place] for node, place in zip(groups.ids, groups.places, strict=True)})
    assert len(set(found[0].values())) > 2
    assert all(each == found[0] for each in found)


def test_finding_communities_leaves_the_random_numbers_of_others_alone():
    import random

    random.seed(5)
    expected = random.random()  # noqa: S311
    random.seed(5)
    find_communities(planted())
    assert random.random() == expected  # noqa: S311


def test_people_without_a_neighbour_are_in_no_community():
    graph = pg.as_graph(np.array([[0, 1], [1, 2], [0, 2], [3, 4]]), nodes=range(6))
    assert set(find_communities(graph, smallest=2).ids.tolist()) == {0, 1, 2, 3, 4}
    assert set(find_communities(graph, smallest=3).ids.tolist()) == {0, 1, 2}
    with pytest.raises(BadData, match="no community of 10 people"):
        find_communities(graph)
