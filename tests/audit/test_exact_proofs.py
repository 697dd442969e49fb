"""What an audit proves: every mechanism holds, one unit of weight above the limit does not."""

import json
import math
from fractions import Fraction

import pytest

import privge as pg
from privge.audit import claim_of, claim_of_mechanism, claim_of_table, load_claim, prove
from privge.errors import BadData
from privge.mechanisms import LAWS, law_for
from privge.mechanisms.exponential import exp_below
from privge.questions import Choice, Direction, Encoding, YesNo
from privge.questions.features import ChoiceFeature, NumberFeature, YesNoFeature

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]


def table_of(law, epsilon, k=1):
    return {"weights": [law.weights(level).tolist() for level in range(law.levels)], "epsilon": epsilon, "k": k}


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize(("epsilon", "k"), [(0.1, 1), (1.0, 5), (4.0, 2)])
def test_every_mechanism_holds_and_its_ratio_is_exact(name, epsilon, k):
    proof = prove(claim_of_mechanism(name, epsilon, k, 500, levels=33))
    ratio = law_for(name, epsilon, k, 33).worst_ratio
    assert proof.holds
    assert proof.ratio == ratio**k <= exp_below(Fraction(epsilon))
    assert math.log(proof.ratio) <= proof.realised_epsilon <= epsilon


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("k", [1, 5])
def test_one_unit_of_weight_above_the_limit_does_not_hold(name, k):
    """The least weight above the limit in one column, taken from a cell that does not matter."""
    law = law_for(name, 1.0, k, 5)
    document = table_of(law, 1.0, k)
    assert prove(claim_of_table(document)).holds
    witness = prove(claim_of_table(document)).questions[0].laws[0].witness
    row, limit = document["weights"][witness.likely], math.floor(witness.lowest * exp_below(Fraction(1) / k))
    more = limit + 1 - row[witness.code]
    row[witness.code] += more
    donor = max((code for code in range(len(row)) if code != witness.code), key=row.__getitem__)
    row[donor] -= more
    altered = prove(claim_of_table(document))
    assert not altered.holds
    assert altered.realised_epsilon > 1.0
    row[witness.code] -= 1  # at the limit itself it holds, but for what the donor lost
    row[donor] += 1
    assert prove(claim_of_table(document)).realised_epsilon <= altered.realised_epsilon


@pytest.mark.parametrize("name", PRIVATE)
def test_a_campaign_file_whose_law_was_raised_is_audited_and_does_not_hold(name, tmp_path):
    campaign = pg.Campaign(dimensions=9, low=0, high=1, mechanism=name, epsilon=1.0, k=3, levels=33)
    document = campaign.to_document()
    document["law"] = law_for(name, 1.0 + 1e-9, 3, 33).parameters()
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps(document))
    claim, read = load_claim(path)
    assert read is None
    proof = prove(claim)
    assert not proof.holds
    assert 1.0 < proof.realised_epsilon < 1.0 + 2e-9


def test_what_is_not_even_a_law_does_not_hold(tmp_path):
    campaign = pg.Campaign(dimensions=9, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33)
    document = campaign.to_document()
    document["law"] = {**document["law"], "high": 2**52}
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps(document))
    assert any("cannot be read" in each for each in prove(load_claim(path)[0]).violations)


def test_a_file_that_is_no_campaign_is_bad_data(tmp_path):
    path = tmp_path / "campaign.json"
    path.write_text('{"epsilon": 1}')
    with pytest.raises(BadData, match="campaign"):
        load_claim(path)


def test_questions_compose_by_the_k_worst_of_them():
    encoding = Encoding([NumberFeature("age", low=0, high=100), YesNoFeature("smoker")])
    campaign = pg.Campaign(
        questions=[
            YesNo(YesNoFeature("smoker")),
            Choice(ChoiceFeature("town", values=("a", "b", "c"))),
            Direction(encoding, directions=16),
        ],
        epsilon=2.0,
        k=2,
    )
    proof = prove(claim_of(campaign))
    ratios = sorted((question.worst_ratio for question in campaign.questions), reverse=True)
    assert proof.ratio == ratios[0] * ratios[1]
    assert proof.realised_epsilon == campaign.realised_epsilon <= 2.0
    assert [each.title for each in proof.questions] == ["smoker", "town", "direction"]


def test_the_witness_is_where_the_ratio_is():
    law = law_for("laplace", 1.0, levels=17)
    proof = prove(claim_of_mechanism("laplace", 1.0, levels=17)).questions[0].laws[0]
    witness = proof.witness
    assert law.weights(witness.likely)[witness.code] == witness.highest
    assert law.weights(witness.unlikely)[witness.code] == witness.lowest
    assert Fraction(witness.highest, witness.lowest) == law.worst_ratio


def test_a_control_hides_nothing_and_the_other_reveals_nothing():
    assert not prove(claim_of_mechanism("none", math.inf, levels=5)).holds
    empty = prove(claim_of_mechanism("structure", 0.0, levels=5))
    assert empty.holds
    assert empty.realised_epsilon == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"weights": [[1, 2], [3]], "total": 3}, "not 2 integers"),
        ({"weights": [[1, 2], [2, 2]], "total": 3}, "sum to 4"),
        ({"weights": [[4, -1], [2, 1]], "total": 3}, "below 0"),
        ({"weights": [[3, 0], [2, 1]], "total": 3}, "unbounded"),
    ],
)
def test_what_is_no_table_of_a_law_does_not_hold(change, problem):
    proof = prove(claim_of_table({"epsilon": 20, "k": 1, **change}))
    assert any(problem in each for each in proof.violations)


@pytest.mark.parametrize(
    "document", [{}, {"weights": [[0.5, 0.5]], "epsilon": 1}, {"weights": [[1]], "epsilon": "1"}, {"weights": [[1]]}]
)
def test_a_document_that_is_no_table_is_bad_data(document):
    with pytest.raises(BadData):
        claim_of_table(document)
