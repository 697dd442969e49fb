"""The verdict: whether to ask, in plain words that agree with the numbers."""

from collections.abc import Iterator, Sequence

from privge.planning.advice import Ceiling, Cell, Method, Planned, Standing
from privge.planning.confidence import share_limits
from privge.planning.outlook import Controls

_DO: dict[Method, str] = {
    "the paper's features": "ask for the features as they are",
    "a choice": "ask one thing, as a choice",
    "a question taught by reports": "teach a question by reports and ask it",
    "a question taught by the panel": "teach a question with the panel and ask it",
}
PANEL = 500
"""How large a panel is advised."""


def standing_of(points: float, low: float, high: float, worth: float) -> Standing:
    """Say whether a forecast is worth asking for.

    It is, if the forecast reaches what is wanted and even its low end is above nothing; it is not, if not even its high
    end reaches what is wanted.
    """
    if high < worth:
        return "not worth it"
    return "worth it" if points >= worth and low > 0 else "not sure"


def verdict_of(
    campaign: Planned,
    worth: float,
    ceilings: Sequence[Ceiling],
    cells: Sequence[Cell],
    few: int | None,
    controls: Controls | None,
) -> tuple[str, ...]:
    """Return the sentences.

    Parameters
    ----------
    campaign, worth, few
        As for `privge.planning.advice.Advice`.
    ceilings, cells
        Forecasts; those with everybody taking part at the campaign's epsilon decide.
    controls
        What the graph says without any report; None if no labels are known.
    """
    most = max(each.participation for each in ceilings)
    whole = [each for each in ceilings if each.participation == most]
    here = next(each for each in whole if each.epsilon == campaign.epsilon)
    if controls is None:
        return tuple(_unlabelled(campaign, here))
    warned = tuple(_silent(controls))
    if here.high < worth:
        return (*warned, *_hopeless(campaign, worth, here, whole))
    own = [each for each in cells if each.participation == most]
    if not own:
        return (*warned, *_unknown(campaign, worth, here))
    return (*warned, *_known(campaign, worth, own, few))


def _unlabelled(campaign: Planned, here: Ceiling) -> Iterator[str]:
    yield (
        "Nothing can be said yet: without known labels nobody knows what the graph says about classes, nor how often "
        "it is wrong."
    )
    yield (
        f"At ε = {campaign.epsilon:g} a report can add at most {here.points:.1f} points, and that only for somebody "
        "torn evenly between two classes. Give the labels that are known (--labels)."
    )


def _silent(controls: Controls) -> Iterator[str]:
    """Warn if the graph seems to know nothing: then labels may stand beside the wrong ids."""
    if 100 * share_limits(controls.structure / 100, controls.people)[0] <= controls.majority:
        yield (
            f"The graph does not find these labels surely better than the largest class does ({controls.structure:.1f} "
            f"against {controls.majority:.1f} % of {controls.people:,} people): see whether each label stands beside "
            "the right id, and whether more labels are known."
        )


def _hopeless(campaign: Planned, worth: float, here: Ceiling, whole: Sequence[Ceiling]) -> Iterator[str]:
    yield (
        f"Do not ask at ε = {campaign.epsilon:g}: no report, whatever it asks, can add more than {here.points:.2f} "
        f"points (with what chance leaves open, {here.high:.2f}) to what the graph already says; you wanted {worth:g}."
    )
    later = [each.epsilon for each in whole if each.high >= worth]
    if later:
        yield f"From ε = {min(later):g} on a report could be worth it; whether it is, a panel or a pilot would tell."


def _unknown(campaign: Planned, worth: float, here: Ceiling) -> Iterator[str]:
    yield (
        f"At ε = {campaign.epsilon:g} a report can add up to {here.points:.1f} points to what the graph already says. "
        "How much of that people's answers carry is not public."
    )
    yield (
        f"Find out before you ask everybody: show a panel of {PANEL} who agree (--panel), or the reports of a pilot "
        f"(--pilot). Fewer than {worth:g} points are not worth it."
    )


def _known(campaign: Planned, worth: float, own: Sequence[Cell], few: int | None) -> Iterator[str]:
    here = [each for each in own if each.epsilon == campaign.epsilon]
    paper = next((each for each in here if each.method == "the paper's features"), None)
    if paper is not None:
        yield _of_paper(campaign, paper)
    good = sorted((each for each in here if each.standing == "worth it"), key=lambda each: -each.points)
    ways = [f"{_DO[each.method]} ({_points(each)})" for each in good]
    unsure = [each for each in here if each.standing == "not sure"]
    if unsure and not good:
        best = max(unsure, key=lambda each: each.points)
        ways.append(f"find out with more people whether it is worth it to {_DO[best.method]} ({_points(best)})")
    if few is not None and few < campaign.width:
        ways.append(f"ask for at most {few:,} features")
    later = [each for each in own if each.standing == "worth it" and each.epsilon > campaign.epsilon]
    if later and not good:
        first = min(later, key=lambda each: (each.epsilon, -each.points))
        ways.append(f"{_DO[first.method]} at ε = {first.epsilon:g} ({_points(first)})")
    if not ways:
        yield f"Do not ask: nothing that was tried reaches {worth:g} points."
        return
    yield _sentence("; or ".join([*ways, "do not ask"]))


def _of_paper(campaign: Planned, paper: Cell) -> str:
    start = f"At ε = {campaign.epsilon:g} with {campaign.width:,} features the reports would add"
    if campaign.asks == "questions":
        start = (
            f"At ε = {campaign.epsilon:g}, reports of all that is asked about, as {campaign.width:,} numbers, would add"
        )
    if paper.standing == "not worth it":
        little = "nothing" if round(paper.high, 1) == 0 else f"next to nothing ({_points(paper)})"
        return f"{start} {little} to what the graph already says."
    return f"{start} {_points(paper)}."


def _points(cell: Cell) -> str:
    return f"+{cell.points:.1f} points, between {cell.low:.1f} and {cell.high:.1f}"


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."
