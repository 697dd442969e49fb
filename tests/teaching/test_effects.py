"""Effects of classes from noisy profiles: unbiased, with the noise that is known, and shrunk by it."""

import numpy as np
import pytest

from privge.errors import BadData
from privge.teaching.effects import Teachers, class_effects
from privge.teaching.shrinkage import shrinkage

PEOPLE, WIDTH, CLASSES = 6000, 40, 3
LIVE = np.ones(WIDTH, dtype=bool)


def profiles(generator, labels, effects):
    """Unit vectors, nearly: noise of variance 1/WIDTH, and an effect of the class."""
    return effects[labels] + generator.normal(0, WIDTH**-0.5, (len(labels), WIDTH))


def blocks(values):
    for start in range(0, len(values), 1000):
        yield slice(start, start + 1000), values[start : start + 1000]


def agreement(found, truth):
    truth = truth - truth.mean(axis=0)
    return (found * truth).sum() ** 2 / (np.square(found).sum() * np.square(truth).sum())


@pytest.fixture
def generator():
    return np.random.default_rng(5)


@pytest.fixture
def truth(generator):
    effects = np.zeros((CLASSES, WIDTH))
    effects[:, :4] = generator.normal(0, 0.1, (CLASSES, 4))
    return effects


def known(labels):
    return Teachers(np.full((len(labels), CLASSES), 1 / CLASSES), labels)


def test_effects_of_clean_profiles_are_found(generator, truth):
    labels = generator.integers(0, CLASSES, PEOPLE)
    found = class_effects(blocks(profiles(generator, labels, truth)), known(labels), np.zeros(WIDTH), LIVE)
    assert agreement(found.values, truth) > 0.95


def test_noise_that_is_told_is_shrunk_away_and_noise_that_is_not_told_is_not(generator, truth):
    """The negative control says that the noise is 0: then nothing is shrunk, and noise passes for effects."""
    labels = generator.integers(0, CLASSES, PEOPLE)
    noisy = profiles(generator, labels, truth) + generator.normal(0, 2.0, (PEOPLE, WIDTH))
    told = class_effects(blocks(noisy), known(labels), np.full(WIDTH, 4.0), LIVE)
    untold = class_effects(blocks(noisy), known(labels), np.zeros(WIDTH), LIVE)
    error, naive = (np.square(one.values - (truth - truth.mean(axis=0))).sum() for one in (told, untold))
    assert error < naive / 2
    assert told.kept < untold.kept


def test_reports_without_any_effect_teach_next_to_nothing(generator):
    labels = generator.integers(0, CLASSES, PEOPLE)
    noise = generator.normal(0, 2.0, (PEOPLE, WIDTH))
    found = class_effects(blocks(noise), known(labels), np.full(WIDTH, 4.0), LIVE)
    assert found.kept < 0.05


def test_what_the_graph_explains_is_not_taken_for_an_effect(generator, truth):
    """Neighbourhoods shape profiles and priors alike: the partial estimate sees through it, and gets a share."""
    places = generator.integers(0, CLASSES, PEOPLE)
    prior = np.full((PEOPLE, CLASSES), 0.2)
    prior[np.arange(PEOPLE), places] = 0.6
    labels = (generator.random((PEOPLE, 1)) > prior.cumsum(axis=1)).sum(axis=1).clip(0, CLASSES - 1)
    around = np.zeros((CLASSES, WIDTH))
    around[:, 20:24] = generator.normal(0, 0.3, (CLASSES, 4))
    values = profiles(generator, labels, truth) + around[places]
    found = class_effects(blocks(values), Teachers(prior, labels), np.zeros(WIDTH), LIVE)
    naive = class_effects(blocks(values), known(labels), np.zeros(WIDTH), LIVE)
    assert found.share > 0.9
    assert agreement(found.values, truth) > agreement(naive.values, truth) + 0.2


def test_people_without_a_label_teach_by_their_prior(generator, truth):
    labels = generator.integers(0, CLASSES, PEOPLE)
    sure = np.full((PEOPLE, CLASSES), 0.01)
    sure[np.arange(PEOPLE), labels] = 0.98
    few = np.where(np.arange(PEOPLE) < 60, labels, -1)
    values = profiles(generator, labels, truth)
    alone = class_effects(blocks(values[:60]), Teachers(sure[:60], few[:60]), np.zeros(WIDTH), LIVE)
    found = class_effects(blocks(values), Teachers(sure, few), np.zeros(WIDTH), LIVE)
    assert agreement(found.values, truth) > agreement(alone.values, truth) + 0.1


def test_teachers_without_any_label_are_refused():
    with pytest.raises(BadData, match="nobody who teaches has a label"):
        class_effects(blocks(np.zeros((5, WIDTH))), known(np.full(5, -1)), np.zeros(WIDTH), LIVE)


def test_coordinates_that_nobody_has_stay_0(generator, truth):
    labels = generator.integers(0, CLASSES, PEOPLE)
    live = np.arange(WIDTH) < 20
    noisy = profiles(generator, labels, truth) + generator.normal(0, 1.0, (PEOPLE, WIDTH))
    found = class_effects(blocks(noisy), known(labels), np.ones(WIDTH), live)
    assert np.abs(found.values[:, 20:]).max() == 0
    assert np.abs(found.values[:, :20]).max() > 0


def test_shrinkage_keeps_large_effects_and_drops_noise(generator):
    effects = generator.normal(0, 1.0, (CLASSES, 200))
    effects[:, :10] *= 12
    factors = shrinkage(effects, np.ones(CLASSES))
    assert factors[:10].min() > 0.9
    assert factors[10:].mean() < 0.2


def test_shrinkage_beats_one_factor_for_all_where_few_coordinates_matter(generator):
    truth = np.zeros((CLASSES, 500))
    truth[:, :20] = generator.normal(0, 3.0, (CLASSES, 20))
    noisy = truth + generator.normal(0, 1.0, truth.shape)
    linear = max(0.0, 1 - truth.size / np.square(noisy).sum())
    own = np.square(noisy * shrinkage(noisy, np.ones(CLASSES)) - truth).sum()
    assert own < 0.6 * np.square(noisy * linear - truth).sum()


def test_frequencies_help_where_frequent_coordinates_have_larger_effects(generator):
    frequencies = generator.exponential(1.0, 500)
    truth = generator.normal(0, 1.0, (CLASSES, 500)) * frequencies
    noisy = truth + generator.normal(0, 1.5, truth.shape)
    errors = [
        np.square(noisy * shrinkage(noisy, np.full(CLASSES, 2.25), given) - truth).sum()
        for given in (frequencies, None)
    ]
    assert errors[0] < 0.95 * errors[1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("people", [1, 2, 40])
def test_teachers_of_one_class_are_refused_in_words(generator, people):
    """When the first teachers have reported; the question was made of NaN."""
    with pytest.raises(BadData, match="no two to tell apart"):
        class_effects(
            blocks(generator.normal(size=(people, WIDTH))),
            known(np.zeros(people, dtype=int)),
            np.full(WIDTH, 4.0),
            LIVE,
        )


@pytest.mark.filterwarnings("error")
def test_a_class_that_nobody_teaches_has_no_effect_and_spoils_no_other(generator, truth):
    labels = generator.integers(0, CLASSES - 1, PEOPLE)
    found = class_effects(blocks(profiles(generator, labels, truth)), known(labels), np.zeros(WIDTH), LIVE)
    assert np.abs(found.values[-1]).max() < 1e-9
    taught = truth[:-1] - truth[:-1].mean(axis=0)
    assert agreement(found.values[:-1], taught) > 0.9


@pytest.mark.filterwarnings("error")
def test_profiles_without_anything_teach_nothing():
    labels = np.arange(100) % CLASSES
    found = class_effects(blocks(np.zeros((100, WIDTH))), known(labels), np.zeros(WIDTH), LIVE)
    assert found.kept == 0
    assert not found.values.any()
