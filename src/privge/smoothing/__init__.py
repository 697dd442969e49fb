"""Linear smoothers of noisy rows over a graph, chosen by Stein's unbiased risk; knows nothing of privacy."""

from privge.smoothing.candidates import FAMILIES, candidates_for
from privge.smoothing.choose import Chosen, choose
from privge.smoothing.clusters import Clusters
from privge.smoothing.noise import Noise
from privge.smoothing.pagerank import PageRank
from privge.smoothing.risk import Risk
from privge.smoothing.shrinkage import Shrinkage
from privge.smoothing.smoother import Smoother, Trace
from privge.smoothing.spectrum import Spectral, spectrum_of

__all__ = [
    "FAMILIES",
    "Chosen",
    "Clusters",
    "Noise",
    "PageRank",
    "Risk",
    "Shrinkage",
    "Smoother",
    "Spectral",
    "Trace",
    "candidates_for",
    "choose",
    "spectrum_of",
]
