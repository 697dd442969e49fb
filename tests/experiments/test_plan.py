"""The paper's tables and figures as data."""

from dataclasses import replace

import pytest

from privge.datasets import DATASETS
from privge.errors import BadData
from privge.experiments.cell import Cell
from privge.experiments.plan import HDS, datasets, k_cells, rival_k, scale_cells, task_plan
from privge.experiments.run import noise_seed
from privge.experiments.selection import Selection
from privge.mechanisms import MultiBit, NoPrivacy, Piecewise, StructureOnly
from privge.tasks import LinkPredictor, NodeClassifier


@pytest.mark.parametrize("task", ["nodes", "links"])
def test_every_dataset_has_settings_that_its_head_takes(task):
    head = NodeClassifier if task == "nodes" else LinkPredictor
    plan = task_plan(task)
    assert set(plan.datasets) == set(DATASETS)
    for settings in plan.datasets.values():
        head(**settings.head)
        assert 0 < settings.alpha < 1
        assert 0 <= settings.r <= 1


def test_the_paper_s_table_is_complete():
    plan = task_plan("links")
    for dataset in ("cora", "pubmed", "lastfm", "facebook", "wikipedia"):
        values = [plan.paper_value(cell) for cell in plan.cells(dataset)]
        assert sum(value is not None for value in values) == 4 * 4
        assert plan.paper_value(Cell("links", dataset, NoPrivacy)) is not None


def test_the_paper_s_number_is_shown_only_beside_the_same_k():
    plan = task_plan("links")
    assert plan.paper_value(Cell("links", "cora", HDS, 1, 1)) == 82.4
    assert plan.paper_value(Cell("links", "cora", HDS, 1, 20)) is None
    assert plan.paper_value(Cell("links", "cora", MultiBit, 5, rival_k(MultiBit, 5))) == 76.6
    assert plan.paper_value(Cell("links", "cora", MultiBit, 5, 1)) is None


def test_rivals_get_one_feature_for_each_so_much_epsilon():
    assert [rival_k(Piecewise, epsilon) for epsilon in (0.01, 1, 2.5, 4.9, 5)] == [1, 1, 1, 1, 2]
    assert [rival_k(MultiBit, epsilon) for epsilon in (2.17, 2.18, 5)] == [1, 1, 2]


def test_controls_have_the_shape_of_the_cells():
    cells = Selection("k", ("cora",)).cells()
    controls = [cell for cell in Selection("k").with_controls(cells) if cell.method is StructureOnly]
    assert {(cell.task, cell.k) for cell in controls} == {(cell.task, cell.k) for cell in cells}
    assert len(cells) == len(k_cells("nodes", "cora")) * 2 == 42


def test_shuffled_features_are_a_control_of_every_budget_and_differ_in_the_features_alone():
    cells = Selection("all", ("cora",)).cells()
    planned = Selection("all").with_controls(cells)
    shuffled = {cell for cell in planned if cell.features == "shuffled"}
    assert shuffled == {replace(cell, features="shuffled") for cell in cells if cell.epsilon is not None}
    assert len(shuffled) > 90
    for cell in shuffled:
        assert noise_seed(cell, 3) == noise_seed(replace(cell, features="own"), 3)
        assert task_plan(cell.task).paper_value(cell) is None


def test_the_scale_of_the_inputs_is_compared_on_the_same_noise():
    cells = scale_cells("nodes", "cora")
    assert {cell.form for cell in cells} == {"scaled", "paper"}
    assert len(cells) == 2 * 2 * 4
    for cell in cells:
        assert noise_seed(cell, 3) == noise_seed(replace(cell, form="scaled"), 3)
        assert (task_plan("nodes").settings(cell).head["scaling"] == "none") == (cell.form == "paper")


def test_every_cell_of_everything_is_asked_for_once():
    cells = Selection("all", tuple(datasets())).cells()
    assert len(cells) == len(set(cells))


@pytest.mark.parametrize(("asked", "said"), [({"epsilons": (1.5,)}, "epsilon 1.5"), ({"ks": (7_777,)}, "k 7777")])
def test_a_budget_that_no_experiment_has_is_refused_and_those_there_are_named(asked, said):
    with pytest.raises(BadData, match=rf"no experiment has {said}; there are .*1"):
        Selection("nodes", ("cora",), **asked).cells()
