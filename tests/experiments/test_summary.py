"""Means, controls and paired differences."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from privge.experiments.conclusions import conclusions
from privge.experiments.plan import Cell, k_cells, task_plan
from privge.experiments.report import write_report
from privge.experiments.results import Results
from privge.experiments.summary import Lift, Table

PLAN = task_plan("nodes")
CELL = Cell("nodes", "cora", "hds", 1.0, 20)


def save(results, cell, values):
    for repeat, value in enumerate(values):
        results.append(
            {
                "task": cell.task, "dataset": cell.dataset, "mechanism": cell.mechanism, "epsilon": cell.epsilon,
                "k": cell.k, "repeat": repeat, "accuracy": value, "settings": PLAN.datasets["cora"].to_dict(),
                "seconds": {"train": 1.0, "propagate": 0.5}, "versions": {"privge": "0"},
            }
        )  # fmt: skip


def test_the_lift_is_the_paired_t_interval_of_the_same_repeats(tmp_path):
    generator = np.random.default_rng(0)
    mine, structure = generator.normal(84, 1, 10), generator.normal(83, 1, 10)
    results = Results(tmp_path)
    save(results, CELL, mine)
    save(results, PLAN.structure_of(CELL), structure)
    save(results, Cell("nodes", "cora", "none"), [88.0, 88.5])
    summary = Table(results).summary(CELL)
    expected = ttest_rel(mine, structure).confidence_interval()
    assert (summary.lift.low, summary.lift.high) == pytest.approx((expected.low, expected.high))
    flat = summary.to_dict()
    assert flat["mean"] == pytest.approx(mine.mean(), abs=1e-4)
    assert flat["std"] == pytest.approx(mine.std(ddof=1), abs=1e-4)
    assert flat["no_privacy"] == 88.25
    assert flat["label_propagation"] is None
    assert flat["seconds"] == 1.5


def test_structure_only_of_another_k_is_no_control(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [84.0, 85.0])
    save(results, Cell("nodes", "cora", "structure", None, 1), [10.0, 11.0])
    assert math.isnan(Table(results).summary(CELL).lift.mean)


def test_only_the_repeats_asked_for_count(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [80.0, 82.0, 99.0])
    assert Table(results, 2).spread(CELL).mean == 81.0


def test_one_repeat_has_no_interval():
    lift = Lift.of([1.0])
    assert lift.mean == 1.0
    assert math.isnan(lift.low)


def test_the_effect_of_k_stands_beside_that_of_noise_of_the_same_k(tmp_path):
    results = Results(tmp_path)
    save(results, Cell("nodes", "cora", "none"), [90.0, 90.0])
    for cell in k_cells("nodes", "cora"):
        save(results, cell, [80 + cell.k, 81 + cell.k])
        if cell.epsilon == 1:
            save(results, PLAN.structure_of(cell), [80 + cell.k / 10, 81 + cell.k / 10])
    sentences = [sentence for sentence in conclusions(Table(results), "nodes", "cora") if "from k = 1" in sentence]
    assert len(sentences) == 3
    assert "from k = 1 to k = 50 HDS changes by +49.0 points" in sentences[0]
    assert "structure-only by +4.9 points" in sentences[0]
    write_report(results, tmp_path / "report.html", tmp_path / "report.md")
    written = (tmp_path / "report.md").read_text()
    assert "| cora | HDS, ε = 2 | 81.5 ± 0.7 | 83.5 ± 0.7 |" in written
    assert "| cora | structure-only | 80.6 ± 0.7 | 80.8 ± 0.7 |" in written
