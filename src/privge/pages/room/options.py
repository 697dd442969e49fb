"""What the operator's room is told when the service starts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """Files that the room may look at. All of them are public, and none is needed.

    Parameters
    ----------
    graph
        Edges, to show where in the graph people take part and to find communities.
    labels
        Table with the columns ``id`` and ``label``: public classes, the colours of a map.
    embeddings
        Folder of embeddings, to say which of them are stale.
    store
        Address of the store as a command line may show it: without a password.
    """

    graph: Path | None = None
    labels: Path | None = None
    embeddings: Path | None = None
    store: str = "STORE"
