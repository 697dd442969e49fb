"""What a missing value counts as, feature by feature: a rule of the campaign that devices follow by themselves."""

from privge.campaign import Campaign
from privge.campaign.asking import questions_of
from privge.questions import ChoiceFeature, Encoding
from privge.questions.features import Feature
from privge.questions.subject import AboutFeature

_WORDS = {"midpoint": "the middle of its bounds", "low": "its lower bound", "high": "its upper bound"}
EVERY = "every feature"
"""Stands for all features of a campaign in the short form, which has one rule."""


def counts_as(campaign: Campaign) -> dict[str, str]:
    """Return by feature what a missing value counts as, in words; nobody but the device knows whose is missing."""
    if campaign.questions is None:
        return {EVERY: _WORDS.get(campaign.missing, "nothing: whoever misses one is refused")}
    found: dict[str, str] = {}
    for question in questions_of(campaign):
        if isinstance(question, AboutFeature):
            found[question.feature.name] = _rule(question.feature)
        elif isinstance(encoding := getattr(question, "encoding", None), Encoding):
            found |= {feature.name: _rule(feature) for feature in encoding.features}
    return found


def missing_words(campaign: Campaign) -> str:
    """Return the same as a sentence: features with one rule together, and that nobody can count them."""
    together: dict[str, list[str]] = {}
    for feature, rule in counts_as(campaign).items():
        together.setdefault(rule, []).append(feature)
    rules = ", ".join(f"as {rule} ({_few(features)})" for rule, features in together.items())
    return f"A missing value counts {rules}. Devices do not tell whose is missing, so that nobody can count them here."


def _rule(feature: Feature) -> str:
    if isinstance(feature, ChoiceFeature):
        return repr(feature.otherwise)
    rule = str(getattr(feature, "missing", "low"))
    return _WORDS.get(rule, rule)


def _few(features: list[str], most: int = 5) -> str:
    more = f" and {len(features) - most:,} more" if len(features) > most else ""
    return ", ".join(features[:most]) + more
