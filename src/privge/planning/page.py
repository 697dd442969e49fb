"""A plan as one HTML page: the verdict, the curve of lift over epsilon, and the table; light and dark."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template

from privge._files.atomic import atomic_path
from privge.planning.advice import ANY, Advice, Ceiling, Cell
from privge.planning.lines import controls_of, costs_lines, interval_of, name_of, noise_lines, rows_of, title_of

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 760, 380, 56, 46, 14


def write_page(advice: Advice, path: str | PathLike[str]) -> None:
    """Write the page; the file is complete or absent."""
    template = Template(files("privge.planning").joinpath("page.html").read_text(encoding="utf-8"))
    campaign = advice.campaign
    page = template.substitute(
        title="Is asking worth it?",
        subtitle=escape(f"{advice.nodes:,} people, {advice.wanted:,} of unknown class · {campaign.described()}"),
        verdict="".join(f"<p>{escape(sentence)}</p>" for sentence in advice.verdict),
        body="\n".join(_body(advice)),
    )
    with atomic_path(Path(path)) as partial:
        partial.write_text(page, encoding="utf-8")


def _body(advice: Advice) -> Iterator[str]:
    yield "<h2>Lift over ε</h2>"
    yield f'<div class="wide">{curve(advice)}</div>'
    bands = "" if not advice.cells else " Bands hold with a confidence of 95 %."
    most = "The dashed line is the most that any report could add."
    yield f'<p class="quiet">{escape(title_of(advice))}.{bands} {most}</p>'
    yield "<h2>What needs no report</h2>"
    yield from (f"<p>{escape(_capital(sentence))}.</p>" for sentence in controls_of(advice))
    yield "<h2>All numbers</h2>"
    yield _table(advice)
    yield "<h2>Noise, storage, time</h2>"
    yield from (f"<p>{escape(_capital(line))}.</p>" for line in (*noise_lines(advice), *costs_lines(advice.costs)))
    yield from (f"<p><strong>{escape(sentence)}</strong></p>" for sentence in advice.spent)


def curve(advice: Advice) -> str:
    """Return lift over epsilon for each method, with everybody who would take part at most, as SVG."""
    share = max(each.participation for each in advice.ceilings)
    rows: dict[str, list[Ceiling | Cell]] = {}
    for row in rows_of(advice):
        if row.participation == share:
            rows.setdefault(row.method if isinstance(row, Cell) else ANY, []).append(row)
    tallest = max([advice.worth * 1.5, *(each.points for each in advice.ceilings)])
    epsilons = sorted({each.epsilon for each in advice.ceilings})
    plot = _Plot(epsilons, tallest)
    drawn = [*plot.axes()]
    for number, (name, members) in enumerate(rows.items()):
        drawn.extend(plot.line(members, number, dashed=name == ANY))
        top = _TOP + 12 + 20 * number
        drawn.append(f'<rect x="{_LEFT + 14}" y="{top + 3}" width="14" height="4" style="fill: var(--c{number})"/>')
        drawn.append(f'<text x="{_LEFT + 36}" y="{top + 10}">{escape(name)}</text>')
    drawn.append(plot.worth(advice.worth))
    label = escape(
        "Lift over epsilon: " + "; ".join(f"{name} {m[-1].points:.1f} at {m[-1].epsilon:g}" for name, m in rows.items())
    )
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'


class _Plot:
    """Places on the picture: epsilons are evenly apart, as they usually double."""

    def __init__(self, epsilons: Sequence[float], tallest: float) -> None:
        self.epsilons, self.tallest = list(epsilons), tallest

    def x(self, epsilon: float) -> float:
        place = self.epsilons.index(epsilon) + 0.5
        return round(_LEFT + (_WIDTH - _LEFT - 10) * place / len(self.epsilons), 1)

    def y(self, points: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(points, self.tallest) / self.tallest), 1)

    def axes(self) -> Iterator[str]:
        for points in (0.0, self.tallest / 2, self.tallest):
            yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{self.y(points)}" y2="{self.y(points)}"/>'
            yield f'<text class="tick" x="{_LEFT - 8}" y="{self.y(points) + 5}" text-anchor="end">{points:.1f}</text>'
        for epsilon in self.epsilons:
            yield f'<text class="tick" x="{self.x(epsilon)}" y="{_HEIGHT - 24}" text-anchor="middle">{epsilon:g}</text>'
        yield f'<text x="{(_WIDTH + _LEFT) / 2:.0f}" y="{_HEIGHT - 5}" text-anchor="middle">ε of a report</text>'

    def worth(self, points: float) -> str:
        """Return the line from which on asking is worth it, and what it is; drawn last, so that nothing hides it."""
        return (
            f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{self.y(points)}" y2="{self.y(points)}" style="stroke: var(--ink)" '
            f'stroke-dasharray="2 4"/><text x="{_WIDTH - 4}" y="{self.y(points) - 6}" text-anchor="end">'
            "worth it from here</text>"
        )

    def line(self, members: Sequence[Ceiling | Cell], colour: int, *, dashed: bool) -> Iterator[str]:
        cells = [each for each in members if isinstance(each, Cell)]
        if cells:
            edge = [*((each, each.high) for each in cells), *((each, each.low) for each in reversed(cells))]
            corners = " ".join(f"{self.x(each.epsilon)},{self.y(points)}" for each, points in edge)
            yield f'<polygon class="band" points="{corners}" style="fill: var(--c{colour})"/>'
        points = " ".join(f"{self.x(each.epsilon)},{self.y(each.points)}" for each in members)
        yield f'<polyline class="{"dash" if dashed else "line"}" points="{points}" style="stroke: var(--c{colour})"/>'


def _table(advice: Advice) -> str:
    everybody, *groups = (lift.people for lift in advice.ceilings[0].lifts)
    head = "".join(f"<th>{escape(name)}" for name in groups)
    body = []
    for row in rows_of(advice):
        lifts = dict(row.lifts)
        cells = "".join(f"<td>{lifts[name]:+.2f}" if name in lifts else "<td>-" for name in groups)
        body.append(
            f'<tr><td>{row.epsilon:g}<td>{100 * row.participation:.0f} %<td class="name">{escape(name_of(row))}'
            f'<td>{row.points:+.2f}<td class="name">{escape(interval_of(row))}{cells}'
        )
    return (
        '<div class="wide"><table><tr><th>ε<th>take part<th class="name">asked for'
        f'<th>{escape(everybody)}<th class="name">95 %: between{head}{"".join(body)}</table></div>'
    )


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
