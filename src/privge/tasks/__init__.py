"""What embeddings are for: heads, splits, metrics, and baselines that see no features.

torch and scikit-learn (the extra ``train``) are imported when a head or a metric is first used.
"""

from privge.graph.labelled import Rows
from privge.graph.labels import LabelsById
from privge.graph.pairs import NodePairs
from privge.tasks.answers import Answers
from privge.tasks.baselines import best_label_propagation, best_ppr_scores, label_mass, ppr_scores, propagate_labels
from privge.tasks.classification import Classification, SteadyClassifier, VectorModel, classify
from privge.tasks.fusion import Contribution, Fusion
from privge.tasks.head import Head
from privge.tasks.judges import Evidence
from privge.tasks.links import LinkPredictor
from privge.tasks.logit import ConditionalLogit
from privge.tasks.metrics import accuracy, auc, average_precision, largest_class, macro_f1
from privge.tasks.nodes import NodeClassifier
from privge.tasks.private_labels import LabelNoise, private_labels
from privge.tasks.scaling import Rule, Scaling
from privge.tasks.skill import Confusion, Skill
from privge.tasks.splits import EdgeSplit, NodeSplit, split_edges, split_nodes

__all__ = [
    "Answers",
    "Classification",
    "ConditionalLogit",
    "Confusion",
    "Contribution",
    "EdgeSplit",
    "Evidence",
    "Fusion",
    "Head",
    "LabelNoise",
    "LabelsById",
    "LinkPredictor",
    "NodeClassifier",
    "NodePairs",
    "NodeSplit",
    "Rows",
    "Rule",
    "Scaling",
    "Skill",
    "SteadyClassifier",
    "VectorModel",
    "accuracy",
    "auc",
    "average_precision",
    "best_label_propagation",
    "best_ppr_scores",
    "classify",
    "label_mass",
    "largest_class",
    "macro_f1",
    "ppr_scores",
    "private_labels",
    "propagate_labels",
    "split_edges",
    "split_nodes",
]
