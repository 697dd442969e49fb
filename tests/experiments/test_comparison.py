"""Means, controls and paired differences."""

import math
import re

import numpy as np
import pytest
from scipy.stats import ttest_rel

from privge.datasets import load
from privge.errors import DatasetMissing
from privge.experiments.cell import Cell
from privge.experiments.comparison import Table
from privge.experiments.conclusions import conclusions
from privge.experiments.method import LABEL_PROPAGATION
from privge.experiments.plan import HDS, k_cells, scale_cells, task_plan
from privge.experiments.report import write_report
from privge.experiments.results import Results
from privge.experiments.spread import Lift, Spread
from privge.experiments.verdicts import sentence_of
from privge.mechanisms import NoPrivacy, StructureOnly

PLAN = task_plan("nodes")
CELL = Cell("nodes", "cora", HDS, 1.0, 20)


def save(results, cell, values):
    for repeat, value in enumerate(values):
        results.append(
            {
                **cell.identity(),
                "repeat": repeat,
                "accuracy": value,
                "settings": PLAN.settings(cell).to_dict(),
                "seconds": {"train": 1.0, "propagate": 0.5},
                "versions": {"privge": "0"},
            }
        )


def test_the_lift_is_the_paired_t_interval_of_the_same_repeats(tmp_path):
    generator = np.random.default_rng(0)
    mine, structure = generator.normal(84, 1, 10), generator.normal(83, 1, 10)
    results = Results(tmp_path)
    save(results, CELL, mine)
    save(results, PLAN.structure_of(CELL), structure)
    save(results, Cell("nodes", "cora", NoPrivacy), [88.0, 88.5])
    summary = Table(results).comparison(CELL)
    expected = ttest_rel(mine, structure).confidence_interval()
    assert (summary.lift.low, summary.lift.high) == pytest.approx((expected.low, expected.high))
    flat = summary.to_dict()
    assert flat["mean"] == pytest.approx(mine.mean(), abs=1e-4)
    assert flat["std"] == pytest.approx(mine.std(ddof=1), abs=1e-4)
    assert flat["no_privacy"] == 88.25
    assert flat["lift_over_graph_alone"] is None
    assert flat["label_propagation"] is None
    assert flat["seconds"] == 1.5


def test_structure_only_of_another_k_is_no_control(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [84.0, 85.0])
    save(results, Cell("nodes", "cora", StructureOnly, None, 1), [10.0, 11.0])
    assert math.isnan(Table(results).comparison(CELL).lift.mean)


def test_only_the_repeats_asked_for_count(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [80.0, 82.0, 99.0])
    assert Table(results, 2).spread(CELL).mean == 81.0


def test_the_lift_over_the_graph_alone_is_paired_by_repeat_too(tmp_path):
    generator = np.random.default_rng(1)
    mine, graph_alone = generator.normal(84, 1, 10), generator.normal(85, 1, 10)
    results = Results(tmp_path)
    save(results, CELL, mine)
    save(results, Cell("nodes", "cora", LABEL_PROPAGATION), graph_alone)
    flat = Table(results).comparison(CELL).to_dict()
    expected = ttest_rel(mine, graph_alone).confidence_interval()
    assert flat["lift_over_graph_alone"] == pytest.approx((mine - graph_alone).mean(), abs=1e-4)
    assert flat["lift_over_graph_alone_low"] == pytest.approx(expected.low, abs=1e-4)
    assert flat["lift_over_graph_alone_high"] == pytest.approx(expected.high, abs=1e-4)
    assert flat["lift"] is None


def test_one_repeat_has_neither_spread_nor_interval():
    spread, lift = Spread.of([84.0]), Lift.of([1.0])
    assert (spread.mean, lift.mean) == (84.0, 1.0)
    assert math.isnan(spread.std)
    assert math.isnan(lift.low)
    assert (str(spread), spread.said) == ("84.0", "84.0 (one repeat, no spread)")
    assert (str(lift), lift.said) == ("+1.0 (no interval)", "+1.0 points (no interval)")


def test_no_repeat_is_not_a_number_to_print():
    assert {str(Spread.of([])), Spread.of([]).said, str(Lift.of([])), Lift.of([]).said} == {"not run"}


def test_no_interval_goes_beyond_what_percentages_can_differ_by():
    assert str(Lift.of([-7.9, 13.1])) == "+2.6 (-100.0 to +100.0)"
    assert str(Lift.of([1.0, 2.0, 3.0])) == "+2.0 (-0.5 to +4.5)"


def test_few_equal_differences_are_not_a_sure_difference():
    """Counts of few test nodes often differ by the same twice: that says nothing of the next repeat."""
    lift = Lift.of([2.5, 2.5])
    assert math.isnan(lift.low)
    assert lift.concluded("better", "worse", "unknown") == "+2.5 points (no interval)"
    assert Lift.of([0.0, 0.0]).concluded("better", "worse", "unknown").endswith("unknown")
    assert Lift.of([2.5] * 5).low == 2.5, "five times the same is not chance any more"


def test_the_sentence_counts_from_the_higher_of_what_is_public(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [84.0, 85.0, 86.0])
    save(results, PLAN.graph_alone_of(CELL), [89.0, 90.0, 91.0])
    save(results, PLAN.structure_channel_of(CELL), [80.0, 81.0, 82.0])
    public, lift = Table(results).comparison(CELL).beside_public
    assert (public, lift.mean) == ("the graph alone", -5.0)
    assert "Minus the graph alone, which asks nobody: -5.0" in sentence_of(Table(results).comparison(CELL))


def words(folder):
    """Return both files of a report, without the pictures."""
    html = re.sub(r"data:image[^\"]+", "", (folder / "report.html").read_text(encoding="utf-8"))
    return html, (folder / "report.md").read_text(encoding="utf-8")


def test_a_report_of_one_repeat_says_so_and_concludes_nothing(tmp_path):
    results = Results(tmp_path)
    for cell in [*k_cells("nodes", "cora"), CELL, *PLAN.controls([CELL, *k_cells("nodes", "cora")])]:
        save(results, cell, [84.0])
    write_report(results, tmp_path / "report.html", tmp_path / "report.md")
    for text in words(tmp_path):
        assert "nan" not in text
        assert not re.search(r"\d ±", text)
        assert "one repeat, no spread" in text
        assert "told from zero" not in text
        assert "no difference can be told" not in text


def test_a_control_that_was_not_run_is_named_as_missing(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [84.0, 85.0])
    write_report(results, tmp_path / "report.html", tmp_path / "report.md")
    for text in words(tmp_path):
        assert "nan" not in text
        assert "not run" in text
    flat = Table(results).comparison(CELL).to_dict()
    assert flat["structure_only"] is flat["lift"] is flat["lift_over_graph_alone_high"] is None


def test_every_table_of_the_report_has_all_four_controls(tmp_path):
    results = Results(tmp_path)
    cells = [*k_cells("nodes", "cora"), CELL, *scale_cells("nodes", "cora")]
    for cell in dict.fromkeys(cells + PLAN.controls(cells)):
        value = {StructureOnly: 71.0, LABEL_PROPAGATION: 72.0, NoPrivacy: 73.0}.get(cell.method, 80.0)
        value = 74.0 if cell.features == "shuffled" else value
        save(results, cell, [value, value + 1])
    write_report(results, tmp_path / "report.html", tmp_path / "report.md")
    html, markdown = words(tmp_path)
    tables = re.findall(r"<table>.*?</table>", html, flags=re.DOTALL) + re.findall(r"(?:\|.*\n)+", markdown)
    assert len(tables) == 2 * 3
    for table in tables:
        assert all(f"{value} ± 0.7" in table for value in (71.5, 72.5, 73.5, 74.5))


def said(folder, mine, structure, shuffled, graph_alone=()):
    """Return what is concluded about a cell beside its controls."""
    results = Results(folder)
    cells = {
        CELL: mine,
        PLAN.structure_of(CELL): structure,
        PLAN.shuffled_of(CELL): shuffled,
        PLAN.graph_alone_of(CELL): graph_alone,
    }
    for cell, values in cells.items():
        save(results, cell, values)
    return " ".join(conclusions(Table(results), "nodes", "cora"))


def test_what_the_features_are_worth_is_said_against_both_nulls_and_the_graph_alone(tmp_path):
    sentences = said(tmp_path, [84.0, 84.2], [80.0, 80.1], [80.0, 80.15], [90.0, 90.3])
    assert "more than nothing" in sentences
    assert "the graph alone is better" in sentences


def test_what_shuffled_features_do_as_well_is_worth_nothing(tmp_path):
    """A mechanism whose constant part carries degrees beats noise of the same shape, whoever's features it has."""
    sentences = said(tmp_path, [84.0, 84.2], [80.0, 80.1], [83.95, 84.25])
    assert "HDS minus structure-only: +4." in sentences
    assert "nothing that can be told from zero" in sentences
    assert "more than nothing" not in sentences


def test_what_noise_does_as_well_is_worth_nothing_however_bad_shuffled_features_are(tmp_path):
    sentences = said(tmp_path, [84.0, 84.2], [83.95, 84.25], [80.0, 80.1])
    assert "minus shuffled features: +4." in sentences
    assert "more than nothing" not in sentences


def test_nothing_is_concluded_where_one_of_the_nulls_was_not_run(tmp_path):
    sentences = said(tmp_path, [84.0, 84.2], [80.0, 80.1], [])
    assert "nothing is concluded" in sentences
    assert "more than nothing" not in sentences


def test_the_claim_names_the_number_of_features(tmp_path):
    assert "k = 20 of 1,433 features" in said(tmp_path, [84.0, 84.2], [80.0, 80.1], [80.0, 80.1])


def test_the_lift_over_shuffled_features_is_paired_by_repeat_and_written_as_finely_as_it_is_known(tmp_path):
    mine = np.array([84.0, 85.0, 83.0])
    said(tmp_path, mine, mine - [3.0, 5.0, 4.0], mine - [0.01, 0.02, 0.03])
    one = Table(Results(tmp_path)).comparison(CELL)
    flat = one.to_dict()
    assert (flat["lift"], flat["lift_over_shuffled"]) == (4.0, 0.02)
    assert str(one.lift_over_shuffled) == "+0.02 (-0.00 to +0.04)"
    assert one.worth == one.lift_over_shuffled


def test_the_effect_of_k_stands_beside_that_of_noise_of_the_same_k(tmp_path):
    results = Results(tmp_path)
    save(results, Cell("nodes", "cora", NoPrivacy), [90.0, 90.0])
    for cell in k_cells("nodes", "cora"):
        save(results, cell, [80 + cell.k, 81 + cell.k])
        if cell.epsilon == 1:
            save(results, PLAN.structure_of(cell), [80 + cell.k / 10, 81 + cell.k / 10])
            save(results, PLAN.shuffled_of(cell), [80 + cell.k / 5, 81 + cell.k / 5])
    sentences = [sentence for sentence in conclusions(Table(results), "nodes", "cora") if "from k = 1" in sentence]
    assert len(sentences) == 3
    assert "from k = 1 to k = 50 HDS changes by +49.0 points" in sentences[0]
    assert "structure-only by +4.9 points" in sentences[0]
    assert "shuffled features by +9.8 points" in sentences[0]
    assert "not run" not in sentences[1]
    write_report(results, tmp_path / "report.html", tmp_path / "report.md")
    written = (tmp_path / "report.md").read_text()
    assert "| cora | HDS, ε = 2 | 81.5 ± 0.7 | 83.5 ± 0.7 |" in written
    assert "| cora | HDS, ε = 1, features shuffled | 80.7 ± 0.7 | 81.1 ± 0.7 |" in written
    assert "| cora | structure-only | 80.6 ± 0.7 | 80.8 ± 0.7 |" in written


def test_what_noise_does_as_well_is_not_credited_to_the_features(tmp_path):
    sentences = said(tmp_path, [84.0, 84.2], [84.1, 84.1], [80.0, 80.1], [70.0, 70.1])
    assert "better, but not by the features" in sentences
    assert "better than the graph alone" not in sentences


def test_the_largest_class_stands_beside_every_accuracy(tmp_path):
    results = Results(tmp_path)
    save(results, CELL, [84.0, 85.0])
    table = Table(results)
    assert table.comparison(CELL).majority == 30.2  # older results leave it to the plan
    assert "the largest class alone 30.2" in " ".join(conclusions(table, "nodes", "cora"))
    assert write_report(results, tmp_path / "r.html", tmp_path / "r.md")
    assert "| cora | largest class | 30.2 |" in (tmp_path / "r.md").read_text()
    record = {**CELL.identity(), "repeat": 2, "accuracy": 86.0, "majority": 29.0, "seconds": {}, "versions": {}}
    results.append({**record, "settings": PLAN.settings(CELL).to_dict()})
    assert Table(results).comparison(CELL).to_dict()["majority"] == 29.0


@pytest.mark.parametrize("name", sorted(PLAN.majority))
def test_the_share_of_the_largest_class_is_that_of_the_data(name):
    try:
        labels = load(name).labels
    except DatasetMissing:
        pytest.skip("the files of this dataset are not here")
    counts = np.bincount(labels[labels >= 0])
    assert PLAN.majority[name] == pytest.approx(100 * counts.max() / counts.sum(), abs=0.06)
