"""The made-up platform has the figures that its page states: uneven friendships, few labels, a table that matters."""

import numpy as np
import pyarrow as pa
import pytest

from privge.datasets import platform_network


@pytest.fixture(scope="module")
def platform():
    return platform_network(seed=20)


def test_friendships_are_uneven_and_one_person_in_nine_has_two_friends_at_most(platform):
    degrees = platform.graph.degrees
    assert platform.graph.nodes == 50_000
    assert degrees.mean() == pytest.approx(25.4, abs=0.2)
    assert np.percentile(degrees, [10, 25, 50, 75, 95]) == pytest.approx([2, 8, 16, 29, 79], abs=1)
    assert (degrees <= 2).mean() == pytest.approx(0.113, abs=0.005)


def test_two_in_three_friendships_are_inside_a_community(platform):
    links = platform.graph.to_scipy().tocoo()
    inside = platform.communities[links.row] == platform.communities[links.col]
    assert inside.mean() == pytest.approx(0.67, abs=0.01)


def test_the_table_is_mixed_and_what_is_public_describes_it(platform):
    kinds = [attribute.kind for attribute in platform.attributes]
    assert [kinds.count(kind) for kind in ("yes-no", "number", "choice")] == [8, 7, 1]
    assert platform.table.column_names == ["id", *(attribute.name for attribute in platform.attributes)]
    assert platform.table["id"].to_numpy().tolist() == platform.graph.ids.tolist()
    for attribute in platform.attributes:
        column = platform.table[attribute.name]
        if attribute.kind == "yes-no":
            assert column.type == pa.bool_()
        elif attribute.kind == "choice":
            assert set(column.to_pylist()) == set(attribute.values)
        else:
            assert attribute.low <= column.to_numpy().min() < column.to_numpy().max() <= attribute.high


def test_numbers_are_the_table_with_a_column_for_each_value_of_a_choice(platform):
    numbers = platform.numbers()
    assert numbers.shape == (50_000, 8 + 7 + 8)
    assert (numbers[:, 15:].sum(axis=1) == 1).all()
    person = platform.table.slice(7, 1).to_pylist()[0]
    regions = platform.attributes[-1].values
    assert numbers[7, 15 + regions.index(person["region"])] == 1
    assert numbers[7, 8] == person["share of video"]
    assert numbers[7, 0] == person["follows sports"]


@pytest.mark.parametrize(("classes", "best"), [(2, 0.798), (4, 0.759)])
def test_the_best_possible_accuracy_is_that_of_the_page(classes, best):
    platform = platform_network(seed=20, classes=classes)
    assert platform.probabilities.max(axis=1).mean() == pytest.approx(best, abs=0.005)
    hit = platform.probabilities.argmax(axis=1) == platform.labels
    spread = np.sqrt(best * (1 - best) / 50_000)
    assert hit.mean() == pytest.approx(best, abs=0.005 + 4 * spread)
    assert np.bincount(platform.labels).min() > 0.2 * 50_000


def test_one_person_in_twenty_is_labelled_and_nobody_is_in_two_parts(platform):
    assert (len(platform.train), len(platform.validation), len(platform.test)) == (2000, 500, 47_500)
    parts = np.concatenate([platform.train, platform.validation, platform.test])
    assert np.array_equal(np.sort(parts), np.arange(50_000))
    known = platform.known_labels()
    assert (known[platform.test] == -1).all()
    assert np.array_equal(known[platform.train], platform.labels[platform.train])
    assert np.array_equal(known[platform.validation], platform.labels[platform.validation])


def test_the_same_seed_makes_the_same_platform_and_classes_change_the_labels_alone():
    one, two, four, other = (
        platform_network(1000, classes=classes, seed=seed) for classes, seed in ((2, 3), (2, 3), (4, 3), (2, 4))
    )
    assert one.graph.fingerprint == two.graph.fingerprint == four.graph.fingerprint != other.graph.fingerprint
    assert one.table.equals(two.table)
    assert one.table.equals(four.table)
    assert np.array_equal(one.labels, two.labels)
    assert set(four.labels.tolist()) == {0, 1, 2, 3}
    assert np.array_equal(one.train, four.train)


@pytest.mark.parametrize(("given", "rule"), [({"people": 199}, "people must be"), ({"classes": 1}, "classes must be")])
def test_a_platform_without_labels_is_refused(given, rule):
    with pytest.raises(ValueError, match=rule):
        platform_network(**given)
