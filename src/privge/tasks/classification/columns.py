"""What the columns of an embedding are, so that a model is used for no others."""

from collections.abc import Mapping
from typing import Any

from privge.embedding.embedding import Embedding


def columns_of(embedding: Embedding) -> dict[str, Any]:
    """Return, in plain values, which channels there are, what they were made from and how."""
    told = embedding.provenance
    channels = [
        {
            "name": channel.name,
            "columns": channel.width,
            "names": list(channel.names),
            "campaign": None if channel.source is None else channel.source.campaign,
            **({} if channel.source is None else channel.source.reading),
        }
        for channel in embedding.channels.values()
    ]
    chosen = told.run.smoothing is not None  # by risk, so that it may be another elsewhere
    return {
        "channels": channels,
        "walk": None if chosen else {"alpha": told.run.alpha, "r": told.run.r},
        "directions": None if told.run.projection is None else told.run.projection.digest,
    }


def difference(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> str | None:
    """Return the first difference between two descriptions in words, or None."""
    names = [[channel["name"] for channel in each["channels"]] for each in (wanted, found)]
    if names[0] != names[1]:
        return f"channels {', '.join(names[0])}, not {', '.join(names[1])}"
    for mine, theirs in zip(wanted["channels"], found["channels"], strict=True):
        for field, value in mine.items():
            if theirs.get(field) != value:
                return f"channel {mine['name']}, {field} {_short(value)}, not {_short(theirs.get(field))}"
    if wanted["walk"] != found["walk"]:
        return f"walk {_walk(wanted['walk'])}, not {_walk(found['walk'])}"
    if wanted.get("directions") != found.get("directions"):
        return (
            "columns of compact vectors along other directions: those follow from reports and graph, so that a model "
            "for several embeddings needs vectors with all columns"
        )
    return None


def _short(value: object) -> str:
    """Return a value for a sentence: of a hash its beginning."""
    text = str(value)
    return text[:12] if len(text) == 64 else text[:80]


def _walk(walk: Mapping[str, float] | None) -> str:
    return "chosen by risk" if walk is None else f"alpha {walk['alpha']:g}, r {walk['r']:g}"
