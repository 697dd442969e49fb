"""Whether the file of a model holds one: shapes that fit together, numbers that are numbers, classes with names."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.tasks.classification.inputs import WIDEST, Block, Inputs
from privge.tasks.classification.layers import Layers
from privge.tasks.classification.vector_model import STEPS
from privge.tasks.fusion import STRUCTURE
from privge.tasks.scaling import Rule


def check_arrays(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays of anything but finite numbers."""
    for name, array in arrays.items():
        _require(array.dtype.kind in "fiu" and bool(np.isfinite(array).all()), f"{name!r} has what is not a number")


def check_parts(parts: Mapping[str, Any]) -> None:
    """Refuse parts that are no model together, and say which of them."""
    classes, inputs, fused = parts["classes"], parts["inputs"], parts["fused"]
    names = classes.tolist()
    _require(classes.ndim == 1 and 1 < len(names) == len(set(names)), "classes that are not two or more different ones")
    _require(_all_of(names, int) or _all_of(names, str), "classes that are neither all numbers nor all text")
    shares = parts["shares"]
    _require(
        shares.shape == classes.shape and bool((shares > 0).all()), "shares that are not one above 0 for each class"
    )
    _require(_number(parts["temperature"]) and parts["temperature"] > 0, "a temperature that is not a number above 0")
    _check_inputs(inputs)
    _require(bool(parts["heads"]), "no heads")
    for heads in parts["heads"].values():
        _require(bool(heads), "a kind of head without heads")
        for head in heads:
            _check_head(head, inputs.outputs, len(names))
    wanted = {STRUCTURE, *parts["heads"]}
    _require(set(fused.weights) == wanted and _numbers(fused.weights), "weights that are not one number for each head")
    _require(_numbers(fused.beliefs), "beliefs that are not numbers")
    _require(fused.intercepts.shape == classes.shape, "intercepts that are not one for each class")
    _require(_judged(parts["judged"]), "figures of held-out labels that cannot be")
    _require(parts["columns"] is None or _describes(parts["columns"]), "columns that are not described")


def _check_inputs(inputs: Inputs) -> None:
    _require(bool(inputs.blocks), "no way from vectors to inputs")
    for rule, block in inputs.blocks.items():
        _require(rule in get_args(Rule), f"the unknown scaling {rule!r}")
        _check_block(block)


def _check_block(block: Block) -> None:
    scaling = block.scaling
    _require(_all_of([scaling.width], int) and scaling.width > 0, "a width that is not a number of columns")
    _require(_number(scaling.common_factor), "a common factor that is not a number")
    used = (scaling.width,)
    if scaling.columns is not None:
        used = scaling.columns.shape
        _require(len(used) == 1 and _places(scaling.columns, scaling.width), "used columns that are not there")
    for values in (scaling.shift, scaling.factor):
        _require(values is None or values.shape in ((), used), "a scale that does not fit its columns")
    _require(scaling.factor is not None, "no scale")
    _require(scaling.common is None or scaling.common.shape == used, "a common direction that does not fit its columns")
    _require((block.places is None) == (block.signs is None), "half a projection")
    if block.places is not None and block.signs is not None:
        _require(block.places.shape == block.signs.shape == used, "a projection that does not fit its columns")
        _require(_places(block.places, WIDEST), "a projection to columns that are not there")


def _check_head(head: Layers, width: int, classes: int) -> None:
    _require(bool(head.weights), "a head without layers")
    for weights, intercepts in zip(head.weights, head.intercepts, strict=True):
        _require(weights.ndim == 2 and weights.shape == (*intercepts.shape, width), "layers that do not fit together")
        width = len(weights)
    _require(width == classes, "a head of other classes")


def _describes(columns: object) -> bool:
    """Return whether `privge.tasks.classification.columns` can compare this."""
    if not isinstance(columns, dict) or not isinstance(columns.get("channels"), list):
        return False
    named = all(isinstance(channel, dict) and isinstance(channel.get("name"), str) for channel in columns["channels"])
    walk = columns.get("walk")
    return named and (walk is None or (isinstance(walk, dict) and set(walk) == {"alpha", "r"} and _numbers(walk)))


def _judged(judged: tuple[tuple[Any, ...], ...]) -> bool:
    """Return whether these are pairs of right answers and answers, one for each level, or nothing."""
    pairs = all(len(pair) == 2 and _all_of(pair, int) and 0 <= pair[0] <= pair[1] for pair in judged)
    return pairs and len(judged) in (0, STEPS)


def _places(places: NDArray[Any], count: int) -> bool:
    return places.dtype.kind in "iu" and bool(((places >= 0) & (places < count)).all())


def _all_of(values: Iterable[object], kind: type) -> bool:
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _numbers(named: object) -> bool:
    return isinstance(named, dict) and all(map(_number, named.values()))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _require(condition: bool, what: str) -> None:  # noqa: FBT001 (a condition is what it is about)
    if not condition:
        raise BadData(f"this is not a model that privge wrote, or it is damaged: it has {what}")
