"""Campaign documents: JSON or TOML text to plain values, with the offending field or key named."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from privge._files.mistaken import refused_document, refused_table
from privge.errors import BadData, InvalidCampaign

FORMAT = "privge-campaign-1"
"""A campaign in the short form: many numbers alike."""

LATER_FORMAT = "privge-campaign-2"
"""A campaign with a field that the first format does not have."""

LATER_FIELDS = ("questions", "assignment", "round")


def read_document(path: Path) -> dict[str, object]:
    """Read a ``.toml`` or JSON file; one of another kind is refused with what it is."""
    if path.suffix != ".toml":
        content = path.read_bytes()
        if other := refused_table(content):
            raise BadData(f"{other}. A campaign is a document in JSON or TOML")
        document = parse_json(content)
        if other := refused_document(document, "privge-campaign"):
            raise BadData(other)
        return document
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"the campaign is not TOML: {error}") from error


def parse_json(text: str | bytes) -> dict[str, object]:
    """Read JSON; NaN, infinities, repeated keys and numbers of absurd length are refused."""
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError, TypeError) as error:  # no text at all is a TypeError
        if isinstance(error, BadData):
            raise
        raise BadData(f"the campaign is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadData("the campaign must be a JSON object")
    return document


def fields_of(document: Mapping[str, object], *, known: Sequence[str], required: Sequence[str]) -> dict[str, object]:
    """Return the fields of a document, with a list of features spread over its columns."""
    fields = dict(document)
    format_of_fields = LATER_FORMAT if any(name in fields for name in LATER_FIELDS) else FORMAT
    if (version := fields.pop("format", format_of_fields)) != format_of_fields:
        raise InvalidCampaign("format", f"must be {format_of_fields}, got {version!r}")
    if "features" in fields:
        columns = _columns(fields.pop("features"))
        for name in columns:
            if name in fields:
                raise InvalidCampaign(name, "is given twice: by itself and by features")
        fields.update(columns)
    _known_keys(fields, known)
    for name in required:
        if name not in fields:
            raise InvalidCampaign(name, "is missing")
    return fields


def _columns(features: object) -> dict[str, object]:
    """Turn a list of ``{name, low, high}`` into the fields dimensions, low, high and names."""
    if not isinstance(features, list) or not features:
        raise InvalidCampaign("features", "must be a list of tables with low, high and perhaps name")
    for j, feature in enumerate(features):
        if not isinstance(feature, Mapping):
            raise InvalidCampaign(f"features[{j}]", "must be a table with low, high and perhaps name")
        _known_keys(feature, ("name", "low", "high"), f"features[{j}].")
        for key in ("low", "high"):
            if key not in feature:
                raise InvalidCampaign(f"features[{j}].{key}", "is missing: every feature has public bounds")
    named = ["name" in feature for feature in features]
    if any(named) and not all(named):
        raise InvalidCampaign(f"features[{named.index(False)}].name", "is missing: name all features or none")
    return {
        "dimensions": len(features),
        "low": [feature["low"] for feature in features],
        "high": [feature["high"] for feature in features],
        "names": [feature["name"] for feature in features] if all(named) else None,
    }


def _known_keys(document: Mapping[str, object], known: Sequence[str], place: str = "") -> None:
    for key in document:
        if key not in known:
            raise InvalidCampaign(f"{place}{key}", f"is unknown; the fields are {', '.join(sorted(known))}")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document: dict[str, object] = {}
    for key, value in pairs:
        if key in document:
            raise InvalidCampaign(key, "appears twice")
        document[key] = value
    return document


def _refuse_constant(name: str) -> float:
    raise BadData(f"the campaign holds {name}, which is no JSON number")
