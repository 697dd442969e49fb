"""The device's own `draw`, with words that are given: how vectors are made, and how Python runs them."""

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np

from privge import Campaign
from privge._typing import Words
from privge.perturbation.draw import Drawn, FeatureVector, draw


class _Given:
    """Hands out words that are given, in place of the operating system's."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = words

    def words(self, count: int) -> Words:
        if count != len(self._words):
            raise AssertionError(f"the device asks for {count} words and not for {len(self._words)}")
        return np.array(self._words, dtype=np.int64)


def drawn_with(words: Sequence[int], campaign: Campaign, features: FeatureVector, node: str) -> Drawn:
    """NOT PRIVATE: draw with known words."""
    with (
        patch("privge.perturbation.draw.SystemSource", lambda: _Given(words)),
        patch("privge.perturbation.own_answers.SystemSource", lambda: _Given(words)),
    ):
        return draw(campaign, features, node)
