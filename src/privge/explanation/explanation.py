"""A campaign for the person who is asked: odds, a report, what is asked, what adds up, and what they agree to."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from privge.audit.over_time import Entry, over_time
from privge.campaign import Campaign
from privge.explanation.looks import Look, look_of
from privge.explanation.odds import PRIORS, Odds, odds
from privge.explanation.strings import Strings, english
from privge.mechanisms.budget import exact
from privge.mechanisms.odds import certainty

LENGTHS = ("sentence", "paragraph", "page")
"""How long a text of consent can be."""

_NAMED = 12  # names that are listed


@dataclass(frozen=True)
class Explanation:
    """What a campaign means for a person, as text.

    Parameters
    ----------
    campaign
        Its id.
    epsilon, sure
        Its budget, and how sure somebody can become who thought something was 50:50.
    odds
        Guesses before and after.
    look
        What a report looks like for two values.
    node
        Of whom this is said, if of one person.
    asked
        Names of what this person, or everybody, is asked; None if the person is not asked.
    sections
        Titles and sentences, in order.
    consent
        The texts of consent, by length.
    language
        Of the texts.
    """

    campaign: str
    epsilon: float
    sure: str
    odds: tuple[Odds, ...]
    look: Look
    node: str | None
    asked: tuple[str, ...] | None
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    consent: dict[str, str]
    language: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def explain(
    campaign: Campaign,
    *,
    node: str | int | None = None,
    earlier: Sequence[Campaign] = (),
    strings: Strings | None = None,
) -> Explanation:
    """Explain a campaign.

    Parameters
    ----------
    campaign
        What is asked; one that no person may answer is refused.
    node
        A person, to say what just they are asked.
    earlier
        Other campaigns that people answered, or will.
    strings
        The texts, of which English is the default (`privge.explanation.load_strings`).
    """
    campaign.check_for_devices()
    texts = english() if strings is None else strings
    places = asked_places(campaign, node)
    look = look_of(campaign, places[0] if places else 0, texts)
    names = None if places is None else tuple(_name(campaign, place, texts) for place in places)
    return Explanation(
        campaign.id,
        campaign.epsilon,
        certainty(campaign.epsilon),
        tuple(odds(before, campaign.epsilon) for before in PRIORS),
        look,
        None if node is None else str(node),
        names,
        (
            (texts["odds"]["title"], _odds(campaign, texts)),
            (texts["report"]["title"], _report(look, texts)),
            (texts["asked"]["title"], _asked(campaign, node, names, texts)),
            (texts["repeated"]["title"], _repeated(campaign, earlier, node, texts)),
        ),
        {length: consent(campaign, length, texts) for length in LENGTHS},
        texts["language"],
    )


def asked_places(campaign: Campaign, node: str | int | None) -> list[int] | None:
    """Return which questions a person, or anybody, is asked; None if the person is not asked. All of this is public."""
    if node is None:
        return list(range(campaign.dimensions))
    if campaign.assignment is not None and node not in campaign.assignment:
        return None
    return campaign.indices_of(node)


def asked_words(campaign: Campaign, texts: Strings) -> str:
    """Say how much of what there is a person is asked."""
    words, k = texts["words"], campaign.k
    what = words["features"] if campaign.questions is None else words["questions"]
    if campaign.dimensions == 1:
        return str(words["one_question"])
    if k == campaign.dimensions:
        return str(words["all_questions"]).format(k=f"{k:,}", what=what)
    return str(words["some_questions"]).format(k=f"{k:,}", all=f"{campaign.dimensions:,}", what=what)


def consent(campaign: Campaign, length: str, texts: Strings | None = None) -> str:
    """Return what somebody agrees to: a sentence, a paragraph or a page, true for this campaign."""
    strings = english() if texts is None else texts
    words = strings["words"]
    purpose = words["purpose"].format(purpose=campaign.purpose) if campaign.purpose else words["no_purpose"]
    values = {
        "purpose": purpose,
        "purpose_sentence": strings["consent"]["purpose_sentence"].format(purpose=purpose),
        "asked": asked_words(campaign, strings),
        "sure": certainty(campaign.epsilon),
        "sure_of_ten": f"{100 * odds(0.1, campaign.epsilon).most:.1f} %",
        "epsilon": f"{campaign.epsilon:g}",
        "k": f"{campaign.k:,}",
        "id": campaign.id,
        "closing": closing(campaign, strings),
        "retention": retention(campaign, strings),
        "repeated": _twice(campaign, strings),
        "round": "" if campaign.round is None else words["round"].format(round=campaign.round),
    }
    return str(strings["consent"][length]).format_map(values).strip()


def closing(campaign: Campaign, texts: Strings) -> str:
    """Say when the collection ends."""
    words = texts["words"]
    return str(words["closes_by_hand"] if campaign.closes is None else words["closes"].format(closes=campaign.closes))


def retention(campaign: Campaign, texts: Strings) -> str:
    """Say when reports are deleted."""
    words, days = texts["words"], campaign.retention_days
    return str(words["kept"] if days is None else words["deleted"].format(days=f"{days:,}"))


def _odds(campaign: Campaign, texts: Strings) -> tuple[str, ...]:
    values = {"sure": certainty(campaign.epsilon)}
    return tuple(texts["odds"][name].format_map(values) for name in ("sentence", "note"))


def _report(look: Look, texts: Strings) -> tuple[str, ...]:
    low, high = (f"{100 * share:.0f}" for share in (look.low_share, look.high_share))
    said = texts["report"]["sentence"].format(
        title=look.title, low=look.low, high=look.high, low_hits=low, high_hits=high
    )
    alike = look.high_share - look.low_share < 0.3  # where a single report tells the two apart in a third of all cases
    return (said, texts["report"]["alike"]) if alike else (said,)


def _asked(
    campaign: Campaign, node: str | int | None, names: tuple[str, ...] | None, texts: Strings
) -> tuple[str, ...]:
    said = texts["asked"]
    everybody = said["everybody"].format(asked=asked_words(campaign, texts))
    if node is None:
        return (everybody, said["public"])
    if names is None:
        return (everybody, said["not_asked"].format(node=node))
    return (everybody, said["node"].format(node=node, names=listed(names)), said["public"])


def _repeated(
    campaign: Campaign, earlier: Sequence[Campaign], node: str | int | None, texts: Strings
) -> tuple[str, ...]:
    said = [_twice(campaign, texts)]
    if earlier:
        found = over_time([*(Entry(each) for each in earlier), Entry(campaign)], node=node)
        total = {"count": sum(found.campaigns), "total": f"{found.now:g}", "sure": certainty(found.now)}
        said.append(texts["repeated"]["earlier"].format_map(total))
        if found.repeats:
            said.append(texts["repeated"]["again"].format(names=listed([each.name for each in found.repeats])))
    return tuple(said)


def _twice(campaign: Campaign, texts: Strings) -> str:
    total = float(2 * exact(campaign.epsilon))
    return str(texts["repeated"]["sentence"].format(count=2, total=f"{total:g}", sure=certainty(total)))


def _name(campaign: Campaign, place: int, texts: Strings) -> str:
    return f"{texts['words']['feature']} {place}" if campaign.names is None else campaign.names[place]


def listed(names: Sequence[str]) -> str:
    """Return names in one line, the first of them if there are many."""
    more = f" (+{len(names) - _NAMED:,})" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
