"""From reports and a graph to vectors: `embed`, `Embedding`, `PrivGE`."""

from privge.embedding.channel import Channel, ChannelColumns
from privge.embedding.embed import embed
from privge.embedding.embed_channels import answers_channel, structure_channel, together
from privge.embedding.embedding import Embedding
from privge.embedding.estimator import PrivGE
from privge.embedding.provenance import Provenance
from privge.embedding.update import update

__all__ = [
    "Channel",
    "ChannelColumns",
    "Embedding",
    "PrivGE",
    "Provenance",
    "answers_channel",
    "embed",
    "structure_channel",
    "together",
    "update",
]
