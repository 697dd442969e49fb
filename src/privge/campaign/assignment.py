"""Who is asked, and about what: public data of a campaign, in shards that its document names by their hashes.

Which classes a person is asked about follows from what is public about their node, never from anything private, and
never from their own report. It is decided before the campaign begins and cannot change: the document holds the SHA-256
of every shard, so that a device which fetches the shard of its node can check it.

*Form.* A node is in the shard whose number is the first ``bits`` bits of the SHA-256 of its id. A shard is a sequence
of records of one size, in increasing order of their first 16 bytes, little-endian throughout:

| bytes | what |
|---|---|
| 16 | the last half of the SHA-256 of the node id |
| 2 for each of ``width`` | the classes, in increasing order; 65535 where there are fewer |
| 4 for each of ``width``, if there are offsets | the integers that are added to the scores of these classes |

An assignment of width 0 says who is asked and nothing else: the *members* of a campaign.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privge._files.atomic import atomic_path
from privge.errors import BadData, NotAsked
from privge.ids import as_ids, node_key
from privge.questions.scores import LARGEST_OFFSET
from privge.questions.stated import integer, listed, truth

MAX_BITS = 16
MAX_WIDTH = 256
SHARD_NODES = 1024
"""How many nodes a shard has, about, if nobody says otherwise."""

_NONE = 2**16 - 1  # in place of a class that is not there
_KEY = 16
_HASH = re.compile("[0-9a-f]{64}")


class Personal(NamedTuple):
    """What one node is asked about: classes in increasing order, and what is added to their scores."""

    classes: tuple[int, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class Assignment:
    """Who is asked and about which classes; made by `of` or `members`, or read from a document without its shards.

    Parameters
    ----------
    bits
        There are ``2**bits`` shards.
    width
        Most classes that anybody is asked about; 0 if there are none.
    offsets
        Whether integers are added to scores.
    sizes
        The different numbers of classes that people are asked about, in increasing order.
    nodes
        How many people are asked.
    digests
        SHA-256 of every shard, in hexadecimal.
    shards
        The shards themselves, by number; those that are at hand.
    """

    bits: int
    width: int
    offsets: bool
    sizes: tuple[int, ...]
    nodes: int
    digests: tuple[str, ...]
    shards: Mapping[int, bytes] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        integer("assignment.bits", self.bits, 0, MAX_BITS)
        integer("assignment.width", self.width, 0, MAX_WIDTH)
        integer("assignment.nodes", self.nodes, 1, 2**32)
        truth("assignment.offsets", self.offsets)
        sizes = [integer("assignment.sizes", size, 2, self.width) for size in listed("sizes", self.sizes, 0, MAX_WIDTH)]
        if sizes != sorted(set(sizes)) or bool(sizes) != bool(self.width) or (sizes and sizes[-1] != self.width):
            raise BadData("assignment.sizes must increase to width, and be empty for members alone")
        digests = listed("assignment.shards", self.digests, 2**self.bits, 2**self.bits)
        if not all(isinstance(each, str) and _HASH.fullmatch(each) for each in digests):
            raise BadData("assignment.shards must be SHA-256 hashes in hexadecimal")
        object.__setattr__(self, "sizes", tuple(sizes))
        object.__setattr__(self, "digests", tuple(digests))
        for number, shard in self.shards.items():
            self._check(number, shard)

    @classmethod
    def of(
        cls,
        ids: Sequence[str] | Sequence[int] | NDArray[Any],
        classes: ArrayLike,
        offsets: ArrayLike | None = None,
        *,
        bits: int | None = None,
    ) -> Self:
        """Assign classes to nodes.

        A node that is not among them is not asked, and its device does not report.

        Parameters
        ----------
        ids
            The nodes that are asked, each once.
        classes
            Numbers of classes, a row for each node, at least two; -1 where there are fewer. Their order says nothing.
        offsets
            Integers that the device adds to the scores of these classes, in the same places.
        bits
            There are ``2**bits`` shards; by default about 1,024 nodes in each.
        """
        nodes, table = as_ids(ids), np.asarray(classes)
        if table.ndim != 2 or len(table) != len(nodes) or table.dtype.kind not in "iu":
            raise BadData(f"classes must be integers, a row for each of {len(nodes)} nodes, got shape {table.shape}")
        if table.size and not -1 <= int(table.min()) <= int(table.max()) < _NONE:
            raise BadData(f"classes must be from 0 to {_NONE - 1}, or -1 where there is none")
        added = np.zeros(table.shape, dtype=np.int64) if offsets is None else np.asarray(offsets)
        if added.shape != table.shape or added.dtype.kind not in "iu":
            raise BadData(f"offsets must be integers in the shape of classes, {table.shape}, got {added.shape}")
        if added.size and int(np.abs(added).max()) > LARGEST_OFFSET:
            raise BadData(f"offsets must be from {-LARGEST_OFFSET} to {LARGEST_OFFSET}")
        return cls._packed(nodes.tolist(), table.astype(np.int64), None if offsets is None else added, bits)

    @classmethod
    def members(cls, ids: Sequence[str] | Sequence[int] | NDArray[Any], *, bits: int | None = None) -> Self:
        """Say who is asked, and nothing else."""
        nodes = as_ids(ids).tolist()
        return cls._packed(nodes, np.empty((len(nodes), 0), dtype=np.int64), None, bits)

    @classmethod
    def _packed(
        cls, nodes: list[Any], classes: NDArray[np.int64], offsets: NDArray[np.int64] | None, bits: int | None
    ) -> Self:
        ranked = np.where(classes < 0, _NONE, classes)
        order = np.argsort(ranked, axis=1, kind="stable")
        ranked = np.take_along_axis(ranked, order, axis=1)
        sizes = (ranked < _NONE).sum(axis=1)
        width = int(sizes.max(initial=0))
        if classes.shape[1] and (
            sizes.min(initial=2) < 2 or (np.diff(ranked, axis=1) == 0)[ranked[:, 1:] < _NONE].any()
        ):
            raise BadData("everybody must be asked about at least two classes, each once")
        records = np.zeros(len(nodes), dtype=_record(width, offsets=offsets is not None))
        records["classes"] = ranked[:, :width]
        if offsets is not None:
            records["offsets"] = np.take_along_axis(np.where(classes < 0, 0, offsets), order, axis=1)[:, :width]
        stream = b"".join(hashlib.sha256(node_key(node)).digest() for node in nodes)
        hashes = np.frombuffer(stream, dtype=np.uint8).reshape(-1, 32)
        records["key"] = np.ascontiguousarray(hashes[:, 16:]).view(f"V{_KEY}").ravel()
        if bits is None:
            bits = min(MAX_BITS, max(0, (max(len(nodes), 1) - 1) // SHARD_NODES).bit_length())
        numbers = (hashes[:, 0].astype(np.int64) << 8 | hashes[:, 1]) >> (16 - integer("bits", bits, 0, MAX_BITS))
        shards = _shards(records, numbers, 2**bits)
        return cls(
            bits,
            width,
            offsets is not None,
            tuple(np.unique(sizes).tolist()) if width else (),
            len(nodes),
            tuple(hashlib.sha256(shard).hexdigest() for shard in shards),
            dict(enumerate(shards)),
        )

    @property
    def complete(self) -> bool:
        """Whether every shard is at hand."""
        return len(self.shards) == len(self.digests)

    def shard_of(self, node: object) -> int:
        """Return the number of the shard that a node would be in."""
        digest = hashlib.sha256(node_key(node)).digest()
        return (digest[0] << 8 | digest[1]) >> (16 - self.bits)

    def with_shards(self, shards: Mapping[int, bytes]) -> Self:
        """Return the assignment with more shards at hand; one that its hash does not name is refused."""
        for number, shard in shards.items():
            self._check(number, shard)
        same = copy(self)  # which is sound already: looking at each of 65,536 hashes again takes its time
        for name in ("_table", "_places"):
            same.__dict__.pop(name, None)
        object.__setattr__(same, "shards", {**self.shards, **shards})
        return same

    def personal(self, node: object) -> Personal:
        """Return what a node is asked about; `privge.errors.NotAsked` if it is not asked."""
        classes, offsets = self.rows([node])
        size = int((classes[0] >= 0).sum())
        return Personal(tuple(classes[0, :size].tolist()), tuple(offsets[0, :size].tolist()))

    def rows(self, nodes: Sequence[object]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return classes, filled up with -1, and offsets of many nodes, a row for each; all of them must be asked."""
        places = self._places_of(nodes)
        absent = int((places < 0).sum())
        if absent:
            who = "this node is" if len(nodes) == 1 else f"{absent:,} of {len(nodes):,} nodes are"
            raise NotAsked(f"{who} not asked in this campaign")
        found = self._table[places]
        classes = found["classes"].astype(np.int64)
        offsets = found["offsets"].astype(np.int64) if self.offsets else np.zeros_like(classes)
        return np.where(classes == _NONE, -1, classes), offsets

    def asks(self, nodes: Sequence[object]) -> NDArray[np.bool_]:
        """Say of many nodes whether they are asked."""
        return self._places_of(nodes) >= 0

    def _places_of(self, nodes: Sequence[object]) -> NDArray[np.int64]:
        """Return where nodes are in the table; -1 for those who are not asked."""
        places = np.empty(len(nodes), dtype=np.int64)
        for row, node in enumerate(nodes):
            digest = hashlib.sha256(node_key(node)).digest()
            number = (digest[0] << 8 | digest[1]) >> (16 - self.bits)
            if number not in self.shards:
                raise BadData(f"shard {number} of the assignment is not at hand: fetch it, or load the assignment")
            places[row] = self._places.get(digest[16:], -1)
        return places

    def __contains__(self, node: object) -> bool:
        """Say whether a node is asked."""
        return bool(self.asks([node])[0])

    @property
    def highest(self) -> int:
        """The highest class that anybody is asked about, in the shards at hand; -1 if there is none."""
        classes = self._table["classes"].astype(np.int64)
        return int(np.where(classes == _NONE, -1, classes).max(initial=-1))

    def save(self, folder: str | PathLike[str]) -> None:
        """Write every shard at hand into a folder, each under its hash."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for number, shard in self.shards.items():
            with atomic_path(place / self.digests[number]) as partial:
                partial.write_bytes(shard)

    def load(self, folder: str | PathLike[str]) -> Self:
        """Return the assignment with every shard that a folder has."""
        files = {number: Path(folder) / digest for number, digest in enumerate(self.digests)}
        return self.with_shards({number: file.read_bytes() for number, file in files.items() if file.is_file()})

    def to_document(self) -> dict[str, Any]:
        """Return what the document of a campaign holds: everything but the shards themselves."""
        facts = {"bits": self.bits, "width": self.width, "offsets": self.offsets, "nodes": self.nodes}
        return {**facts, "sizes": list(self.sizes), "shards": list(self.digests)}

    @classmethod
    def from_document(cls, document: object) -> Self:
        """Read what `to_document` returned."""
        names = {"bits", "width", "offsets", "nodes", "sizes", "shards"}
        if not isinstance(document, Mapping) or set(document) != names:
            raise BadData(f"an assignment has the fields {', '.join(sorted(names))}")
        stated: dict[str, Any] = dict(document)
        stated["digests"] = stated.pop("shards")
        return cls(**stated)

    def words(self) -> str:
        """Say in words who is asked, and about what."""
        who = f"{self.nodes:,} people, in {len(self.digests):,} public shards"
        if not self.width:
            return who
        few, most = self.sizes[0], self.sizes[-1]
        return f"{who}; each about {few if few == most else f'{few} to {most}'} classes that follow from public data"

    def _check(self, number: int, shard: bytes) -> None:
        if not 0 <= number < len(self.digests) or hashlib.sha256(shard).hexdigest() != self.digests[number]:
            raise BadData(f"shard {number} is not the one that the campaign names by its hash")
        kind = _record(self.width, offsets=self.offsets)
        if len(shard) % kind.itemsize:
            raise BadData(f"shard {number} is not made of records of {kind.itemsize} bytes")
        if not self._is_in_form(np.frombuffer(shard, dtype=kind)):
            raise BadData(
                f"shard {number} has not the form of an assignment: nodes and their classes in increasing order, "
                "as many classes as the campaign says, and offsets in their range"
            )

    def _is_in_form(self, records: NDArray[Any]) -> bool:
        """Say whether records are as `of` writes them. A hash says who wrote them, not that they are sound.

        *Why.* The place of a class among a person's own is a level of the law for so many classes. A class that stands
        behind a gap would have a place that this law does not have, and the report would give it away.
        """
        first, last = np.ascontiguousarray(records["key"]).view(">u8").reshape(-1, 2).T
        in_order = (first[1:] > first[:-1]) | ((first[1:] == first[:-1]) & (last[1:] > last[:-1]))
        classes = records["classes"]
        increasing = (classes[:, 1:] > classes[:, :-1]) | (classes[:, 1:] == _NONE)  # so that no gap has one behind it
        stated = np.isin((classes < _NONE).sum(axis=1), self.sizes or (0,))
        sound = bool(in_order.all() and increasing.all() and stated.all()) and len(records) <= self.nodes
        return sound and not (self.offsets and bool((records["offsets"] < -LARGEST_OFFSET).any()))

    @cached_property
    def _table(self) -> NDArray[Any]:
        kind = _record(self.width, offsets=self.offsets)
        return np.frombuffer(b"".join(self.shards[number] for number in sorted(self.shards)), dtype=kind)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {key.tobytes(): place for place, key in enumerate(self._table["key"])}


def _record(width: int, *, offsets: bool) -> np.dtype[Any]:
    fields: list[Any] = [("key", f"V{_KEY}"), ("classes", "<u2", (width,))]
    return np.dtype([*fields, ("offsets", "<i4", (width,))] if offsets else fields)


def _shards(records: NDArray[Any], numbers: NDArray[np.int64], count: int) -> list[bytes]:
    keys = np.ascontiguousarray(records["key"]).view(np.uint8).reshape(-1, _KEY)
    order = np.lexsort((*keys.T[::-1], numbers))
    starts = np.searchsorted(numbers[order], np.arange(count + 1))
    ordered = records[order]
    return [ordered[start:end].tobytes() for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
