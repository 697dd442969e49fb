"""An explanation as one HTML page with its pictures, light and dark."""

from collections.abc import Iterator
from html import escape
from os import PathLike
from pathlib import Path

from privge._files.atomic import atomic_path
from privge._files.pages import filled_page
from privge.explanation.explanation import Explanation
from privge.explanation.looks import Look
from privge.explanation.odds import Odds
from privge.explanation.strings import Strings, english

_WIDTH, _BAR = 640, 34


def write_page(explanation: Explanation, path: str | PathLike[str], *, strings: Strings | None = None) -> None:
    """Write the page; the file is complete or absent."""
    texts = english() if strings is None else strings
    node = "" if explanation.node is None else f" · {explanation.node}"
    page = filled_page(
        "privge.explanation",
        "page.html",
        language=escape(explanation.language),
        title=escape(texts["odds"]["title"]),
        subtitle=escape(f"{explanation.campaign}{node} · ε = {explanation.epsilon:g}"),
        body="\n".join(_body(explanation, texts)),
    )
    with atomic_path(Path(path)) as partial:
        partial.write_text(page, encoding="utf-8")


def _body(explanation: Explanation, texts: Strings) -> Iterator[str]:
    even = next(each for each in explanation.odds if each.before == 0.5)
    pictures = {0: odds_picture(even, texts) + _table(explanation.odds, texts), 1: look_picture(explanation.look)}
    for number, (title, sentences) in enumerate(explanation.sections):
        yield f"<h2>{escape(title)}</h2>" if number else ""
        yield from (f"<p>{escape(sentence)}</p>" for sentence in sentences)
        yield pictures.get(number, "")
    yield f"<h2>{escape(texts['consent']['title'])}</h2>"
    yield from (f"<blockquote>{escape(text)}</blockquote>" for text in explanation.consent.values())


def odds_picture(even: Odds, texts: Strings) -> str:
    """Return a bar for the guess before the report, and one for the surest that it can become, as SVG."""
    bars = ((texts["odds"]["table_before"], even.before), (texts["odds"]["table_after"], even.most))
    label = escape(f"{bars[0][0]} 50 %, {bars[1][0]} {100 * even.most:.0f} %")
    drawn = "".join(_bar(name, share, place) for place, (name, share) in enumerate(bars))
    return f'<svg viewBox="0 0 {_WIDTH} {2 * (_BAR + 34)}" role="img" aria-label="{label}">{drawn}</svg>'


def _bar(name: str, share: float, place: int) -> str:
    top, width = place * (_BAR + 34), round(share * _WIDTH, 1)
    return (
        f'<text x="0" y="{top + 18}">{escape(name)}</text>'
        f'<rect class="rest" x="0" y="{top + 26}" width="{_WIDTH}" height="{_BAR}" rx="4"/>'
        f'<rect class="one" x="0" y="{top + 26}" width="{width}" height="{_BAR}" rx="4"/>'
        f'<text class="on" x="{max(width - 10, 48)}" y="{top + 48}" text-anchor="end">{100 * share:.0f} %</text>'
    )


def look_picture(look: Look) -> str:
    """Return how likely neighbouring codes are for two values, side by side, as SVG."""
    height, most = 150, max(max(pair) for pair in look.bars) or 1.0
    slot = _WIDTH / len(look.bars)
    bars = "".join(
        f'<rect class="{kind}" x="{i * slot + side * slot * 0.45:.1f}" y="{24 + height * (1 - share / most):.1f}" '
        f'width="{slot * 0.42:.1f}" height="{height * share / most:.1f}"/>'
        for i, pair in enumerate(look.bars)
        for side, (kind, share) in enumerate(zip(("one", "two"), pair, strict=True))
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height + 30}" role="img" aria-label="{escape(f"{look.low}, {look.high}")}">'
        f'<rect class="one" x="0" y="2" width="14" height="14"/><text x="20" y="15">{escape(look.low)}</text>'
        f'<rect class="two" x="{_WIDTH / 2:.0f}" y="2" width="14" height="14"/>'
        f'<text x="{_WIDTH / 2 + 20:.0f}" y="15">{escape(look.high)}</text>{bars}</svg>'
    )


def _table(odds: tuple[Odds, ...], texts: Strings) -> str:
    names = (texts["odds"][name] for name in ("table_before", "table_least", "table_after"))
    head = "".join(f"<th>{escape(name)}" for name in names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{100 * share:.3g} %" for share in (each.before, each.least, each.most)) for each in odds
    )
    return f"<table><tr>{head}{rows}</table>"
