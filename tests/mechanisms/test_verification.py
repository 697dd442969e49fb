"""A law from outside the package is enumerated; what it says of itself counts for nothing."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import privge as pg
from privge.errors import InvalidCampaign, PrivacyViolation
from privge.mechanisms import LAWS, Law, MultiBit, SquareWave, law_for, verify
from privge.random import TOTAL


@dataclass(frozen=True)
class Foreign(Law):
    """Randomised response on two levels, as somebody else might add it."""

    name = "multibit"
    rescaled = False
    levels: int
    high: int
    claimed: Fraction | None = None

    @classmethod
    def for_epsilon(cls, epsilon, levels):
        return cls(levels, MultiBit.for_epsilon(epsilon, 2).weights(1).tolist()[1])

    @classmethod
    def continuous_limit(cls, epsilon):
        return MultiBit.continuous_limit(epsilon)

    @property
    def outputs(self):
        return 2

    def weights(self, level):
        row = [self.high, TOTAL - self.high]
        return np.array(row if level == 0 else row[::-1])

    @property
    def worst_ratio(self):
        return self.claimed or Fraction(self.high, TOTAL - self.high)

    @property
    def gain(self):
        return Fraction(2 * self.high - TOTAL, TOTAL)

    def exact_values(self):
        return [Fraction(-1), Fraction(1)]


def campaign(law):
    return pg.Campaign(
        dimensions=1, low=0, high=1, mechanism="multibit", epsilon=1.0, k=1, law=law, missing="low", levels=law.levels
    )


def test_an_honest_law_from_outside_is_taken_and_draws():
    law = Foreign.for_epsilon(1.0, 2)
    assert verify(law) == law.worst_ratio
    assert campaign(law).report([1.0], node="a").codes in ((0,), (1,))
    # 20,000 draws of a coin whose share is known: five standard deviations.
    reports = campaign(law).simulate(np.ones((20_000, 1)), seed=0)
    assert reports.codes.mean() == pytest.approx(law.high / TOTAL, abs=5 * 0.5 / 20_000**0.5)


def test_a_law_that_lies_about_its_worst_ratio_is_refused():
    law = Foreign(2, TOTAL - 2, claimed=Fraction(2))
    with pytest.raises(PrivacyViolation, match="its weights say"):
        verify(law)
    with pytest.raises(InvalidCampaign, match="law"):
        campaign(law)


def test_a_law_that_claims_its_realised_epsilon_is_refused():
    class Modest(Foreign):
        realised_epsilon = 0.5

    with pytest.raises(PrivacyViolation, match="realised_epsilon"):
        verify(Modest(2, TOTAL - 2))


def test_a_subclass_of_an_own_law_is_another_law():
    class Lying(SquareWave):
        worst_ratio = Fraction(1)

    with pytest.raises(InvalidCampaign, match="law"):
        pg.Campaign(
            dimensions=1,
            low=0,
            high=1,
            mechanism="hds",
            epsilon=1.0,
            k=1,
            law=Lying(**law_for("hds", 5.0).parameters()),
        )


@pytest.mark.parametrize("method", ["code", "codes", "_codes", "sample", "level"])
def test_a_sampler_of_its_own_is_refused(method):
    own = type("Own", (Foreign,), {method: lambda *_: 1})
    with pytest.raises(PrivacyViolation, match=rf"has a {method}\(\) of its own"):
        verify(own.for_epsilon(1.0, 2))


@pytest.mark.parametrize(
    "row",
    [[TOTAL + 2, -2], [TOTAL // 2, TOTAL // 2 - 1], [0.5, 0.5], [TOTAL]],
    ids=["negative", "sum", "float", "short"],
)
def test_what_is_no_table_of_weights_is_refused(row):
    class Broken(Foreign):
        def weights(self, level):
            return np.array(row[:: 1 - 2 * level])

    with pytest.raises(PrivacyViolation, match=r"row \d of the law Broken"):
        verify(Broken.for_epsilon(1.0, 2))


@pytest.mark.parametrize(
    ("levels", "outputs", "problem"),
    [
        (1, 2, "levels must be between 2 and 4097, got 1"),
        (4098, 2, "levels must be between 2 and 4097, got 4098"),
        (2.0, 2, "levels must be an integer"),
        (2, 0, "1 to 65,536 outputs, got 0"),
        (2, 2.0, r"1 to 65,536 outputs, got 2\.0"),
        (2, 65_537, "1 to 65,536 outputs, got 65537"),
        (257, 65_536, "257 levels of 65,536 weights, which are too many to read"),
    ],
)
def test_a_law_that_cannot_be_enumerated_is_refused_before_it_is_read(levels, outputs, problem):
    class Sized(Foreign):
        def weights(self, _level):
            pytest.fail("a weight was read")

    Sized.outputs = outputs
    with pytest.raises(PrivacyViolation, match=problem):
        verify(Sized(levels, TOTAL - 2))


def test_a_law_put_into_the_table_of_laws_is_verified_too(monkeypatch):
    class Lying(Foreign):
        worst_ratio = Fraction(1)

    monkeypatch.setitem(LAWS, "multibit", Lying)
    with pytest.raises(InvalidCampaign, match="law"):
        pg.Campaign(dimensions=1, low=0, high=1, mechanism="multibit", epsilon=1.0, k=1, levels=2, missing="low")


@pytest.mark.parametrize("name", [name for name in LAWS if name != "none"])
def test_every_own_law_verifies(name):
    law = law_for(name, 0.0 if name == "structure" else 1.0, levels=33)
    assert verify(law) == law.worst_ratio


def test_sums_of_its_own_are_refused():
    class Summed(Foreign):
        _cumulative = np.array([[TOTAL, TOTAL], [0, TOTAL]])

    with pytest.raises(PrivacyViolation, match="_cumulative"):
        verify(Summed.for_epsilon(1.0, 2))


class _Agreeable(Fraction):
    def __ne__(self, other):
        return False


class _TwoFaced(np.ndarray):
    def tolist(self):
        return [TOTAL, 0]


def test_a_ratio_that_agrees_with_everything_is_compared_all_the_same():
    with pytest.raises(PrivacyViolation, match="its weights say"):
        verify(Foreign(2, TOTAL - 2, claimed=_Agreeable(2)))


def test_weights_that_are_no_plain_array_are_read_as_one():
    class TwoFaced(Foreign):
        def weights(self, level):
            return super().weights(level).view(_TwoFaced)

    law = TwoFaced.for_epsilon(1.0, 2)
    assert verify(law) == law.worst_ratio
    assert {law.code(0, word) for word in range(0, TOTAL, TOTAL // 64)} == {0, 1}


@pytest.mark.parametrize("law", [Foreign.for_epsilon(1.0, 2), law_for("multibit", 1.0, levels=2)])
def test_a_law_whose_sampler_was_replaced_is_refused(law):
    law.__dict__["code"] = lambda level, _word: level
    with pytest.raises(InvalidCampaign, match=r"of its own|was changed"):
        campaign(law)
