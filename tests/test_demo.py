import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.stats import ttest_rel

from privge.cli import main
from privge.datasets import social_network
from privge.experiments.demo.cases import Budget, Case, Cases
from privge.experiments.demo.figures import accuracy_figure

EPSILONS = (1, 2, 4)


def test_the_network_is_homophilous_uneven_and_repeatable():
    network = social_network(1000, seed=3)
    table = network.graph.to_edges().to_pydict()
    rows = [network.graph.rows_of(table[side]) for side in ("source", "target")]
    inside = (network.labels[rows[0]] == network.labels[rows[1]]).mean()
    assert 0.5 < inside < 0.85
    assert network.graph.degrees.max() > 5 * network.graph.degrees.mean()
    assert ((network.features >= 0) & (network.features <= 1)).all()
    again = social_network(1000, seed=3)
    assert again.graph.fingerprint == network.graph.fingerprint
    assert (again.features == network.features).all()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    page = tmp_path_factory.mktemp("demo") / "sub" / "report.html"
    result = CliRunner().invoke(main, ["demo", "--people", "1000", "-o", str(page), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), page.read_text(encoding="utf-8")


def words(html):
    return re.sub(r"data:image[^\"]+", "", html)


def test_the_demo_ends_with_a_page_that_loads_nothing_from_elsewhere(demo):
    _, html = demo
    assert html.count("data:image/png;base64,") == 2
    assert "http" not in words(html)


def test_the_demo_shows_every_budget_with_all_controls_for_both_groups(demo):
    found = [(row["name"], row["epsilon"]) for row in demo[0]["results"]]
    budget = ["the paper's vectors", "- of shuffled interests", "one question", "- from others' profiles"]
    asked = [(name, epsilon) for epsilon in EPSILONS for name in budget]
    assert found == [("graph alone", None), ("noise as reports", None), *asked, ("no privacy", None)]
    for row in demo[0]["results"]:
        for group in ("everybody", "few"):
            assert f"{row[group]['mean']:.1f}" in words(demo[1])


def test_the_story_is_that_of_the_page(demo):
    rows = {(row["name"], row["epsilon"]): row["everybody"]["mean"] for row in demo[0]["results"]}
    alone, clean = rows["graph alone", None], rows["no privacy", None]
    assert rows["the paper's vectors", 4] < alone < rows["one question", 4] < clean
    assert rows["noise as reports", None] < alone


def test_the_demo_s_lifts_are_paired_with_the_graph_alone(demo):
    rows = {(row["name"], row["epsilon"]): row["few"] for row in demo[0]["results"]}
    mine, theirs = (np.array(rows[key]["values"]) for key in (("the paper's vectors", 4), ("graph alone", None)))
    lift, expected = rows["the paper's vectors", 4]["lift"], ttest_rel(mine, theirs).confidence_interval()
    assert lift["mean"] == pytest.approx((mine - theirs).mean(), abs=1e-3)
    assert (lift["low"], lift["high"]) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_one_person_is_told_of_from_the_question_to_what_is_known_after_it(demo):
    html = words(demo[1])
    assert "does your profile look more like" in html
    assert "It sends that with a probability of" in html
    assert "not a chosen one" in html


def test_the_page_says_what_follows(demo):
    document, html = demo
    assert len(document["conclusions"]) == len(EPSILONS) + 2
    assert all(sentence.replace("'", "&#39;") in html for sentence in document["conclusions"])


def case(values, epsilon=None):
    return Case("name", "control", "", tuple(values), tuple(values), epsilon)


def said(question, others=(90.0, 90.2, 90.1), paper=(30.0, 31.2, 30.5), shuffled=(20.0, 21.0, 20.4)):
    budget = Budget(case(paper, 2.0), case(shuffled, 2.0), case(question, 2.0), case(others, 2.0))
    graph, noise, clean = case([90.0, 90.2, 90.1]), case([20.0, 21.0, 20.5]), case([99.0] * 3)
    return list(Cases(graph, noise, (budget,), clean).conclusions())


def test_conclusions_follow_the_numbers():
    assert "; better; people" in said([92.0, 92.3, 92.2])[0]
    assert "; worse; people" in said([88.0, 88.3, 88.2])[0]
    assert "; undecided; people" in said([90.2, 90.0, 90.1])[0]


def test_others_profiles_that_help_are_said_to():
    assert "nobody else's profile would do" in said([92.0, 92.3, 92.2])[1]
    assert "which it must not" in said([92.0, 92.3, 92.2], others=[92.0, 92.3, 92.2])[1]


def test_the_paper_s_vectors_are_judged_by_the_higher_null():
    assert "so they say something" in said([92.0, 92.3, 92.2])[2]
    assert "cannot be told from noise" in said([92.0, 92.3, 92.2], shuffled=[30.1, 30.9, 30.5])[2]


def test_no_bar_hides_what_guessing_finds():
    (chosen, paper, question), few = (
        [Case(name, "private", "", (90.0,), (60.0,)) for name in ("a", "b", "c")],
        (1, 2, 4),
    )
    budgets = tuple(SimpleNamespace(epsilon=epsilon, paper=paper, question=question) for epsilon in few)
    cases = SimpleNamespace(no_privacy=chosen, structure=chosen, budgets=budgets)
    shown = SimpleNamespace(cases=cases, majority=50.0)
    figure = accuracy_figure(shown)
    canvas = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    for axes in figure.axes:
        (label,) = (text for text in axes.texts if text.get_text() == "guessing, 50")
        box = label.get_window_extent(canvas.get_renderer())
        assert len(axes.patches) == 6
        assert not any(box.overlaps(bar.get_window_extent(canvas.get_renderer())) for bar in axes.patches)
        assert box.x1 <= figure.bbox.x1
