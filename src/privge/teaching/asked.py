"""`AskedQuestion`: a taught question and who may be asked it: a file, and a folder of public shards beside it."""

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

from privge._files.atomic import atomic_path
from privge.campaign import Assignment, Campaign
from privge.campaign.campaign import shards_beside
from privge.errors import BadData
from privge.questions.stated import number
from privge.teaching.plan import Plan
from privge.teaching.question import TaughtQuestion
from privge.teaching.sealed import sealed


@dataclass(frozen=True, eq=False, slots=True)
class AskedQuestion:
    """What a second campaign is made from.

    Parameters
    ----------
    question
        The question, and how it was taught.
    assignment
        Who may be asked about which classes, with the integers that stand for their public prior.
    epsilon
        Of an answer, for which the plan chose these people and classes.
    """

    question: TaughtQuestion
    assignment: Assignment
    epsilon: float

    @classmethod
    def of(cls, question: TaughtQuestion, plan: Plan) -> Self:
        """Join a question and a plan."""
        if len(plan.roles.asked) == 0:
            raise BadData("the structure is so sure of everybody that no answer could change anything: nobody is asked")
        structure = plan.structure
        return cls(question, question.assignment(structure.ids, structure.log, plan.roles), plan.epsilon)

    def check(self, plan: Plan, campaign: Campaign) -> None:
        """Refuse a campaign that asks something else or other people than this, and what is not of a plan."""
        if type(self).of(self.question, plan).assignment != self.assignment:
            raise BadData("the field 'may be asked' is not of this plan: other people, classes or a prior of its own")
        questions, model = campaign.questions or (), self.question.rounded().model
        if len(questions) != 1 or questions[0].to_document() != model.to_document():
            raise BadData("the field 'question' is not what the campaign of these answers asks")
        if campaign.assignment != self.assignment:
            raise BadData("the field 'may be asked' names others than the campaign of these answers")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the shards, then the document; the file is complete or absent."""
        self.assignment.save(shards_beside(path))
        asked = {"may be asked": self.assignment.to_document(), "epsilon": self.epsilon}
        document = sealed({**self.question.to_document(), **asked})
        with atomic_path(Path(path)) as partial:
            partial.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; a field or a shard that is not what its hash says is refused."""
        question = TaughtQuestion.load(path)
        document: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        try:
            assignment = Assignment.from_document(document.get("may be asked"))
            return cls(question, assignment.load(shards_beside(path)), number("epsilon", document.get("epsilon")))
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
