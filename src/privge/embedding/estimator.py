"""The whole method in scikit-learn's form."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import Decoding
from privge.campaign import Campaign
from privge.embedding.embed import embed
from privge.embedding.join import in_graph_order, with_ids
from privge.embedding.output import Transformed, TransformOutput, not_fitted
from privge.embedding.parameters import NamedParameters
from privge.embedding.smoothed import Family
from privge.graph import Graph, GraphData, as_graph
from privge.graph.inputs import has_order, is_graph
from privge.perturbation.bounds import Bound, assumed, by_column, check_features
from privge.perturbation.features import FeatureData, Features, features_of, is_table
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, HERE, Place

if TYPE_CHECKING:
    from sklearn.utils import Tags

logger = logging.getLogger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class PrivGE(TransformOutput, NamedParameters):
    """The whole method in scikit-learn's form: perturb, propagate, embed.

    ``PrivGE(graph=graph).fit_transform(features)`` simulates every device: each person draws one report, and the
    reports are embedded. It goes into a ``Pipeline``, ``clone`` and ``set_output`` work, and so do data frames: people
    are known by their ids, columns by their names. Without scikit-learn it works too.

    **Each person reports once.** `transform` never draws: it returns the vectors of people who took part in `fit`, by
    their ids, and does not use their values. A second `fit` without a seed draws a second report of everybody; whoever
    sees both knows as much as 2 epsilon tell, and the log says so. To draw once and vary only what costs no privacy,
    fit once and call `privge.embed` on ``reports_``.

    Parameters
    ----------
    graph
        The public graph, in any form that `privge.as_graph` takes.
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
    smoother
        As for `privge.embed`.
    decoding
        As for `privge.embed`.
    clip
        As for `privge.embed`.
    seed
        None draws from the operating system; a seed repeats and is NOT PRIVATE.
    on
        As for `privge.embed`; None is this machine.

    Attributes
    ----------
    campaign_, reports_, embedding_
        What was asked, what everybody reported, and the `Embedding`, whose rows stand in the graph's order.
    ids_
        The node of each row of the features, in their order.
    n_features_in_, feature_names_in_
        How many columns the features had, and what they were called, if they had names.
    """

    graph: GraphData | None = None
    mechanism: str = "hds"
    epsilon: float | None = 1.0
    k: int | None = None
    low: Bound | Mapping[str, float] | None = None
    high: Bound | Mapping[str, float] | None = None
    levels: int | None = None
    missing: str = "midpoint"
    alpha: float | Literal["auto"] = DEFAULT_ALPHA
    r: float = DEFAULT_R
    tolerance: float = DEFAULT_TOLERANCE
    smoother: Family | None = None
    decoding: Decoding = "raw"
    clip: float | None = None
    seed: int | None = None
    on: Place | None = None

    def fit(self, features: FeatureData | GraphData, y: object = None) -> Self:
        """Perturb everybody's features and embed; results end in an underscore.

        ``fit(graph, features)`` is understood too, if the graph can be nothing else (`privge.Graph`, networkx, PyG).

        Parameters
        ----------
        features
            One row for each node: a table of pandas, polars or pyarrow, whose rows are joined with the nodes by id (its
            column ``id``, or the index of a data frame without one) and whose columns name the campaign's features; or
            a matrix. The rows of a matrix stand in the graph's order; if the graph is a table or a list of edges, which
            has none, they are of nodes 0, 1, ....
        y
            Not used; scikit-learn's pipelines hand the labels to every step.
        """
        given, data = self._told_apart(features, y)
        graph = as_graph(given)
        people = with_ids(graph, data, by_position=has_order(given))
        ordered = in_graph_order(graph, people)
        check_features(people, assumed(self.low, self.high), "low= and high=, numbers or mappings from column names")
        campaign = self._campaign(people)
        self._remark_second_draw(campaign)
        self.campaign_, self.ids_, self.n_features_in_ = campaign, people.ids, people.matrix.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if people.names is not None:
            self.feature_names_in_ = np.array(people.names, dtype=np.object_)
        self.reports_ = campaign.simulate(ordered, seed=self.seed)
        self.embedding_ = embed(
            graph,
            self.reports_,
            alpha=self.alpha,
            r=self.r,
            tolerance=self.tolerance,
            smoother=self.smoother,
            on=HERE if self.on is None else self.on,
            decoding=self.decoding,
            clip=self.clip,
        )
        return self

    def transform(self, features: FeatureData) -> Transformed:
        """Return the vectors of people who took part in `fit`, a row for each row of the features.

        Nobody reports again: a table says by its ids whose vectors are wanted, and a matrix must have the rows of
        `fit`. Values are not used.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = features_of(features, getattr(self, "feature_names_in_", None))
        found, expected = rows.matrix.shape[1], self.n_features_in_
        if found != expected:
            raise ValueError(
                f"X has {found} features, but {type(self).__name__} is expecting {expected} features as input"
            )
        if not is_table(features) and len(rows.ids) != len(self.ids_):
            raise ValueError(
                f"a matrix of {len(rows.ids):,} rows does not say whose they are, and {len(self.ids_):,} people were "
                "fitted; give a table with their ids, or ask for vectors by id: embedding_[ids]"
            )
        ids = rows.ids if is_table(features) else self.ids_
        in_order = len(ids) == len(self.embedding_) and ids.tolist() == self.embedding_.ids.tolist()
        matrix = self.embedding_.matrix if in_order else self.embedding_[ids]
        return self._contained(matrix, features, ids)

    def fit_transform(self, features: FeatureData | GraphData, y: object = None) -> Transformed:
        """Draw everybody's report, and return a vector for each row of the features; parameters as for `fit`."""
        people = y if is_graph(features) else features
        return self.fit(features, y).transform(people)

    def get_feature_names_out(self, input_features: NDArray[np.object_] | None = None) -> NDArray[np.object_]:
        """Return the names of the columns: as each is one feature, spread over the graph, those of the features.

        Parameters
        ----------
        input_features
            Names for features that had none; others must be those of `fit`.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        own: NDArray[np.object_] | None = getattr(self, "feature_names_in_", None)
        if input_features is None:
            numbered = np.array([f"x{column}" for column in range(self.n_features_in_)], dtype=np.object_)
            return numbered if own is None else own
        given = np.asarray(input_features, dtype=np.object_)
        if own is not None and not np.array_equal(own, given):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(given) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features in fit")
        return given

    def __repr__(self) -> str:
        shown = repr(self.graph) if self.graph is None or isinstance(self.graph, Graph) else type(self.graph).__name__
        others = (f"{name}={value!r}" for name, value in self.get_params().items() if name != "graph")
        return f"{type(self).__name__}(graph={shown}, {', '.join(others)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embedding_")

    def __sklearn_clone__(self) -> Self:
        """Share the parameters: a graph is large, and nothing here changes it."""
        copy = type(self)(**self.get_params())  # type: ignore[arg-type]
        copy.take_output_of(self)
        return copy

    def __sklearn_tags__(self) -> "Tags":
        with needed("scikit-learn's tags"):
            from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),  # float32, unless the tolerance asks for more
            input_tags=InputTags(sparse=True, allow_nan=True),
            non_deterministic=self.seed is None,
        )

    def _told_apart(self, features: FeatureData | GraphData, y: object) -> tuple[GraphData, FeatureData]:
        """Return the graph and the features, whichever of the two ways they were given in."""
        if is_graph(features):
            if y is None or self.graph is not None:
                raise ValueError("give a graph and features once: PrivGE(graph=graph).fit(features)")
            return features, y
        if self.graph is None:
            raise ValueError("there is no graph to embed: PrivGE(graph=graph).fit(features)")
        return self.graph, features

    def _campaign(self, people: Features) -> Campaign:
        low, high = (by_column(bound, people.names) for bound in (self.low, self.high))
        return Campaign(
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

    def _remark_second_draw(self, campaign: Campaign) -> None:
        if self.seed is None and self.epsilon is not None and self.__sklearn_is_fitted__():
            first = self.reports_.campaign.epsilon
            logger.warning(
                "fit draws everybody's report again: whoever sees both draws knows as much as epsilon %g + %g tell",
                first,
                campaign.epsilon,
            )
