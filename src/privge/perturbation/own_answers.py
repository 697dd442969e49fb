"""One person's answers, on their own device: only the raw values that the asked questions need are looked at."""

from collections.abc import Callable

from privge.campaign import Campaign
from privge.campaign.asking import asked, places_of, questions_of
from privge.questions import Question
from privge.questions.features.feature import Misfits
from privge.questions.people import one_person
from privge.random import SystemSource

Values = Callable[[list[int]], list[object]]
"""Returns the raw values at some places; nothing else about a person is looked at."""


def draw_answers(campaign: Campaign, values_at: Values, node: str | int) -> tuple[tuple[int, ...], list[Misfits]]:
    """Return the codes of one person's report, and what did not fit.

    Who is asked what is settled by public data before any value is looked at.
    """
    places, questions = campaign.indices_of(node), questions_of(campaign)
    targets = [asked(campaign, place, [node]) for place in places]
    words = SystemSource().words(campaign.k).tolist()
    codes, misfits = [], []
    for place, target, word in zip(places, targets, words, strict=True):
        question = questions[place]
        person = one_person(values_at(places_of(campaign, question)))
        code, found = question.draw(person, range(question.raw_width), target, word)
        codes.append(code)
        misfits += found
    return tuple(codes), misfits


def own_misfits(campaign: Campaign, values_at: Values) -> list[Misfits]:
    """Return which of one person's values do not fit any question, each feature once. Nothing is drawn."""
    found: dict[str, Misfits] = {}
    for question in questions_of(campaign):
        for misfit in _misfits(campaign, question, values_at):
            found[misfit.feature.name] = misfit
    return list(found.values())


def _misfits(campaign: Campaign, question: Question, values_at: Values) -> list[Misfits]:
    person = one_person(values_at(places_of(campaign, question)))
    return question.misfits(person, range(question.raw_width))
