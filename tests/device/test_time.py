"""When a device answers says nothing about its values.

The service sees one time for each campaign that a device answers. What one time can tell it is the largest difference
between the two distributions, which is what the Kolmogorov-Smirnov test measures, here with one false alarm in a
million. The defect it is here for made the times 60 times as long.

Those whose drawing is compared have floats, which a round copies to new places in memory: it would also be seen who has
64 objects and who one of them 64 times, and who has numbers of NumPy, which take 20 ns longer to read. An application
decides about types, and what is told apart when a value is read is covered by the slot.
"""

import pickle
import random
import time
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import ks_2samp

from device.fake_service import token_for
from mechanisms.test_same_work import RememberingLaplace
from privge import Campaign
from privge.campaign import Assignment
from privge.device import contribute
from privge.device.pace import Pace
from privge.mechanisms import LAWS
from privge.perturbation.draw import draw, rehearse
from privge.questions import Choice, ChoiceFeature, Direction, Encoding, Model

PRIVATE = ("hds", "piecewise", "multibit", "laplace")
K, ROUNDS, FALSE_ALARM = 64, 60, 1e-6
EQUAL = [0.5] * K
PEOPLE = {
    "64 different values": np.linspace(0, 1, K).tolist(),
    "all missing": [None] * K,
    "all out of bounds": [1e300, -1e300] * (K // 2),
    "no numbers": ["none of your business"] * K,
}


def asking(mechanism):
    return Campaign(dimensions=K, low=0, high=1, mechanism=mechanism, epsilon=64.0, k=K)


PROFILE = Encoding.numbers(K, 0, 1, levels=33)
WEIGHTS = np.random.default_rng(3).integers(-99, 99, (4, K)).tolist()
QUESTIONS = {
    "model": Model(PROFILE, WEIGHTS, classes=("a", "b", "c", "d"), normalised=True),
    "direction": Direction(PROFILE),
    "choice": Choice(ChoiceFeature("place", tuple(f"place {number}" for number in range(K)))),
}


def asking_question(kind, **changes):
    return Campaign(questions=[QUESTIONS[kind]], epsilon=2.0, **changes)


def values_for(kind, values):
    """A choice is about one value: the last of what a person has."""
    return values if kind != "choice" else {"place": values[-1]}


def times(campaign, people):
    """Return the times of drawing for some people, in an order that is shuffled anew in each round."""
    found = {name: [] for name in people}
    order, stored = list(people), {name: pickle.dumps(values) for name, values in people.items()}
    document = campaign.to_json()
    for _ in range(ROUNDS):
        random.shuffle(order)
        for name in order:
            fresh = Campaign.from_json(document)  # as a device has it: nothing was drawn with it before
            values = pickle.loads(stored[name])  # noqa: S301 (written above)
            rehearse(fresh, "alice")
            start = time.perf_counter()
            draw(fresh, values, "alice")
            found[name].append(time.perf_counter() - start)
    return found


def alarms(found):
    return {name: ks_2samp(found["equal"], each).pvalue for name, each in found.items() if name != "equal"}


def least(found):
    return min(alarms(found).values())


@pytest.mark.alone
@pytest.mark.parametrize("mechanism", PRIVATE)
def test_drawing_takes_as_long_for_different_values_as_for_equal_ones(mechanism):
    people = {"equal": EQUAL, "64 different values": PEOPLE["64 different values"]}
    assert least(times(asking(mechanism), people)) > FALSE_ALARM


@pytest.mark.alone
@pytest.mark.parametrize("kind", QUESTIONS)
def test_answering_a_question_takes_as_long_for_one_profile_as_for_another(kind):
    """Floats all: what is told apart when a value is read is covered by the slot below."""
    one, other = (EQUAL, PEOPLE["64 different values"]) if kind != "choice" else (["place 0"], ["place 63"])
    people = {"equal": values_for(kind, one), "another": values_for(kind, other)}
    assert least(times(asking_question(kind), people)) > FALSE_ALARM


@pytest.mark.alone
def test_a_model_that_works_for_what_is_there_is_noticed(monkeypatch):
    """The defect: the work grows with what is not in the middle of its bounds."""
    encoded = Encoding.encoded

    def growing(self, people, places=None):
        coordinates, misfits = encoded(self, people, places)
        for _ in range(20 * int(np.count_nonzero(coordinates))):
            hash(("some", "work"))
        return coordinates, misfits

    monkeypatch.setattr(Encoding, "encoded", growing)
    people = {"equal": EQUAL, "64 different values": PEOPLE["64 different values"]}
    assert least(times(asking_question("model"), people)) < FALSE_ALARM


@pytest.mark.alone
def test_the_defect_is_noticed(monkeypatch):
    from privge.mechanisms import verification

    monkeypatch.setitem(LAWS, "laplace", RememberingLaplace)
    monkeypatch.setattr(verification, "OWN", (RememberingLaplace,))
    people = {"equal": EQUAL, "64 different values": PEOPLE["64 different values"]}
    assert least(times(asking("laplace"), people)) < FALSE_ALARM


@dataclass
class Clock:
    """Time that passes only when somebody works or sleeps."""

    now: float = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        assert seconds >= 0
        self.now += seconds


@pytest.mark.parametrize("work", [0.0, 0.001, 0.01, 0.2499])
@pytest.mark.parametrize("fails", [False, True])
def test_a_preparation_takes_one_slot_whatever_its_work_and_its_end(work, fails):
    clock = Clock()
    with pytest.raises(KeyError) if fails else nullcontext(), Pace(clock=clock, sleep=clock.sleep).slot(lambda: None):
        clock.sleep(work)
        if fails:
            raise KeyError
    assert clock.now == pytest.approx(0.25)


def test_a_slot_is_at_least_four_times_the_rehearsal():
    ends = set()
    for work in (0.5, 1.9, 3.9):
        clock = Clock()
        with Pace(clock=clock, sleep=clock.sleep).slot(lambda clock=clock: clock.sleep(1.0)):
            clock.sleep(work)
        ends.add(round(clock.now, 9))
    assert ends == {5.0}


@pytest.mark.alone
@pytest.mark.parametrize("mechanism", PRIVATE)
def test_over_loopback_the_time_until_the_token_is_shown_says_nothing(service, tmp_path, mechanism):
    """The device does all its work between two requests, in a slot that is short here, to have many of them."""
    assert least(_until_the_token(service, tmp_path, asking(mechanism), {"equal": EQUAL, **PEOPLE})) > FALSE_ALARM


@pytest.mark.alone
@pytest.mark.parametrize("kind", QUESTIONS)
def test_over_loopback_the_time_of_a_personal_question_says_nothing_either(service, tmp_path, kind):
    """With a shard to fetch: the time is that from the shard to the token."""
    people = {name: values_for(kind, each) for name, each in {"equal": EQUAL, **PEOPLE}.items()}
    nodes = [f"{name} {turn}" for turn in range(16) for name in people]
    if kind == "model":
        assignment = Assignment.of(nodes, np.tile([0, 2, 3], (len(nodes), 1)))
    else:
        assignment = Assignment.members(nodes)
    campaign = asking_question(kind, assignment=assignment)
    assert least(_until_the_token(service, tmp_path, campaign, people)) > FALSE_ALARM


def _until_the_token(service, tmp_path, campaign, people):
    """Return the times from what a device fetches last to its token, for some people in a shuffled order.

    The shorter the least slot, the less of a difference it hides; it is four times the rehearsal anyway.
    """
    seen = []
    service.on_request = lambda: seen.append(time.perf_counter())
    found = {name: [] for name in people}
    url = service.add(campaign)
    for turn in range(16):
        for name in random.sample(list(people), len(people)):
            seen.clear()
            contribute(
                url, people[name], token=token_for(f"{name} {turn}"), folder=tmp_path / f"{turn} {name}",
                max_epsilon=100, lifetime_epsilon=100, pace=Pace(least=0.02),
            )  # fmt: skip
            fetched = 1 if campaign.assignment is None else 2
            found[name].append(seen[fetched] - seen[fetched - 1])
    return found
