"""`PrivGE` as an estimator of scikit-learn: its own checks, pipelines, clones, data frames."""

import subprocess
import sys
import warnings

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

import privge as pg
from privge.errors import BadData

PEOPLE = [f"person {i}" for i in range(30)]
EDGES = pd.DataFrame([(PEOPLE[i], PEOPLE[(i * 7 + 1) % 30]) for i in range(30)], columns=["source", "target"])


def table(seed=0):
    values = np.random.default_rng(seed).random((30, 3))
    return pd.DataFrame(values, index=PEOPLE, columns=["age", "likes", "posts"]).sample(frac=1, random_state=1)


class OnAPath(pg.PrivGE):
    """An estimator for checks that know nothing of graphs: people are joined in the order of their rows."""

    def fit(self, features, y=None):
        people = len(np.asarray(features.todense() if scipy.sparse.issparse(features) else features))
        path = networkx.to_scipy_sparse_array(networkx.path_graph(people)) if people else scipy.sparse.csr_array((0, 0))
        fitted = pg.PrivGE(**{**self.get_params(), "graph": path}).fit(features, y)
        results = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
        vars(self).update(results)
        for name in set(vars(self)) - set(results):
            if name.endswith("_"):
                delattr(self, name)
        return self


IN_VAIN = {
    "check_dtype_object": "features are arrays of numbers; one of objects is refused, for what it may hold",
    "check_methods_sample_order_invariance": "rows of a matrix are known by their order alone",
    "check_methods_subset_invariance": "rows of a matrix are known by their order alone",
    "check_fit_idempotent": "it asks for the vectors of people who did not take part",
}


def checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not inherit from BaseEstimator, to work without scikit-learn too
        estimator = OnAPath(low=-1e3, high=1e3, levels=33, seed=0)
        return list(estimator_checks_generator(estimator, expected_failed_checks=IN_VAIN, mark="xfail"))


@pytest.mark.parametrize(
    ("estimator", "check"), checks(), ids=lambda value: getattr(value, "func", value.__class__).__name__
)
@pytest.mark.filterwarnings("default")
def test_scikit_learn_s_own_checks_pass(estimator, check):
    check(estimator)


def test_a_pipeline_learns_labels_from_vectors():
    people = table()
    labels = (people["age"] > people["age"].median()).to_numpy()
    method = pg.PrivGE(graph=EDGES, mechanism="none", epsilon=None, k=3, alpha=0.9, seed=1)
    pipeline = make_pipeline(method, LogisticRegression()).fit(people, labels)
    assert pipeline.score(people, labels) > 0.8
    some = people.index[[3, 1, 4]]
    assert (pipeline.predict(people.loc[some]) == pipeline.predict(people)[[3, 1, 4]]).all()


def test_a_pipeline_can_be_cloned_and_its_graph_is_shared():
    graph = pg.as_graph(EDGES)
    pipeline = make_pipeline(pg.PrivGE(graph=graph, epsilon=3.0), LogisticRegression()).set_output(transform="pandas")
    copy = clone(pipeline)[0]
    assert copy is not pipeline[0]
    assert copy.get_params() == pipeline[0].get_params()
    assert copy.graph is graph
    assert isinstance(copy.fit_transform(table()), pd.DataFrame)
    with pytest.raises(NotFittedError):
        check_is_fitted(pipeline[0])


def test_a_search_chooses_among_parameters():
    people = table()
    labels = (people["age"] > people["age"].median()).to_numpy()
    pipeline = make_pipeline(pg.PrivGE(graph=EDGES, mechanism="none", epsilon=None, k=3, seed=1), LogisticRegression())
    everybody = [(np.arange(30), np.arange(30))]  # who is left out of a fold would be left out of the graph too
    search = GridSearchCV(pipeline, {"privge__alpha": [0.1, 0.9]}, cv=everybody).fit(people, labels)
    assert search.best_params_["privge__alpha"] in (0.1, 0.9)
    halves = GridSearchCV(pipeline, {"privge__alpha": [0.1]}, cv=ShuffleSplit(1, test_size=0.5), error_score="raise")
    with pytest.raises(BadData, match=r"15 of 30 nodes have no row of features.*cross-validate what comes after"):
        halves.fit(people, labels)


def test_vectors_stand_in_the_order_of_the_features_and_are_known_by_id():
    people, method = table(), pg.PrivGE(graph=EDGES, epsilon=2.0, seed=1)
    vectors = method.fit_transform(people)
    for row, person in enumerate(people.index):
        assert (vectors[row] == method.embedding_[person]).all()
    assert (method.transform(people.iloc[::-1]) == vectors[::-1]).all()
    assert method.ids_.tolist() == people.index.tolist()


def test_data_frames_keep_names_and_index():
    people = table().rename_axis("who")
    method = pg.PrivGE(graph=EDGES, seed=1).set_output(transform="pandas")
    frame = method.fit_transform(people)
    assert frame.index.equals(people.index)
    assert frame.index.name == "who"
    assert frame.columns.tolist() == method.get_feature_names_out().tolist() == ["age", "likes", "posts"]
    arrow = method.fit_transform(pa.table(people.reset_index(names="id")))
    assert arrow.index.name == "id"
    assert arrow.equals(frame.rename_axis("id"))
    with config_context(transform_output="pandas"):
        assert isinstance(pg.PrivGE(graph=EDGES).fit_transform(people), pd.DataFrame)
    assert isinstance(method.set_output(transform="default").transform(people), np.ndarray)
    with pytest.raises(ValueError, match="'default' or 'pandas'"):
        method.set_output(transform="excel")


def test_nobody_reports_twice_by_transform():
    people, method = table(), pg.PrivGE(graph=EDGES).fit(table())
    reports = method.reports_
    assert (method.transform(people) == method.transform(people)).all()
    assert (method.transform(people) == method.transform(1 - people)).all()  # values are not used
    assert method.reports_ is reports


@pytest.mark.parametrize(("options", "said"), [({}, 1), ({"seed": 1}, 0), ({"mechanism": "none", "epsilon": None}, 0)])
def test_a_second_fit_says_what_it_costs(caplog, options, said):
    method = pg.PrivGE(graph=EDGES, **{"epsilon": 1.5, **options}).fit(table())
    assert "again" not in caplog.text
    if said:
        method.set_params(epsilon=0.5)
    method.fit(table())
    assert (
        caplog.text.count("everybody's report again: whoever sees both draws knows as much as epsilon 1.5 + 0.5")
        == said
    )


def test_who_did_not_take_part_has_no_vector():
    method = pg.PrivGE(graph=EDGES).fit(table())
    with pytest.raises(BadData, match="1 of 2 nodes are not in the embedding, the first is 'nobody'"):
        method.transform(table().head(2).set_axis(["nobody", PEOPLE[0]]))
    with pytest.raises(ValueError, match="29 rows does not say whose they are, and 30 people were fitted"):
        method.transform(table().to_numpy()[:29])


def test_the_rows_of_a_matrix_are_numbered_if_edges_have_no_order():
    edges = [(2, 0), (0, 1), (1, 3)]
    features = np.random.default_rng(0).random((4, 2))
    method = pg.PrivGE(graph=edges, mechanism="none", epsilon=None, k=2, alpha=0.99, r=0.5)
    vectors = method.fit_transform(features)
    assert np.abs(vectors - (2 * features - 1)).max() < 0.05  # nearly all of the walk stays at home
    assert method.embedding_.ids.tolist() == [2, 0, 1, 3]
    with pytest.raises(BadData, match="not in the graph"):
        pg.PrivGE(graph=[("a", "b")]).fit(features[:2])


def test_a_matrix_is_refused_where_its_rows_could_mean_two_things():
    shuffled = networkx.Graph([(2, 0), (0, 1)])
    with pytest.raises(BadData, match=r"could be of nodes 0, 1, .* nodes=range\(n\)"):
        pg.PrivGE(graph=shuffled).fit(np.zeros((3, 2)))
    pg.PrivGE(graph=pg.as_graph(shuffled, nodes=range(3))).fit(np.zeros((3, 2)))
    named = networkx.relabel_nodes(shuffled, {0: "a", 1: "b", 2: "c"})
    pg.PrivGE(graph=named).fit(np.zeros((3, 2)))  # in the order of its nodes, as everywhere in networkx


def test_a_graph_is_asked_for_where_it_belongs():
    graph, asked = pg.as_graph(EDGES), {"epsilon": 3.0, "seed": 1}
    first, parameter = pg.PrivGE(**asked).fit_transform(graph, table()), pg.PrivGE(graph=graph, **asked)
    assert (np.asarray(first) == np.asarray(parameter.fit_transform(table()))).all()
    for twice in (lambda: parameter.fit(graph, table()), lambda: pg.PrivGE().fit(graph)):
        with pytest.raises(ValueError, match=r"once: PrivGE\(graph=graph\)\.fit\(features\)"):
            twice()
    with pytest.raises(ValueError, match="there is no graph"):
        pg.PrivGE().fit(table())


def test_its_name_shows_parameters_and_not_the_whole_graph():
    assert repr(pg.PrivGE(graph=EDGES, epsilon=3.0)).startswith("PrivGE(graph=DataFrame, mechanism='hds', epsilon=3.0,")
    assert "graph=Graph(30 nodes, 30 edges)" in repr(pg.PrivGE(graph=pg.as_graph(EDGES)))


def test_it_works_without_scikit_learn_and_pandas():
    code = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "pandas"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import numpy as np, privge as pg
method = pg.PrivGE(graph=[(0, 1), (1, 2)], seed=1)
try:
    method.transform(np.zeros((3, 2)))
except ValueError as error:
    print(error)
print(method.fit_transform(np.zeros((3, 2))).shape, method.get_feature_names_out().tolist(), method.get_params()["k"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "this PrivGE is not fitted yet: call fit first\n(3, 2) ['x0', 'x1'] None\n"
