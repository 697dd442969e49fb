"""A plan as lines of text."""

from collections.abc import Iterator

from privge.planning.advice import ANY, Advice, Ceiling, Cell
from privge.planning.confidence import share_limits
from privge.planning.costs import Costs
from privge.tasks.friends import GROUPS

_WIDTH = 31


def lines_of(advice: Advice) -> Iterator[str]:
    """Yield the lines; the verdict comes last."""
    campaign = advice.campaign
    yield (f"{advice.nodes:,} people, {advice.wanted:,} of them of unknown class; planned: {campaign.described()}")
    yield from (f"  {sentence}" for sentence in controls_of(advice))
    yield ""
    yield title_of(advice)
    yield f"{'ε':>5} {'take part':>9}  {'asked for':<{_WIDTH}}{''.join(f'{name:>17}' for name in _shown(advice))}"
    for row in rows_of(advice):
        yield _row(row, advice)
    yield ""
    yield from noise_lines(advice)
    yield from costs_lines(advice.costs)
    for sentence in advice.spent:
        yield f"! {sentence}"
    yield ""
    yield from advice.verdict


def rows_of(advice: Advice) -> Iterator[Ceiling | Cell]:
    """Yield ceilings and forecasts, by epsilon and participation."""
    for ceiling in advice.ceilings:
        yield ceiling
        here = (ceiling.epsilon, ceiling.participation)
        yield from (cell for cell in advice.cells if (cell.epsilon, cell.participation) == here)


def title_of(advice: Advice) -> str:
    """Return what the numbers of the table are."""
    if advice.controls is None:
        return "The most that a report could add for somebody torn between two classes, in points of accuracy"
    return "Lift over the structure, in points of accuracy of those of unknown class (95 %: between)"


def controls_of(advice: Advice) -> Iterator[str]:
    """Say what needs no report."""
    if advice.controls is None:
        yield "no label is known, nor what the graph says: ceilings are of somebody torn between two classes"
        return
    people, majority, alone, structure = advice.controls
    low, high = (100 * end for end in share_limits(structure / 100, people))
    yield (
        f"controls, accuracy in % on {people:,} labelled people held out: majority {majority:.1f}, graph alone (label "
        f"propagation) {alone:.1f}, structure {structure:.1f} (95 %: between {low:.1f} and {high:.1f})"
    )
    yield f"the prior is {advice.prior}; it is made from public data alone and costs nobody anything"


def noise_lines(advice: Advice) -> Iterator[str]:
    """Say what noise does to features, and what would be best."""
    campaign = advice.campaign
    for epsilon, best in advice.reports.items():
        yield (
            f"least noise in features at ε = {epsilon:g}: {best.mechanism}, k = {best.k:,} of {campaign.width:,}, "
            f"deviation {best.variance**0.5:,.1f} where a feature goes from -1 to 1"
        )
    for each in advice.noise:
        signal = "" if each.signal is None else f", signal to noise {each.signal:.3g}"
        yield f"a propagated entry at ε = {campaign.epsilon:g}, {each.people}: deviation {each.deviation:,.2f}{signal}"
    if advice.recovered is not None:
        yield f"of everybody's features a smoother would recover {100 * advice.recovered:.1f} %, by the pilot's reports"
    for method, smallest in advice.smallest.items():
        found = "at no ε that was tried" if smallest is None else f"from ε = {smallest:g} on"
        yield f"{method}: worth asking {found}"


def costs_lines(costs: Costs) -> Iterator[str]:
    """Say what a collection would take."""
    time = "" if costs.seconds is None else f"; propagation: about {costs.seconds:.1f} s of processor time here"
    yield (
        f"storage: about {costs.report_bytes:,} bytes a report, {_bytes(costs.store_bytes)} in all, vectors "
        f"{_bytes(costs.embedding_bytes)}{time}"
    )


def name_of(row: Ceiling | Cell) -> str:
    """Return what a row of the table is called."""
    return row.method if isinstance(row, Cell) else f"{ANY}, at most"


def interval_of(row: Ceiling | Cell) -> str:
    """Return the interval of a forecast, and how much higher a ceiling may be."""
    if isinstance(row, Cell):
        return f"  ({row.low:.2f} to {row.high:.2f}) {row.standing}"
    return f"  (up to {row.high:.2f})" if row.high > row.points else ""


def _row(row: Ceiling | Cell, advice: Advice) -> str:
    lifts = dict(row.lifts)
    shown = "".join(f"{lifts[name]:>+17.2f}" if name in lifts else f"{'-':>17}" for name in _shown(advice))
    start = f"{row.epsilon:>5g} {100 * row.participation:>7.0f} %"
    return f"{start}  {name_of(row):<{_WIDTH}}{shown}{interval_of(row)}"


def _shown(advice: Advice) -> list[str]:
    return [name for name in GROUPS if any(name == lift.people for each in advice.ceilings for lift in each.lifts)]


def _bytes(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
