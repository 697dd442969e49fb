"""What the public graph and public labels say by themselves, of nodes and of pairs. Knows nothing of privacy.

scikit-learn (the extra ``train`` or ``demo``) is imported when a channel is first made.
"""

from privge.structure.nodes import NodeChannel, NodeViews, node_channel
from privge.structure.pair_features import PairViews
from privge.structure.pairs import PairChannel, pair_channel

__all__ = ["NodeChannel", "NodeViews", "PairChannel", "PairViews", "node_channel", "pair_channel"]
