"""A package that only some installs have: one line that says how to get it, before any work is done."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from privge._imports import ALONE, EXTRAS, missing_extra, needed, require
from privge.errors import MissingExtra, PrivgeError

ROOT = Path(__file__).parent.parent

# Runs a command in a process that has the packages of a core install and no others.
CORE = """
import sys
from privge._imports import ALONE, EXTRAS

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {*EXTRAS, *ALONE}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
COMMAND = CORE + "from privge.cli import main; main()"


def core(code, *arguments, folder):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def optional_dependencies():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["optional-dependencies"]


def test_each_module_is_brought_by_its_extra():
    listed = {
        extra: {re.split(r"[\[>=<; ]", package)[0].lower() for package in packages}
        for extra, packages in optional_dependencies().items()
    }
    distributions = packages_distributions()
    brought_along = {"dask": "distributed", "tornado": "distributed", "psycopg_pool": "psycopg"}
    for module, extra in EXTRAS.items():
        packages = {package.lower() for package in distributions[brought_along.get(module, module)]}
        assert packages & listed[extra], f"{module} is not brought by {extra}"


def test_every_package_of_an_extra_that_users_install_has_its_modules_in_the_table():
    distributions = packages_distributions()  # reads the files of every package
    for extra in ("train", "serve", "plot", "cluster"):
        for package in optional_dependencies()[extra]:
            name = re.split(r"[\[>=<; ]", package)[0].lower()
            found = [module for module, packages in distributions.items() if name in map(str.lower, packages)]
            brings = (extra, "plot") if name == "jinja2" else (extra,)  # of two extras; the table names one
            assert any(EXTRAS.get(module) in brings for module in found), f"{name} is not in the table"


def test_no_module_of_an_extra_is_imported_without_being_in_the_table():
    pattern = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
    core_modules = {"privge", "click", "llvmlite", "numba", "numpy", "pyarrow", "rfc8785", "scipy"}
    for path in (ROOT / "src").rglob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        foreign = set(pattern.findall(code)) - core_modules - sys.stdlib_module_names
        assert foreign <= {*EXTRAS, *ALONE}, path


def test_a_missing_module_is_told_with_the_command_that_installs_it():
    with (
        pytest.raises(
            MissingExtra, match=r"^a thing needs sklearn, which is not installed: pip install 'privge\[train\]'$"
        ),
        needed("a thing"),
    ):
        raise ModuleNotFoundError(name="sklearn.metrics")
    told = missing_extra(ModuleNotFoundError(name="jinja2"), "the demo", "demo")
    assert str(told).endswith("pip install 'privge[demo]'")
    assert str(missing_extra(ModuleNotFoundError(name="pandas"), "a data frame")).endswith("pip install pandas")
    assert issubclass(MissingExtra, PrivgeError)
    assert issubclass(MissingExtra, ImportError)


def test_a_module_that_is_none_of_ours_stays_what_it_is():
    with pytest.raises(ModuleNotFoundError) as raised, needed("a thing"):
        raise ModuleNotFoundError("No module named 'nothing'", name="nothing")
    assert not isinstance(raised.value, MissingExtra)


def test_what_is_installed_is_not_missed(monkeypatch):
    require("a thing", "torch", "sklearn")
    monkeypatch.setattr("privge._imports.installed.find_spec", lambda name: None if name == "optuna" else object())
    with pytest.raises(MissingExtra, match="optuna"):
        require("a thing", "torch", "optuna")


LIBRARY = {
    "to_pandas": ("vectors.to_pandas()", "pip install pandas"),
    "to_pyg": ("vectors.to_pyg(None)", "train"),
    "to_networkx": ("graph.to_networkx()", "networkx"),
    "node head": ("NodeClassifier().fit(np.eye(4), np.arange(4))", "train"),
    "link head": ("LinkPredictor().fit(np.eye(4), graph, pairs, validation=(pairs, pairs))", "train"),
    "metric": ("accuracy(np.arange(3), np.arange(3))", "train"),
    "cluster": (
        "pg.propagate(graph, scipy.sparse.csr_array(np.eye(4)), on=pg.OnCluster('tcp://127.0.0.1:1'))",
        "cluster",
    ),
    "address": ("pg.StoredGraph.open('s3://bucket/a.graph')", "cluster"),
    "service": ("import privge.collect.service as service; service.create_app", "serve"),
    "PostgreSQL": ("from privge.collect.stores import open_store; open_store('postgresql://host/name')", "serve"),
}
SETTING = """
import numpy as np, scipy.sparse, privge as pg
from privge.errors import MissingExtra
from privge.tasks import LinkPredictor, NodeClassifier, accuracy
graph = pg.Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]))
campaign = pg.Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
vectors = pg.embed(graph, campaign.simulate(np.zeros((4, 2)), ids=graph.ids, seed=0))
pairs = np.array([[0, 3]])
for statement in sys.argv[1:]:
    try:
        exec(statement)
    except MissingExtra as error:
        print(error)
    else:
        print("nothing is missing")
"""


@pytest.fixture(scope="module")
def told_by_the_library(tmp_path_factory):
    """What each statement is told, one after the other in one process: to begin it takes longer than all of them."""
    statements = [statement for statement, _ in LIBRARY.values()]
    done = core(CORE + SETTING, *statements, folder=tmp_path_factory.mktemp("core"))
    assert done.returncode == 0, done.stderr
    return dict(zip(LIBRARY, done.stdout.splitlines(), strict=True))


@pytest.mark.parametrize("name", list(LIBRARY))
def test_the_library_says_which_extra_it_lacks(told_by_the_library, name):
    told = told_by_the_library[name]
    assert re.fullmatch(r".* needs \w+, which is not installed: pip install .*", told), told
    assert LIBRARY[name][1] in told


COMMANDS = {
    "demo": (["demo", "-o", "d.html"], "demo"),
    "report": (["report", "results"], "plot"),
    "reproduce": (["reproduce", "nodes"], "train"),
    "tune": (["tune", "nodes", "--dataset", "cora"], "train"),
    "serve": (["serve", "--store", "s.db"], "serve"),
    "submit": (["submit", "--campaign", "https://h/v1/campaigns/" + "a" * 64, "--batch", "x.csv"], "serve"),
    "store": (["store", "stats", "--store", "postgresql://host/name"], "serve"),
    "cluster": (["cluster", "--local", "2"], "cluster"),
    "embed": (["embed", "--graph", "s3://bucket/a.graph", "--reports", "r.parquet", "-o", "z.parquet"], "cluster"),
}


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_on_a_core_install_says_which_extra_it_lacks(tmp_path, name):
    arguments, extra = COMMANDS[name]
    done = core(COMMAND, *arguments, folder=tmp_path)
    assert done.returncode == 1
    assert re.fullmatch(rf"Error: .* not installed: pip install 'privge\[{extra}\]'\n", done.stderr), done.stderr
    assert not list(tmp_path.iterdir())


def test_a_core_install_does_what_it_can(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "features.csv").write_text("id,x,y\na,0.1,0.2\nb,0.3,0.4\nc,0.5,0.6\n")
    for command in (
        ["--help"],
        ["token", "keygen", "-o", "keys"],
        ["token", "mint", "--keys-file", "keys", "--node", "a"],
        ["campaign", "new", "--dimensions", "2", "--epsilon", "1", "-o", "c.json"],
        ["campaign", "show", "c.json"],
        ["perturb", "--features", "features.csv", "--campaign", "c.json", "-o", "r.parquet"],
        ["embed", "--graph", "edges.csv", "--reports", "r.parquet", "-o", "z.parquet"],
        ["similar", "z.parquet", "--node", "a"],
        ["reproduce", "variance"],
        ["datasets"],
        ["law", "--epsilon", "1"],
    ):
        done = core(COMMAND, *command, folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
    published = core(
        COMMAND, "campaign", "publish", "c.json", "--service", "https://h", "--admin-token-file", "no", folder=tmp_path
    )
    assert (published.returncode, published.stderr) == (3, "Error: no: No such file or directory\n")


def test_tokens_minted_without_the_extra_are_those_of_the_service(tmp_path):
    from privge.collect.service.credentials import read_keys
    from privge.wire.tokens import Verifier

    core(COMMAND, "token", "keygen", "-o", "keys", folder=tmp_path)
    for node in ("a", 'quo"te\\ é漢\u007f', "line\nend"):
        token = core(COMMAND, "token", "mint", "--keys-file", "keys", "--node", node, folder=tmp_path).stdout.strip()
        assert Verifier(read_keys(tmp_path / "keys")).verify(token, now=0).node == node
