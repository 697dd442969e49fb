"""A campaign that asks a taught question: in the round of its teachers, of those whom the plan chose."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.campaign.campaign import shards_beside
from privge.cli.options import refuse_given
from privge.errors import BadData

if TYPE_CHECKING:
    from privge.teaching import AskedQuestion

logger = logging.getLogger(__name__)

_SHORT_FORM = ("dimensions", "names", "low", "high", "mechanism", "k", "levels", "out_of_bounds", "missing")
"""Options about many numbers alike, which a question has no use for."""


def campaign_of_question(path: Path, asked: dict[str, object]) -> dict[str, object]:
    """Return the fields of a campaign that asks a taught question of those who may be asked it.

    Parameters
    ----------
    path
        What ``privge teach question`` wrote; whatever was changed in it by hand is refused.
    asked
        The other options: when and why it is asked. Round and epsilon are those of the teachers and of the plan,
        if they are left out.
    """
    from privge.teaching import AskedQuestion

    taught = AskedQuestion.load(path)
    if not taught.assignment.complete:
        raise BadData(f"{shards_beside(path)}: not all shards of the question are there")
    refuse_given(_SHORT_FORM, "with --question, which says itself what is asked")
    stated = {name: value for name, value in asked.items() if value is not None and name not in _SHORT_FORM}
    agreed = {"round": _round(taught, stated.get("round")), "epsilon": _epsilon(taught, stated.get("epsilon"))}
    what = {"questions": [taught.question.rounded().model], "assignment": taught.assignment}
    return {**stated, **{name: value for name, value in agreed.items() if value is not None}, **what}


def _round(taught: "AskedQuestion", wanted: object) -> object:
    """Return the round: that of the teachers, in which devices and stores refuse a second report of one person."""
    teaching = taught.question.teaching
    if teaching.by != "reports":
        return wanted
    if teaching.round is None:
        logger.warning(
            "the teachers' campaign is of no round: that nobody teaches and is asked is kept by the list of those who "
            "may be asked, and by no device; collect the teachers' reports in a campaign with a round"
        )
        return wanted
    if wanted is None:
        logger.info("the campaign is of the round %s, in which its teachers reported", teaching.round)
    elif wanted != teaching.round:
        raise click.UsageError(
            f"--round: the teachers reported in the round {teaching.round!r}. In another round whoever taught could be "
            "asked as well, and nobody may report twice: leave out --round, or give theirs."
        )
    return teaching.round


def _epsilon(taught: "AskedQuestion", wanted: object) -> object:
    """Return epsilon: that of the plan, which chose by it whom to ask about what."""
    if wanted is None:
        logger.info("epsilon is %g, as in the plan", taught.epsilon)
        return taught.epsilon
    if wanted != taught.epsilon:
        logger.warning(
            "the plan chose whom to ask about what for epsilon %g, and this campaign has %g: others could be asked "
            "with more use; plan again with --epsilon %g, or take that of the plan",
            taught.epsilon,
            wanted,
            wanted,
        )
    return wanted
