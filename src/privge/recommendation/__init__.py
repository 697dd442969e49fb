"""Recommendation: new friends for people, from the graph and, if they help on held-out edges, from private vectors."""

from privge.recommendation.evaluation import Evaluation
from privge.recommendation.fusion import Gate
from privge.recommendation.learning import Settings
from privge.recommendation.neighbourhood import Reach
from privge.recommendation.ranking import Quality
from privge.recommendation.recommendations import Recommendations, write_recommendations
from privge.recommendation.recommender import Recommender
from privge.recommendation.spread import Spread, Watch
from privge.recommendation.vectors import NotJudged, Signals
from privge.recommendation.worth import Lead

__all__ = [
    "Evaluation",
    "Gate",
    "Lead",
    "NotJudged",
    "Quality",
    "Reach",
    "Recommendations",
    "Recommender",
    "Settings",
    "Signals",
    "Spread",
    "Watch",
    "write_recommendations",
]
