"""Other packages bring mechanisms, engines and datasets: the command line and Python see them, and check them."""

import importlib
import json
import math

import numpy as np
import pytest

import privge as pg
from plugins.mine import PowerIteration, RandomisedResponse
from privge.errors import InvalidCampaign, PluginRefused
from privge.mechanisms import LAWS, law_for, laws
from privge.propagation import engines
from privge.testing import EngineContract, LawContract

ALL = {
    "mechanisms": {"mine": "mine:RandomisedResponse"},
    "engines": {"mine": "mine:PowerIteration"},
    "datasets": {"village": "mine:village"},
}


class TestRandomisedResponse(LawContract):
    kind = RandomisedResponse


class TestPowerIteration(EngineContract):
    engine = PowerIteration()


@pytest.fixture
def _files(site):
    rows = np.random.default_rng(0).random((40, 3))
    lines = ["id,a,b,c", *(f"p{i},{a},{b},{c}" for i, (a, b, c) in enumerate(rows.tolist()))]
    (site.folder / "features.csv").write_text("\n".join(lines) + "\n")
    edges = ["source,target", *(f"p{i},p{(i + 1) % 40}" for i in range(40))]
    (site.folder / "edges.csv").write_text("\n".join(edges) + "\n")


def test_a_mechanism_is_shown_as_our_own(site):
    site.install("other", **ALL)
    assert "mine" in site.privge("law", "--help").stdout
    shown = json.loads(site.privge("law", "--mechanism", "mine", "--epsilon", 1, "--json").stdout)
    assert shown["mechanism"] == "mine"
    assert 1 - 1e-9 < shown["realised_epsilon"] <= 1


@pytest.mark.usefixtures("_files")
def test_a_mechanism_perturbs_and_an_engine_embeds(site):
    site.install("other", **ALL)
    given = ("--features", "features.csv", "--mechanism", "mine", "--epsilon", 2, "--k", 2)
    site.privge("perturb", *given, "-o", "reports.parquet")
    inputs = ("--graph", "edges.csv", "--reports", "reports.parquet", "--tolerance", "1e-6", "--json")
    made = {
        engine: json.loads(site.privge("embed", *inputs, "--engine", engine, "-o", f"{engine}.npy").stdout)
        for engine in ("mine", "sor")
    }
    assert made["mine"]["engine"] == "mine"
    mine, ours = (np.load(site.folder / f"{engine}.npy") for engine in ("mine", "sor"))
    assert np.abs(mine - ours).max() <= made["mine"]["certificate"] + made["sor"]["certificate"]


def test_a_dataset_is_listed_and_loaded(site):
    site.install("other", **ALL)
    listed = json.loads(site.privge("datasets", "--json").stdout)["datasets"]
    assert [row["name"] for row in listed][-1] == "village"
    assert "village" in site.privge("datasets", "village").stdout
    assert "4 nodes, 3 edges" in site.run("-c", "from privge.datasets import load; print(load('village'))").stdout


DRAW = "import privge as pg; print(pg.Campaign.load('campaign.json').report([0.1, 0.9], node='a').codes)"


def test_a_device_answers_a_law_that_is_installed_on_it_and_no_other(site):
    site.install("other", **ALL)
    site.privge("campaign", "new", "--dimensions", 2, "--mechanism", "mine", "--epsilon", 1, "-o", "campaign.json")
    assert site.run("-c", DRAW).stdout.strip() in ("(0,)", "(1,)")
    with pytest.raises(pg.PrivgeError, match=r"campaign field 'mechanism': must be one of hds, .* got 'mine'"):
        pg.Campaign.load(site.folder / "campaign.json")


@pytest.mark.parametrize(
    ("name", "kind", "problem"),
    [("boastful", "Boastful", "its weights say"), ("endless", "Endless", "too many to read")],
)
def test_a_law_that_does_not_stand_enumeration_is_refused(site, name, kind, problem):
    site.install("other", mechanisms={name: f"mine:{kind}"})
    said = site.privge(
        "campaign", "new", "--dimensions", 2, "--mechanism", name, "--epsilon", 1, "-o", "c.json", code=2
    )
    assert problem in said.stderr
    assert problem in site.privge("law", "--mechanism", name, "--epsilon", 1, "--levels", 1025, code=1).stderr
    assert not (site.folder / "c.json").exists()


@pytest.mark.parametrize("name", ["boastful", "endless"])
def test_a_device_refuses_such_a_law_from_a_document_too(site, name):
    site.install("other", mechanisms={name: f"mine:{name.title()}"})
    law = RandomisedResponse.for_epsilon(3.0, 1025)
    document = pg.Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1).to_document()
    (site.folder / "campaign.json").write_text(json.dumps({**document, "mechanism": name, "law": law.parameters()}))
    code = DRAW.replace("import privge as pg;", "import privge as pg, sys; sys.tracebacklimit = 0;")
    assert "campaign field 'law'" in site.run("-c", f"try:\n {code}\nexcept pg.PrivgeError as e: print(e)").stdout


def test_a_grid_that_a_law_does_not_have_is_named(site):
    site.install("other", mechanisms={"two": "mine:TwoLevels"})
    given = ("--mechanism", "two", "--epsilon", 1)
    said = site.privge("campaign", "new", "--dimensions", 2, *given, "-o", "c.json", code=2).stderr
    assert "campaign field 'law': a yes or no has 2 levels, got 1025" in said
    assert "a yes or no has 2 levels, got 33" in site.privge("law", *given, code=2).stderr
    assert "2 inputs, 2 outputs" in site.privge("law", *given, "--levels", 2).stdout


BROKEN = {
    "failing": "failing:Law",
    "absent": "nowhere:Law",
    "unnamed": "mine:Nothing",
    "word": "mine:no_dataset",
    "other": "mine:RandomisedResponse",
    "changeable": "mine:Changeable",
}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("failing", "its import fails with RuntimeError: half installed"),
        ("absent", "its import fails with ModuleNotFoundError: No module named 'nowhere'"),
        ("unnamed", "its import fails with AttributeError"),
        ("word", "it is not a subclass of privge.mechanisms.Law"),
        ("other", "it calls itself 'mine'"),
        ("changeable", "it is not a frozen dataclass"),
    ],
)
def test_a_broken_plug_in_is_named_in_one_line_when_it_is_asked_for(site, name, problem):
    site.install("breaker", mechanisms=BROKEN)
    said = site.privge("law", "--mechanism", name, "--epsilon", 1, code=1).stderr
    assert len(said.splitlines()) == 1
    assert (
        f"the plug-in {name!r} among the mechanisms of the package breaker ({BROKEN[name]}) is refused: {problem}"
        in said
    )


def test_a_broken_plug_in_disturbs_nobody_else(site):
    site.install("breaker", mechanisms=BROKEN, engines={"failing": "failing:Engine"}, datasets={"failing": "failing:x"})
    site.install("other", **ALL)
    assert not site.privge("law", "--epsilon", 1).stderr
    assert not site.privge("law", "--mechanism", "mine", "--epsilon", 1).stderr
    assert "failing" in site.privge("embed", "--help").stdout
    listed = site.privge("datasets", "--json")
    assert [row["name"] for row in json.loads(listed.stdout)["datasets"]][-2:] == ["synthetic", "village"]
    assert "the plug-in 'failing' among the datasets of the package breaker" in listed.stderr
    assert len(listed.stderr.splitlines()) == 1


def test_a_name_that_is_taken_is_refused_and_ours_is_used(site):
    site.install("thief", mechanisms={"hds": "failing:Law"}, engines={"sor": "failing:Engine"})
    assert not site.privge("law", "--epsilon", 1).stderr
    said = site.privge("law", "--mechanism", "gauss", "--epsilon", 1, code=2).stderr
    assert "the plug-in 'hds' among the mechanisms of the package thief (failing:Law) is refused" in said
    assert "the name is taken by privge's own" in said


def test_a_name_that_two_packages_bring_is_refused(site):
    site.install("one", **ALL)
    site.install("two", **ALL)
    said = site.privge("law", "--mechanism", "mine", "--epsilon", 1, code=1).stderr
    assert "several packages bring one of that name (one, two); uninstall all but one" in said


def test_our_own_are_found_without_looking_at_what_is_installed(monkeypatch):
    metadata = importlib.import_module("importlib.metadata")
    monkeypatch.setattr(metadata, "entry_points", lambda **_: pytest.fail("everything installed was looked at"))
    laws.cache_clear()
    engines.cache_clear()
    assert law_for("hds", 1.0).name == "hds"
    assert pg.Campaign(dimensions=1, low=0, high=1, mechanism="none").epsilon == math.inf
    assert engines()["sor"].name == "sor"


@pytest.fixture
def installed(site, monkeypatch):
    monkeypatch.syspath_prepend(str(site.folder))
    laws.cache_clear()
    yield site
    laws.cache_clear()


def test_a_plug_in_is_a_member_of_the_mapping(installed):
    installed.install("other", mechanisms={"mine": "plugins.mine:RandomisedResponse", "failing": "failing:Law"})
    members = laws()
    assert list(members)[-2:] == ["failing", "mine"]
    assert len(members) == len(LAWS) + 2
    assert members["mine"] is members["mine"] is RandomisedResponse
    assert "failing" in members
    assert "gauss" not in members
    with pytest.raises(PluginRefused, match="half installed"):
        members["failing"]
    with pytest.raises(KeyError):
        members["gauss"]
    assert "failing" not in list(members.usable())


def _installed_campaign(name, **changes):
    return pg.Campaign(dimensions=2, low=0, high=1, mechanism=name, epsilon=1.0, k=1, **changes)


def test_a_law_whose_annotations_are_text_is_read_out_of_its_document(installed):
    installed.install("other", mechanisms={"quoted": "plugins.mine:Quoted"})
    campaign = _installed_campaign("quoted")
    assert pg.Campaign.from_json(campaign.to_json()) == campaign


def test_a_law_that_its_document_would_not_give_again_is_refused(installed):
    installed.install("other", mechanisms={"forgetful": "plugins.mine:Forgetful"})
    with pytest.raises(InvalidCampaign, match="not what its own parameters say"):
        _installed_campaign("forgetful")


def test_integers_that_a_law_did_not_expect_are_refused_by_the_field(installed):
    installed.install("other", mechanisms={"mine": "plugins.mine:RandomisedResponse"})
    with pytest.raises(InvalidCampaign, match="'law': the law fails with ZeroDivisionError"):
        _installed_campaign("mine", law={"levels": 1025, "truth": 2**53})
