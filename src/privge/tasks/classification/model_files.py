"""A head on vectors as a file: plain arrays in NumPy's own archive, and a text that says what they are.

``.npz`` is a zip of ``.npy`` files. It is read without pickle, so that a file from elsewhere runs nothing, and its
sizes are bounded before anything is unpacked; NumPy of any year reads it. The entry ``about`` is JSON in bytes: the
format, classes, weights, and what the vectors were. A model holds sums over the labelled nodes; neither their ids nor
their labels stand in it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privge._files.archives import Bounds, read_archive
from privge._files.atomic import atomic_path
from privge._version import __version__
from privge.errors import BadData
from privge.tasks.classification.checked import check_arrays, check_parts
from privge.tasks.classification.fused import Fused
from privge.tasks.classification.inputs import Block, Inputs
from privge.tasks.classification.layers import Layers
from privge.tasks.scaling import Scaling

if TYPE_CHECKING:
    from privge.tasks.classification.vector_model import VectorModel

FORMAT = "privge classifier 1"
LARGEST = Bounds(entries=10_000, unpacked=2**29)
"""What a file may hold: some thousands of classes fit. More is neither written nor, before it is unpacked, read."""

_SCALING = ("columns", "shift", "factor", "common")
_PROJECTION = ("places", "signs")


def write_model(path: Path, model: "VectorModel") -> None:
    """Write a model; the file is complete or absent."""
    arrays = {"shares": model.shares, "intercepts": model.fused.intercepts, **_inputs(model.inputs)}
    for kind, heads in enumerate(model.heads.values()):
        for part, head in enumerate(heads):
            for layer, (weights, intercepts) in enumerate(zip(head.weights, head.intercepts, strict=True)):
                arrays |= {
                    _name(kind, part, layer, "weights"): weights,
                    _name(kind, part, layer, "intercepts"): intercepts,
                }
    about = {
        "format": FORMAT,
        "version": __version__,
        "classes": model.classes.tolist(),
        "heads": {name: [len(head.weights) for head in heads] for name, heads in model.heads.items()},
        "weights": dict(model.fused.weights),
        "beliefs": dict(model.fused.beliefs),
        "temperature": model.temperature,
        "width": model.inputs.width,
        "blocks": {rule: block.scaling.common_factor for rule, block in model.inputs.blocks.items()},
        "columns": model.columns,
        "judged": model.judged,
    }
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    if (total := sum(array.nbytes for array in arrays.values())) > LARGEST.unpacked:
        raise BadData(f"{path}: a model of {total / 2**20:,.0f} MiB is too large for a file; it has too many classes")
    with atomic_path(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_model(path: Path) -> dict[str, Any]:
    """Return the parts of a model; what is not one is refused by name."""
    try:
        arrays = _archived(path)
        about = json.loads(arrays["about"].tobytes())
        _check_format(about["format"])
        check_arrays(arrays)
        parts = _parts(about, arrays)
        check_parts(parts)
    except FileNotFoundError:
        raise BadData(f"{path}: no such file") from None
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    except Exception as error:  # a file from elsewhere may hold anything, even claim more memory than there is
        raise BadData(f"{path}: this is not a model that privge wrote") from error
    return parts


def _archived(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return read_archive(path, LARGEST)
    except BadData as error:
        raise BadData(f"this is not a model that privge wrote, or it is damaged: {error}") from error


def _check_format(found: object) -> None:
    if found != FORMAT:
        raise BadData(f"this is {str(found)[:80]!r}, where {FORMAT!r} is read")


def _parts(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    heads = {
        name: tuple(
            Layers(
                *(
                    tuple(arrays[_name(kind, part, layer, what)] for layer in range(layers))
                    for what in ("weights", "intercepts")
                )
            )
            for part, layers in enumerate(parts)
        )
        for kind, (name, parts) in enumerate(about["heads"].items())
    }
    return {
        "classes": np.array(about["classes"], dtype=None if type(about["classes"][0]) is int else object),
        "shares": arrays["shares"],
        "inputs": Inputs({rule: _block(rule, about, arrays) for rule in about["blocks"]}),
        "heads": heads,
        "fused": Fused(about["weights"], arrays["intercepts"], about["beliefs"]),
        "temperature": about["temperature"],
        "columns": about["columns"],
        "judged": tuple(map(tuple, about.get("judged", ()))),
    }


def _block(rule: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Block:
    found: dict[str, Any] = {name: arrays.get(f"{rule}, {name}") for name in (*_SCALING, *_PROJECTION)}
    scaling = {name: found[name] for name in _SCALING}
    return Block(
        Scaling(width=about["width"], common_factor=about["blocks"][rule], **scaling), found["places"], found["signs"]
    )


def _inputs(inputs: Inputs) -> dict[str, NDArray[Any]]:
    """Return the arrays of scalings and projections that are there."""
    named: dict[str, NDArray[Any] | None] = {}
    for rule, block in inputs.blocks.items():
        named |= {f"{rule}, {name}": getattr(block.scaling, name) for name in _SCALING}
        named |= {f"{rule}, {name}": getattr(block, name) for name in _PROJECTION}
    return {name: array for name, array in named.items() if array is not None}


def _name(kind: int, part: int, layer: int, what: str) -> str:
    return f"head {kind}, part {part}, layer {layer}, {what}"
