"""Options about known labels, and reading them beside an embedding or a graph: strangers are counted and left out."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from privge.cli.declared import file_option, option
from privge.cli.ids import IdOptions
from privge.cli.options import existing
from privge.errors import BadData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privge.embedding.embedding import Embedding
    from privge.graph import Graph
    from privge.ids import Ids

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class LabelOptions(IdOptions):
    """Where known classes are, and what their columns are called."""

    labels_path: Path | None = file_option("--labels", about="Table of ids and known classes, numbers or text.")
    label_column: str = option("--label-column", metavar="NAME", default="label", help="Column of the classes.")

    @property
    def ids(self) -> IdOptions:
        """How ids are read."""
        return IdOptions(id_columns=self.id_columns, integer_ids=self.integer_ids)

    def read(self, home: "Embedding | Graph") -> "tuple[Ids, NDArray[np.object_]]":
        """Return ids and classes of nodes of an embedding or a graph, and say how many others there are."""
        from privge.graph import Graph
        from privge.graph.labels import read_labels

        path = existing(self.labels_path or Path())
        ids, labels = read_labels(
            path,
            integer_ids=self.integer_ids,
            id_column=self.column_in("labels"),
            label_column=self.label_column,
            blanks=True,
        )
        known = np.array([label is not None for label in labels], dtype=np.bool_)
        words = () if isinstance(home, Graph) else ("is in the embedding", "without a vector")
        found = among_nodes(path, ids[known], home.ids, *words)
        blanks = int((~known).sum())
        if blanks:
            logger.info("%s: %s rows have no class, which is then unknown", path, f"{blanks:,}")
        return ids[known][found], labels[known][found]


def among_nodes(
    path: Path,
    ids: "Ids",
    nodes: "Ids",
    where: str = "is in the graph",
    strange: str = "that are not in the graph (--nodes has those without edges)",
) -> "NDArray[np.bool_]":
    """Return which labelled ids are nodes; others are counted and said, and if all are others it is refused.

    Parameters
    ----------
    path
        The table of the labels, for messages.
    ids
        The labelled.
    nodes
        All nodes.
    where, strange
        What is said of nodes, and what of others.
    """
    from privge.curator.matching import rows_among

    found: NDArray[np.bool_] = rows_among(nodes, ids) >= 0
    if len(ids) and not found.any():
        raise BadData(
            f"{path}: none of the {len(ids):,} labelled nodes {where}; see whether ids are written alike in both: "
            "007 is not 7, and blanks count"
        )
    if not found.all():
        strangers = int((~found).sum())
        logger.warning(
            "%s: %s of %s labels are of nodes %s, and not used", path, f"{strangers:,}", f"{len(ids):,}", strange
        )
    return found
