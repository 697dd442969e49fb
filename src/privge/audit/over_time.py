"""Several campaigns together: what they ask again, and what one person's total is, now and after those planned.

*Sum.* Reports of one person in different campaigns are independent draws, so their losses add up: somebody who answers
all of them has spent the sum of all epsilon. Of the campaigns of a round a person answers one, and the dearest counts.

*Again.* The same feature in two campaigns is two draws about the same value. How much both together say of it is the
sum of what each spends on one answer; how likely it is that a person is asked both times follows from k of d.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privge.campaign import Campaign
from privge.mechanisms.budget import exact
from privge.mechanisms.odds import certainty


@dataclass(frozen=True, slots=True)
class Entry:
    """One campaign, and whether it is only planned."""

    campaign: Campaign
    planned: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """A feature or question that several campaigns ask.

    Parameters
    ----------
    name, campaigns
        What is asked, and the ids of the campaigns that ask it.
    planned
        Whether one of them is only planned.
    epsilon
        What somebody who is asked every time spends on it, at most.
    chance
        How likely it is that a person who answers all of them is asked every time: for one node it is 0 or 1.
    """

    name: str
    campaigns: tuple[str, ...]
    planned: bool
    epsilon: float
    chance: float


@dataclass(frozen=True, slots=True)
class OverTime:
    """What one person gives in total.

    Somebody who answers everything has spent ``now``, and will have spent ``after`` the planned campaigns.

    Parameters
    ----------
    campaigns
        How many there are, and how many of them are planned.
    cap
        The most that anybody may spend; None if there is no limit.
    repeats
        What is asked more than once.
    unnamed
        Campaigns whose features have no names, so that nobody can say whether they repeat.
    node
        Of whom this is said, if of one; then only the questions of this node count.
    """

    campaigns: tuple[int, int]
    now: float
    after: float
    cap: float | None
    repeats: tuple[Repeat, ...]
    unnamed: int
    node: str | None = None

    @property
    def violations(self) -> list[str]:
        """Say if even an honest device would end above the cap; a planned excess is one too."""
        if self.cap is None or self.after <= self.cap:
            return []
        when = "now" if self.now > self.cap else "after the planned campaigns"
        return [f"whoever answers everything has spent {max(self.now, self.after):g} {when}, above {self.cap:g}"]

    def words(self) -> list[str]:
        """Say it in words."""
        count = self.campaigns[0]
        many = "whoever answers this campaign" if count == 1 else f"whoever answers all {count:,} campaigns"
        said = [f"{many} has spent {self.now:g} (at most {certainty(self.now)} sure)"]
        if self.campaigns[1]:
            said.append(f"after {self.campaigns[1]:,} planned: {self.after:g} (at most {certainty(self.after)} sure)")
        said += [
            f"asked again: {each.name}, in {len(each.campaigns)} campaigns, {each.epsilon:.3g} in all for whoever is "
            f"asked every time ({each.chance:.3g} of them)"
            for each in self.repeats
        ]
        if self.unnamed and sum(self.campaigns) > 1:
            said.append(f"{self.unnamed:,} campaigns do not name their features: whether these ask again is not known")
        return said


def over_time(entries: Sequence[Entry], *, cap: float | None = None, node: str | int | None = None) -> OverTime:
    """Add up campaigns, those that ran and those that are planned.

    Parameters
    ----------
    entries
        The campaigns, each once; one that is there twice counts once.
    cap
        The most that anybody may spend.
    node
        A person: then only what this node is asked counts.
    """
    once = {entry.campaign.id: entry for entry in sorted(entries, key=lambda entry: entry.planned, reverse=True)}
    unique = [entry for entry in once.values() if node is None or _asks(entry.campaign, node)]
    past = [entry for entry in unique if not entry.planned]
    return OverTime(
        (len(past), len(unique) - len(past)),
        float(_total(past)),
        float(_total(unique)),
        cap,
        tuple(_repeats(unique, node)),
        sum(entry.campaign.names is None for entry in unique),
        None if node is None else str(node),
    )


def _asks(campaign: Campaign, node: str | int) -> bool:
    return campaign.assignment is None or node in campaign.assignment


def _total(entries: Sequence[Entry]) -> Fraction:
    """Add up exactly; of a round, the dearest campaign counts."""
    rounds: dict[str, Fraction] = {}
    for entry in entries:
        name = f"round {entry.campaign.round}" if entry.campaign.round is not None else entry.campaign.id
        rounds[name] = max(rounds.get(name, Fraction(0)), exact(entry.campaign.epsilon))
    return sum(rounds.values(), Fraction(0))


def _repeats(entries: Sequence[Entry], node: str | int | None) -> list[Repeat]:
    askers: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in dict.fromkeys(asked_names(entry.campaign, node)):
            askers.setdefault(name, []).append(entry)
    return [_repeat(name, several, node) for name, several in askers.items() if _separate(several)]


def _separate(entries: Sequence[Entry]) -> bool:
    """Say whether a person could answer more than one of them: of a round it is one."""
    rounds = {entry.campaign.round if entry.campaign.round is not None else entry.campaign.id for entry in entries}
    return len(rounds) > 1


def _repeat(name: str, entries: Sequence[Entry], node: str | int | None) -> Repeat:
    chance, epsilon = 1.0, Fraction(0)
    for entry in entries:
        chance *= 1.0 if node is not None else entry.campaign.k / entry.campaign.dimensions
        epsilon += exact(entry.campaign.epsilon) / entry.campaign.k
    ids = tuple(entry.campaign.id for entry in entries)
    return Repeat(name, ids, any(entry.planned for entry in entries), float(epsilon), chance)


def asked_names(campaign: Campaign, node: str | int | None = None) -> list[str]:
    """Return what a campaign asks, by name: everybody, or one node; nothing if features have no names.

    A question that is computed from a profile asks for every feature that it reads.
    """
    places = range(campaign.dimensions) if node is None else campaign.indices_of(node)
    if campaign.questions is None:
        return [] if campaign.names is None else [campaign.names[place] for place in places]
    return [name for place in places for name in (campaign.questions[place].raw_names or ())]
