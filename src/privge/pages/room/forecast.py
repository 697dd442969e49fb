"""What a campaign can be expected to give, from public things alone: before anybody is asked."""

from dataclasses import dataclass

import numpy as np

from privge.campaign import Campaign
from privge.explanation.odds import odds
from privge.mechanisms.odds import certainty
from privge.profiles import expected

_GROUPS = (0.01, 0.05, 0.2, 1.0)  # shares of the people


@dataclass(frozen=True, slots=True)
class Forecast:
    """Sentences, and how precisely the mean of a group will be known."""

    sentences: tuple[str, ...]
    precision: tuple[tuple[str, str], ...]  # people, points of the range


def forecast(campaign: Campaign, people: int) -> Forecast:
    """Return the public forecast of a campaign that so many people answer."""
    sizes = np.unique(np.maximum(1, np.round(np.array(_GROUPS) * people)).astype(np.int64))
    widths = 100 * expected(campaign, sizes).max(axis=1)
    ten = odds(0.1, campaign.epsilon)
    answers = people * campaign.k / campaign.dimensions
    return Forecast(
        (
            f"Whoever thought something of somebody was 50:50 can become at most {certainty(campaign.epsilon)} sure.",
            f"Whoever thought 10 % can become at most {100 * ten.most:.0f} % sure.",
            f"Each of {people:,} people answers {campaign.k:,} of {campaign.dimensions:,}: {answers:,.0f} for each.",
            f"What it costs: {campaign.epsilon:g} of each person's lifetime budget, for good.",
        ),
        tuple(
            (f"{size:,}", f"± {width:.1f}" if width < 50 else "nothing can be told")
            for size, width in zip(sizes.tolist(), widths.tolist(), strict=True)
        ),
    )
