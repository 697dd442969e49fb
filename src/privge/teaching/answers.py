"""From reports of the second campaign to evidence about classes."""

import numpy as np

from privge.errors import BadData
from privge.graph.labelled import rows_of
from privge.reports import Reports
from privge.structure import NodeChannel
from privge.tasks import Answers
from privge.teaching.question import class_names
from privge.teaching.roles import Roles


def answers_of(reports: Reports, structure: NodeChannel, roles: Roles) -> Answers:
    """Return the answers of those who were asked, as evidence.

    Parameters
    ----------
    reports
        Of the second campaign. Some of those asked may be missing.
    structure
        The public prior of every node.
    roles
        Who was asked about what.
    """
    rows = rows_of(structure, reports.ids, "people who answered")
    places = np.searchsorted(roles.asked, rows)
    if others := int((~np.isin(rows, roles.asked)).sum()):
        raise BadData(
            f"{others:,} of {len(rows):,} answers are of people who were not asked; reports of those who taught are "
            "no answers"
        )
    asked_about = _classes_of(reports)
    likelihood, among = np.zeros_like(structure.log), np.zeros(structure.log.shape, dtype=np.bool_)
    said = reports.log_likelihood()
    if said.shape[1] != likelihood.shape[1]:
        raise BadData(f"the answers are about {said.shape[1]} classes, and there are {likelihood.shape[1]} in the plan")
    if asked_about != class_names(structure.classes):
        raise BadData(
            f"the answers are about the classes {', '.join(asked_about[:8])}, and those of the plan are others"
        )
    likelihood[rows] = said
    people, columns = np.nonzero(roles.classes[places] >= 0)
    among[rows[people], roles.classes[places[people], columns]] = True
    return Answers(likelihood, among, structure.log)


def _classes_of(reports: Reports) -> tuple[str, ...]:
    """Return the classes, in order, about which the one question that has a few answers asks."""
    asked = [tuple(each.options) for each in reports.campaign.questions or () if each.options]
    if len(asked) != 1:
        raise BadData(f"a campaign of answers asks one question about classes, and this one asks {len(asked)}")
    return asked[0]
