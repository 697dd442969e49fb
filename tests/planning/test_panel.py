"""A panel: chance in its class means is taken off, and what a question knows is read from its scores."""

import numpy as np
import pytest

from privge.errors import BadData
from privge.planning.panel import Panel, skill_of
from privge.questions import Encoding
from privge.questions.people import people_of

WIDTH = 30


def panel(seed, *, apart=0.0, people=80):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, people)
    values = generator.random((people, WIDTH))
    values[:, 0] = np.clip(values[:, 0] + apart * (labels - 0.5), 0, 1)
    encoding = Encoding.numbers(WIDTH, 0.0, 1.0)
    return Panel.of(encoding, people_of(values, None, WIDTH), np.arange(people), labels)


def distance(shown):
    first, second = (shown.profiles[shown.labels == place].mean(axis=0) for place in (0, 1))
    return float(np.square(first - second).sum())


def test_class_means_that_differ_by_chance_are_levelled():
    raw, levelled = (
        np.mean([distance(panel(seed) if each == 0 else panel(seed).levelled()) for seed in range(30)])
        for each in (0, 1)
    )
    assert levelled < 0.25 * raw


def test_class_means_that_differ_indeed_stay_as_far_apart_as_they_are():
    true = distance(panel(0, apart=0.9, people=20_000))
    found = [distance(panel(seed, apart=0.9).levelled()) for seed in range(60)]
    assert abs(np.mean(found) - true) < 4 * np.std(found, ddof=1) / len(found) ** 0.5


@pytest.mark.parametrize("classes", [2, 4])
def test_gap_spread_and_echo_are_found_and_offsets_are_not_noise(classes):
    generator = np.random.default_rng(0)
    prior = generator.dirichlet(np.full(classes, 2.0), 40_000)
    labels = (prior.cumsum(axis=1) < generator.random((len(prior), 1))).sum(axis=1)
    spread, gap, echo = 1.4, 1.8, 0.3
    scores = spread / 2**0.5 * generator.standard_normal(prior.shape) + echo * np.log(prior)
    scores[np.arange(len(labels)), labels] += gap / 2
    scores += 3.0 * np.arange(classes)
    skill = skill_of(scores, labels, prior)
    assert skill.gap == pytest.approx(gap, rel=0.05)
    assert skill.spread == pytest.approx(spread, rel=0.05)
    assert skill.echo == pytest.approx(echo, abs=0.05)


def test_scores_that_know_nothing_have_no_gap_worth_mentioning():
    generator = np.random.default_rng(1)
    prior, labels = generator.dirichlet([2, 2, 2], 5000), generator.integers(0, 3, 5000)
    assert skill_of(generator.standard_normal((5000, 3)), labels, prior).delta < 0.1


def test_nobody_is_on_a_panel_twice():
    shown = panel(0)
    with pytest.raises(BadData, match="twice"):
        Panel.of(shown.encoding, shown.people, np.zeros(80, dtype=np.int64), shown.labels)
