"""Raw values in vectors: JSON as far as it goes, and tables for what JSON does not have."""

import math
from typing import Any

ODD: dict[str, Any] = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "-0": -0.0}


def written(value: object) -> object:
    """Return a raw value as a vector has it."""
    if isinstance(value, list):
        return [written(each) for each in value]
    if isinstance(value, dict):
        return {name: written(each) for name, each in value.items()}
    if isinstance(value, float):
        for name, odd in ODD.items():
            if repr(value) == repr(odd):
                return {"odd": name}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return {"integer": str(value)}
    return {"odd": "object"} if type(value) is object else value


def read(value: Any) -> Any:  # noqa: ANN401 (whatever a person has)
    """Return what `written` wrote."""
    if isinstance(value, list):
        return [read(each) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"odd"}:
        return ODD.get(value["odd"]) if value["odd"] != "object" else object()
    if set(value) == {"integer"}:
        return int(value["integer"])
    return {name: read(each) for name, each in value.items()}
