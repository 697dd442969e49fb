"""Questions in documents: every kind by its name, read and written with its laws."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from privge.errors import BadData
from privge.questions.choice import choice_of
from privge.questions.direction import direction_of
from privge.questions.model import model_of
from privge.questions.number import number_of, yes_no_of
from privge.questions.question import Question
from privge.questions.score import score_of
from privge.questions.stated import listed

KINDS: Mapping[str, Callable[[Mapping[str, object]], Question]] = {
    "number": number_of,
    "yes-no": yes_no_of,
    "choice": choice_of,
    "direction": direction_of,
    "model": model_of,
    "score": score_of,
}
"""How each kind of question is read."""


def question_of(document: object) -> Question:
    """Read a question from a document, with its laws if it has any; whatever is wrong with it is ``BadData``."""
    if not isinstance(document, Mapping):
        raise BadData("must be a table with a kind")
    stated = dict(document)
    kind, laws = stated.pop("kind", None), stated.pop("laws", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadData(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    try:
        question = KINDS[kind](stated)
        return question if laws is None else _with_read_laws(question, laws)
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise error if isinstance(error, BadData) else BadData(str(error)) from error


def document_of(question: Question) -> dict[str, Any]:
    """Return a question with its laws, as a document has it."""
    return {**question.to_document(), "laws": [law.parameters() for law in question.laws]}


def _with_read_laws(question: Question, laws: object) -> Question:
    each = listed("laws", laws, 1, 4096)
    if not all(isinstance(law, Mapping) for law in each):
        raise BadData("laws must be tables of integers")
    return replace(question, laws=tuple(question.read_law(law) for law in each))  # type: ignore[type-var, arg-type]
