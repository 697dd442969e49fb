"""Columns by name: which are wanted, which are left out, and what to say of it."""

import difflib
import logging
from collections.abc import Sequence

from privge.errors import BadData

logger = logging.getLogger(__name__)

_SHOWN = 5  # names in one message


def pick(names: Sequence[str], wanted: Sequence[str], what: str = "column") -> tuple[list[int], list[str]]:
    """Return where the wanted names stand, and which names nobody wants; one that is absent is refused."""
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise BadData(f"the column {next(name for name in names if list(names).count(name) > 1)!r} appears twice")
    extra = sorted(places.keys() - set(wanted), key=places.__getitem__)
    absent = [name for name in wanted if name not in places]
    if absent:
        guesses = [f"{name!r}{_guess(name, extra)}" for name in absent]
        raise BadData(f"there is no {what} for {len(absent):,} of {len(wanted):,} features: {listed(guesses)}")
    return [places[name] for name in wanted], extra


def remark_extra(extra: Sequence[str], of: str = "campaign") -> None:
    """Say which columns of a table are not used, and what does not name them as features."""
    if extra:
        columns = (
            "1 column that is not a feature" if len(extra) == 1 else f"{len(extra):,} columns that are not features"
        )
        logger.warning("left out %s of the %s: %s", columns, of, listed([repr(name) for name in extra]))


def remark_order(names: Sequence[str]) -> None:
    """Say that the order of columns decides, because the campaign has no names."""
    logger.warning("the campaign names no features, so the columns go in their own order: %s", listed(names))


def listed(words: Sequence[str]) -> str:
    """Return a few words for a message, and how many there are beyond them."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


def places_of(names: Sequence[str], wanted: Sequence[str] | None) -> list[int]:
    """Return where the wanted names stand, and remark on others; by default all of them."""
    if wanted is None:
        return list(range(len(names)))
    places, extra = pick(names, wanted)
    remark_extra(extra)
    return places


def taken(names: tuple[str, ...] | None, wanted: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return what the columns are called once the wanted ones are taken; those without names stay without."""
    return names if names is None or wanted is None else tuple(wanted)


def _guess(name: str, others: Sequence[str]) -> str:
    """Return the name that was probably meant, in brackets."""
    folded = {other.strip().casefold(): other for other in others}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    return f" (is it {folded[close[0]]!r}?)" if close else ""
