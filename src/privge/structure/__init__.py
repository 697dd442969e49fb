"""What the public graph and public labels say by themselves, of nodes and of pairs. Knows nothing of privacy.

scikit-learn (the extra ``train`` or ``demo``) is imported when a channel is first made.
"""

from privge.structure.nodes import NodeChannel, NodeViews, node_channel

__all__ = ["NodeChannel", "NodeViews", "node_channel"]
