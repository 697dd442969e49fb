"""Raw values of a person, each with its public encoding. One file a kind."""

from privge.questions.features.choice import ChoiceFeature
from privge.questions.features.count import CountFeature
from privge.questions.features.feature import Feature
from privge.questions.features.number import NumberFeature
from privge.questions.features.numbers import NumbersFeature
from privge.questions.features.yes_no import YesNoFeature

__all__ = ["ChoiceFeature", "CountFeature", "Feature", "NumberFeature", "NumbersFeature", "YesNoFeature"]
