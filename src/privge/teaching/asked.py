"""`AskedQuestion`: a taught question and who may be asked it: a file, and a folder of public shards beside it."""

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

from privge._files.atomic import atomic_path
from privge.campaign import Assignment
from privge.campaign.campaign import shards_beside
from privge.errors import BadData
from privge.teaching.plan import Plan
from privge.teaching.question import TaughtQuestion


@dataclass(frozen=True, eq=False, slots=True)
class AskedQuestion:
    """What a second campaign is made from.

    Parameters
    ----------
    question
        The question, and how it was taught.
    assignment
        Who may be asked about which classes, with the integers that stand for their public prior.
    """

    question: TaughtQuestion
    assignment: Assignment

    @classmethod
    def of(cls, question: TaughtQuestion, plan: Plan) -> Self:
        """Join a question and a plan."""
        if len(plan.roles.asked) == 0:
            raise BadData("the structure is so sure of everybody that no answer could change anything: nobody is asked")
        structure = plan.structure
        return cls(question, question.assignment(structure.ids, structure.log, plan.roles))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the shards, then the document; the file is complete or absent."""
        self.assignment.save(shards_beside(path))
        document = {**self.question.to_document(), "may be asked": self.assignment.to_document()}
        with atomic_path(Path(path)) as partial:
            partial.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; a shard that its hash does not name is refused."""
        question = TaughtQuestion.load(path)
        document: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        try:
            assignment = Assignment.from_document(document.get("may be asked"))
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
        return cls(question, assignment.load(shards_beside(path)))
