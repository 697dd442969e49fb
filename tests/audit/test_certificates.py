"""A certificate verifies again; whatever is changed in it is seen."""

import json
import re

import pytest

import privge as pg
from privge.audit import (
    Audit,
    attack,
    check_certificate,
    claim_of,
    claim_of_mechanism,
    claim_of_table,
    prove,
    write_certificate,
)
from privge.audit.certificate import _digest, _payload, _rendered
from privge.errors import BadData
from privge.mechanisms import law_for


def campaign_of(**other):
    return pg.Campaign(dimensions=9, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=17, **other)


def made(tmp_path, *claims, draws=0):
    proofs = [prove(claim) for claim in claims or [claim_of(campaign_of())]]
    path = tmp_path / "certificate.html"
    write_certificate(Audit(proofs, [attack(each, draws=draws) for each in proofs] if draws else []), path)
    return path


def test_what_was_written_verifies(tmp_path):
    law = law_for("piecewise", 1.0, levels=5)
    table = {"weights": [law.weights(i).tolist() for i in range(5)], "epsilon": 1.0, "k": 1}
    claims = [claim_of(campaign_of()), claim_of_mechanism("laplace", 2.0, 2, 8, levels=9), claim_of_table(table)]
    problems, payload = check_certificate(made(tmp_path, *claims, draws=20_000))
    assert problems == []
    assert payload["audit"]["proofs"][0]["campaign"] == campaign_of().id


def test_the_page_shows_id_date_version_steps_and_hashes(tmp_path):
    path = made(tmp_path)
    page, payload = path.read_text(), _payload(path.read_text())
    visible = page[: page.index("<script")]
    for shown in (campaign_of().id, payload["made"], payload["version"], payload["sha256"], payload["code"], "2^53"):
        assert shown in visible


def forged(path, change):
    """Change the data, and put everything right that can be: the hash, and the page."""
    payload = _payload(path.read_text())
    change(payload)
    payload.pop("sha256")
    payload["sha256"] = _digest(payload)
    path.write_text(_rendered(payload))


def test_a_forged_number_is_proven_wrong_though_all_hashes_are_right(tmp_path):
    path = made(tmp_path)

    def change(payload):
        payload["audit"]["proofs"][0]["realised_epsilon"] = 0.5

    forged(path, change)
    assert any("realised_epsilon" in each for each in check_certificate(path)[0])


def test_another_law_behind_the_same_result_is_seen(tmp_path):
    path = made(tmp_path)

    def change(payload):
        payload["subjects"][0]["document"]["law"]["high"] += 2

    forged(path, change)
    assert check_certificate(path)[0]


def test_changed_data_have_another_hash(tmp_path):
    path = made(tmp_path)
    path.write_text(path.read_text().replace('"made": "2', '"made": "3'))
    assert any("hash" in each for each in check_certificate(path)[0])


def test_a_page_that_shows_something_else_than_its_data_is_seen(tmp_path):
    path = made(tmp_path)
    path.write_text(re.sub(r"at most 0\.99\d+", "at most 0.01", path.read_text(), count=1))
    assert check_certificate(path)[0] == ["the page shows something else than its data"]


def test_a_certificate_of_what_does_not_hold_does_not_verify(tmp_path):
    table = {"weights": [[3, 1], [1, 3]], "epsilon": 1.0, "k": 1, "total": 4}
    assert check_certificate(made(tmp_path, claim_of_table(table)))[0]


@pytest.mark.parametrize("content", ["", "<html>", '<script type="application/json" id="audit">{"format": 1}</script>'])
def test_what_is_no_certificate_is_bad_data(tmp_path, content):
    path = tmp_path / "certificate.html"
    path.write_text(content)
    with pytest.raises(BadData, match="not a certificate"):
        check_certificate(path)


def test_a_purpose_cannot_write_html(tmp_path):
    page = made(tmp_path, claim_of(campaign_of(purpose="</script><script>alert(1)</script>"))).read_text()
    assert "<script>alert" not in page
    assert json.loads(re.search(r'id="audit">(.*?)</script>', page, re.DOTALL)[1])


def test_a_page_cannot_hide_behind_another_version(tmp_path):
    path = made(tmp_path)

    def change(payload):
        payload["version"] = "0.0.1"

    forged(path, change)
    assert check_certificate(path)[0] == []  # this version renders it alike
    path.write_text(re.sub(r"at most 0\.99\d+", "at most 0.01", path.read_text(), count=1))
    (problem,) = check_certificate(path)[0]
    assert "something else than its data; privge 0.0.1" in problem


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda audit: audit.update(realised_epsilon=0.01), "at the top"),
        (lambda audit: audit.update(violations=["x"]), "when it was made"),
        (lambda audit: audit.update(holds=False), "did not hold"),
    ],
)
def test_what_stands_beside_the_proofs_must_be_what_they_say(tmp_path, change, problem):
    path = made(tmp_path)
    forged(path, lambda payload: change(payload["audit"]))
    assert any(problem in each for each in check_certificate(path)[0])


def test_words_of_its_own_are_not_shown(tmp_path):
    """Everything for people is made from the values that a check proves again."""
    path = made(tmp_path)
    forged(path, lambda payload: payload.update(lines=["a whole report: realised epsilon <= 0.001; holds: true"]))
    visible = path.read_text().partition("<script")[0]
    assert "0.001" not in visible
    assert check_certificate(path)[0] == []


def test_a_certificate_without_a_proof_proves_nothing(tmp_path):
    path = tmp_path / "certificate.html"
    write_certificate(Audit(), path)
    assert any("proves nothing" in each for each in check_certificate(path)[0])


@pytest.mark.parametrize("name", ["proofs", "violations", "holds", "store", "over_time"])
def test_damaged_data_are_bad_data_or_a_problem(tmp_path, name):
    for damage in ({"a": 1}, "text", 7, [None]):
        path = made(tmp_path)
        payload = _payload(path.read_text())
        payload["audit"][name] = damage
        payload.pop("sha256")
        payload["sha256"] = _digest(payload)
        head, _, rest = path.read_text().partition('id="audit">')
        path.write_text(f'{head}id="audit">{json.dumps(payload)}</script>{rest.partition("</script>")[2]}')
        try:
            found = check_certificate(path)[0]
        except BadData as error:
            found = [str(error)]
        assert found
