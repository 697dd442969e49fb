"""From reports and a graph to vectors: `embed`, `Embedding`, `PrivGE`."""

from privge.embedding.embed import embed
from privge.embedding.embedding import Embedding
from privge.embedding.estimator import PrivGE
from privge.embedding.provenance import Provenance
from privge.embedding.update import update

__all__ = ["Embedding", "PrivGE", "Provenance", "embed", "update"]
