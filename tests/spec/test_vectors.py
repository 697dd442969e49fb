"""The test vectors of the specification, run by the Python device. The other clients run the same files."""

import json

import pytest

from spec import conversations, documents, inputs, make
from spec.make import FOLDER
from spec.outcomes import reading, same
from spec.run import conversation, differences, refused_input, vectors

VALID = [vector for name in ("short", "questions", "taught") for vector in vectors(name)]


def named(vector):
    return vector["name"]


@pytest.mark.parametrize("vector", VALID, ids=named)
def test_a_valid_case_gives_the_stated_report(vector):
    cases, found = differences(vector)
    assert found[:3] == []
    assert cases or vector["indices"]


def test_there_are_more_than_a_thousand_cases_of_every_kind():
    assert sum(len(person["words"]) for vector in VALID for person in vector["people"]) > 1_000
    documents = [json.loads(vector["document"]) for vector in VALID]
    mechanisms = {document.get("mechanism") for document in documents}
    kinds = {question["kind"] for document in documents for question in document.get("questions", ())}
    assert mechanisms >= {"hds", "piecewise", "multibit", "laplace", "choice"}
    assert kinds == {"number", "yes-no", "choice", "direction", "model", "score"}


@pytest.mark.parametrize(
    ("name", "weight", "more"),
    [
        ("hds, epsilon 8, 4097 levels", "high", -1),
        ("piecewise, epsilon 8, 4097 levels", "high", -1),
        ("multibit, epsilon 4, 5 levels", "slope", -1),
        ("choice, epsilon 4, 5 levels", "low", 1),
        ("laplace, epsilon 8, 4097 levels", "centre", -2),  # whose weights are all even
    ],
)
def test_a_law_that_is_altered_by_one_unit_fails(name, weight, more):
    """All three features are reported, so the indices are the same: what differs is the law."""
    vector = next(each for each in VALID if each["name"] == name)
    document = json.loads(vector["document"])
    assert document["k"] == document["dimensions"]
    document["law"][weight] += more
    _, found = differences(vector, json.dumps(document))
    assert found[0] == "id"
    assert any(" and not " in each for each in found)


@pytest.mark.parametrize("vector", vectors("documents"), ids=named)
def test_a_bad_document_is_refused(vector):
    text = bytes.fromhex(vector["hex"]) if "hex" in vector else vector["text"].encode()
    assert reading(text, vector["id"]) == vector["refused"]


@pytest.mark.parametrize("vector", vectors("inputs"), ids=named)
def test_a_bad_input_is_refused(vector):
    assert same(vector["refused"], refused_input(vector) or "nothing")


@pytest.mark.parametrize("vector", vectors("conversations"), ids=named)
def test_a_service_gets_what_it_should(vector, tmp_path):
    outcome = conversation(vector, tmp_path / "device")
    if "refused" in vector:
        assert same(vector["refused"], outcome.pop("refused"))
    assert outcome == {name: vector[name] for name in outcome}


def test_the_files_are_what_the_command_makes():
    """The quick ones in full; of the cases, one campaign of each file."""
    for name, made in (("documents", documents), ("inputs", inputs), ("conversations", conversations)):
        assert json.loads((FOLDER / f"{name}.json").read_bytes())["vectors"] == json.loads(json.dumps(made.vectors()))
    for name, campaigns in (("short", make.campaigns.short_forms()), ("taught", make.campaigns.taught())):
        first = json.loads(json.dumps(make.valid.vectors([next(campaigns)])))
        assert vectors(name)[0] == first[0]
