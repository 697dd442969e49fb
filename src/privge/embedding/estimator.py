"""The whole method in scikit-learn's form."""

from collections.abc import Mapping
from typing import Self

from privge._typing import Decoding
from privge.campaign import Campaign
from privge.embedding.embed import embed
from privge.embedding.join import in_graph_order
from privge.embedding.parameters import NamedParameters
from privge.graph import Graph
from privge.perturbation.bounds import Bound, assumed, by_column, check_features
from privge.perturbation.features import FeatureData
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, HERE, Matrix, Place


class PrivGE(NamedParameters):
    """The whole method in scikit-learn's form: perturb, propagate, embed.

    ``fit_transform(graph, features)`` simulates every device. Parameters are those of `privge.Campaign` and
    `privge.embed`; ``get_params``, ``set_params`` and ``sklearn.base.clone`` work as for any estimator.

    Parameters
    ----------
    mechanism
        As for `privge.Campaign`.
    epsilon
        Privacy budget of a person's whole report; None for the controls.
    k
        Features that each person reports; by default `privge.mechanisms.default_k`.
    low
        Public lower bound: one number for all features, one for each, or a mapping from the name of a column. If it is
        left out it is 0, and features with a value below are refused.
    high
        Public upper bound, likewise. If it is left out it is 1, and features with a value above are refused.
    levels
        Input levels of the public grid; by default those of `privge.Campaign`.
    missing
        What a missing value counts as: ``midpoint``, ``low`` or ``high`` (an even grid has no midpoint), or ``refuse``.
    alpha
        As for `privge.embed`.
    r
        As for `privge.embed`.
    tolerance
        As for `privge.embed`.
    decoding
        As for `privge.embed`.
    clip
        As for `privge.embed`.
    seed
        None draws from the operating system; a seed repeats and is NOT PRIVATE.
    on
        As for `privge.embed`.
    """

    def __init__(
        self,
        *,
        mechanism: str = "hds",
        epsilon: float | None = 1.0,
        k: int | None = None,
        low: Bound | Mapping[str, float] | None = None,
        high: Bound | Mapping[str, float] | None = None,
        levels: int | None = None,
        missing: str = "midpoint",
        alpha: float = DEFAULT_ALPHA,
        r: float = DEFAULT_R,
        tolerance: float = DEFAULT_TOLERANCE,
        decoding: Decoding = "raw",
        clip: float | None = None,
        seed: int | None = None,
        on: Place = HERE,
    ) -> None:
        self.mechanism = mechanism
        self.epsilon = epsilon
        self.k = k
        self.low = low
        self.high = high
        self.levels = levels
        self.missing = missing
        self.alpha = alpha
        self.r = r
        self.tolerance = tolerance
        self.decoding = decoding
        self.clip = clip
        self.seed = seed
        self.on = on

    def fit(self, graph: Graph, features: FeatureData) -> Self:
        """Perturb everybody's features and embed; results end in an underscore.

        Parameters
        ----------
        graph
            The public graph.
        features
            One row for each node: a table of pandas, polars or pyarrow, whose rows are joined with the nodes by id (its
            column ``id``, or the index of a data frame without one) and whose columns name the campaign's features; or
            a matrix whose rows are in the graph's order.
        """
        people = in_graph_order(graph, features)
        check_features(people, assumed(self.low, self.high), "low= and high=, numbers or mappings from column names")
        low, high = (by_column(bound, people.names) for bound in (self.low, self.high))
        self.campaign_ = Campaign(
            dimensions=people.matrix.shape[1],
            low=0.0 if low is None else low,
            high=1.0 if high is None else high,
            mechanism=self.mechanism,
            epsilon=self.epsilon,
            k=self.k,
            levels=self.levels,
            missing=self.missing,
            names=people.names,
        )
        self.reports_ = self.campaign_.simulate(people, seed=self.seed)
        self.embedding_ = embed(
            graph,
            self.reports_,
            alpha=self.alpha,
            r=self.r,
            tolerance=self.tolerance,
            on=self.on,
            decoding=self.decoding,
            clip=self.clip,
        )
        return self

    def fit_transform(self, graph: Graph, features: FeatureData) -> Matrix:
        """Return the matrix of vectors, in the graph's order; parameters as for `fit`."""
        return self.fit(graph, features).embedding_.matrix

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embedding_")
