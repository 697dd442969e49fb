"""`Plan`: who teaches, who is asked and what is public of them, recorded in one file before anybody reports."""

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from privge._files.atomic import atomic_path
from privge._typing import Progress
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import LabelledGraph
from privge.graph.labels import LabelsById, LabelsByRow
from privge.ids import Ids
from privge.structure import NodeChannel
from privge.tasks import NodeSplit, best_label_propagation
from privge.teaching.checked import check_plan
from privge.teaching.prior import public_prior
from privge.teaching.roles import JUDGES, Roles

_TEACHES, _ASKED, _NEITHER = "teaches", "is asked", "neither"
_ROLES = frozenset({_TEACHES, _ASKED, _NEITHER})
_JUDGING = 0.2  # share of the labelled people who are reserved for judging


@dataclass(frozen=True, eq=False)
class Plan:
    """A division of people for one round. Everything in it is public.

    Parameters
    ----------
    structure, labels
        The public prior of every node, and its known class as a column of the prior; -1 if it is not known.
    roles
        Who teaches, who is asked about what, who judges.
    epsilon
        Of an answer.
    friends
        How many each node has, if it is known: to say for whom answers are worth what.
    graph_alone
        The class of each node by label propagation from the labelled people who do not judge, as a column: a control.
    """

    structure: NodeChannel
    labels: NDArray[np.int64]
    roles: Roles
    epsilon: float
    friends: NDArray[np.int64] | None = None
    graph_alone: NDArray[np.int64] | None = None

    @classmethod
    def make(
        cls,
        graph: Graph,
        labels: LabelsByRow | LabelsById,
        *,
        epsilon: float,
        judges: int = JUDGES,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Self:
        """Divide people by the graph and by the labels that are known.

        Parameters
        ----------
        graph, labels
            The public graph, and labels by row or by id; people without one are to be classified.
        epsilon
            Of an answer.
        judges
            As for `Roles.of`.
        seed
            Of which labelled people judge.
        progress
            As for `public_prior`.
        """
        labelled = LabelledGraph.of(graph, labels)
        known = np.random.default_rng([seed, 14]).permutation(labelled.labels.known)
        validation, train = np.split(known, [int(_JUDGING * len(known))])
        if len(validation) < 10:
            raise BadData(f"at least 50 people must be labelled, for teaching and judging; {len(known)} are")
        if len(np.unique(labelled.labels.places[train])) < 2:
            raise BadData("the labelled people must be of at least two classes: of one there is nothing to ask")
        names, places = labelled.labels.classes.tolist(), labelled.labels.places
        train, validation = np.sort(train), np.sort(validation)
        named = [names[place] if place >= 0 else None for place in places.tolist()]
        structure = public_prior(graph, named, train=train, validation=validation, seed=seed, progress=progress)
        roles = Roles.of(structure.log, train=train, validation=validation, epsilon=epsilon, judges=judges, seed=seed)
        return cls(structure, places, roles, epsilon, graph.degrees, _graph_alone(graph, places, roles, known))

    @property
    def teachers(self) -> Ids:
        """Ids of those who teach."""
        ids: Ids = self.structure.ids[self.roles.teachers]
        return ids

    def save(self, path: str | PathLike[str]) -> None:
        """Write a Parquet file with a row for each node; the file is complete or absent."""
        roles, nodes = self.roles, len(self.structure.ids)
        role = np.full(nodes, _NEITHER, dtype=object)
        role[roles.teachers], role[roles.asked] = _TEACHES, _ASKED
        classes: list[list[int] | None] = [None] * nodes
        for row, asked in zip(roles.asked.tolist(), roles.classes.tolist(), strict=True):
            classes[row] = [place for place in asked if place >= 0]
        controls = {"friends": self.friends, "graph alone": self.graph_alone}
        table = pa.table(
            {
                "id": self.structure.ids.tolist(),
                "role": pa.array(role.tolist()),
                "judges": np.isin(np.arange(nodes), roles.judges),
                "label": self.labels,
                "classes": pa.array(classes, type=pa.list_(pa.int64())),
                "prior": pa.array(self.structure.probabilities.tolist(), type=pa.list_(pa.float64())),
                **{name: values for name, values in controls.items() if values is not None},
            }
        )
        channel = self.structure
        facts = {"classes": channel.classes.tolist(), "temperature": channel.temperature, "epsilon": self.epsilon}
        with atomic_path(Path(path)) as partial:
            pyarrow.parquet.write_table(table.replace_schema_metadata({"privge-plan": json.dumps(facts)}), partial)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; what cannot be a plan is refused by the column that is wrong."""
        try:
            table = pyarrow.parquet.read_table(path)
            return cls._of(table, json.loads((table.schema.metadata or {})[b"privge-plan"]))
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
            raise BadData(f"{path}: this is not a plan of who teaches and who is asked") from error

    @classmethod
    def _of(cls, table: pa.Table, facts: dict[str, Any]) -> Self:
        if any(table[name].null_count for name in ("id", "role", "judges", "label", "prior")):
            raise BadData("something is missing in a row")
        role = np.asarray(table["role"].to_pylist(), dtype=object)
        asked = np.flatnonzero(role == _ASKED)
        each = table["classes"].take(pa.array(asked)).to_pylist()
        width = max((len(one) for one in each), default=2)
        classes = np.array([[*one, *[-1] * (width - len(one))] for one in each], dtype=np.int64).reshape(-1, width)
        roles = Roles(np.flatnonzero(role == _TEACHES), asked, classes, np.flatnonzero(table["judges"].to_numpy()))
        structure = NodeChannel(
            np.array(table["id"].to_pylist()),
            np.array(facts["classes"]),
            np.array(table["prior"].to_pylist(), dtype=np.float64),
            float(facts["temperature"]),
        )
        labels = table["label"].to_numpy().astype(np.int64)
        controls = (_integers(table, name) for name in ("friends", "graph alone"))
        plan = cls(structure, labels, roles, float(facts["epsilon"]), *controls)
        check_plan(plan, role.tolist(), _ROLES)
        return plan


def _integers(table: pa.Table, name: str) -> NDArray[np.int64] | None:
    """Return a column that not every plan has."""
    return table[name].to_numpy().astype(np.int64) if name in table.column_names else None


def _graph_alone(graph: Graph, labels: NDArray[np.int64], roles: Roles, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return everybody's class by label propagation that knows no judge's label; a fifth of the others chooses how."""
    others = known[~np.isin(known, roles.judges)]
    validation, train = np.split(others, [int(_JUDGING * len(others))])
    return np.asarray(
        best_label_propagation(graph, labels, NodeSplit(np.sort(train), np.sort(validation), roles.judges))
    )
