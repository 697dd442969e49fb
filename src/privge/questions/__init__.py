"""What is asked: raw features of a person, their public integer encoding, and questions with exact laws."""

from privge.questions.choice import Choice
from privge.questions.direction import Direction
from privge.questions.encoding import Encoding
from privge.questions.features import ChoiceFeature, CountFeature, NumberFeature, NumbersFeature, YesNoFeature
from privge.questions.kinds import document_of, question_of
from privge.questions.model import Model
from privge.questions.number import Number, YesNo
from privge.questions.question import Question
from privge.questions.rounding import Rounded, rounded_model
from privge.questions.score import Score

__all__ = [
    "Choice",
    "ChoiceFeature",
    "CountFeature",
    "Direction",
    "Encoding",
    "Model",
    "Number",
    "NumberFeature",
    "NumbersFeature",
    "Question",
    "Rounded",
    "Score",
    "YesNo",
    "YesNoFeature",
    "document_of",
    "question_of",
    "rounded_model",
]
