"""What a campaign asks for, as one public encoding: so that a panel can show the same."""

from privge.campaign import Campaign
from privge.errors import BadData
from privge.questions import Encoding, NumberFeature
from privge.questions.features import Feature


def encoding_of(campaign: Campaign) -> Encoding:
    """Return the encoding of whatever a campaign asks about: its own, or that of its features one by one."""
    if campaign.questions is None:
        low, high = campaign.low, campaign.high
        if isinstance(low, float | int) and isinstance(high, float | int):
            return Encoding.numbers(campaign.dimensions, low, high, names=campaign.names)
        lows, highs = (_each(bound, campaign.dimensions) for bound in (low, high))
        names = campaign.names or tuple(f"feature {place}" for place in range(campaign.dimensions))
        return Encoding(tuple(NumberFeature(*one) for one in zip(names, lows, highs, strict=True)))
    features: dict[str, Feature] = {}
    for question in campaign.questions:
        whole, single = getattr(question, "encoding", None), getattr(question, "feature", None)
        for feature in whole.features if isinstance(whole, Encoding) else [single]:
            if isinstance(feature, Feature):
                features.setdefault(feature.name, feature)
    if not features:
        raise BadData("the campaign asks for nothing that a panel could show")
    return Encoding(tuple(features.values()))


def width_of(campaign: Campaign) -> int:
    """Return how many numbers a campaign asks about: its features, or the coordinates of what its questions read."""
    return campaign.dimensions if campaign.questions is None else len(encoding_of(campaign).largest)


def _each(bound: object, count: int) -> list[float]:
    return [float(bound)] * count if isinstance(bound, float | int) else [float(one) for one in bound]  # type: ignore[attr-defined]
